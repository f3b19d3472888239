package fault

// Kind is the category of a fault; package rest gives each its HTTP status.
type Kind int

// The kinds, from the caller's mistakes to ours.
const (
	KindInvalid Kind = iota
	KindUnauthenticated
	KindForbidden
	KindNotFound
	KindMethod
	KindNotAcceptable
	KindTimeout
	KindConflict
	KindGone
	KindLengthRequired
	KindPrecondition
	KindTooLarge
	KindRange
	KindUnsupported
	KindUnprocessable
	KindTooMany
	KindEarly // what must come first is missing; a client that comes back with it is well
	KindInternal
	KindUnavailable
)

// Code names one fault for machines. The list is closed: every code is in Codes.
type Code string

// The codes.
const (
	InvalidJSON           Code = "invalid_json"
	ValidationFailed      Code = "validation_failed"
	UnknownField          Code = "unknown_field"
	ReadOnly              Code = "read_only"
	Required              Code = "required"
	WrongType             Code = "wrong_type"
	OutOfRange            Code = "out_of_range"
	BadFormat             Code = "bad_format"
	NotAllowedValue       Code = "not_allowed_value"
	UnknownReference      Code = "unknown_reference"
	UnknownParameter      Code = "unknown_parameter"
	InvalidParameter      Code = "invalid_parameter"
	InvalidCursor         Code = "invalid_cursor"
	InvalidHeader         Code = "invalid_header"
	InvalidPatch          Code = "invalid_patch"
	InvalidRequest        Code = "invalid_request"
	PartNotNamed          Code = "part_not_named"
	ChecksumMismatch      Code = "checksum_mismatch"
	Unauthenticated       Code = "unauthenticated"
	InvalidToken          Code = "invalid_token"
	TokenExpired          Code = "token_expired"
	ForbiddenCode         Code = "forbidden"
	NotFoundCode          Code = "not_found"
	MethodNotAllowed      Code = "method_not_allowed"
	NotAcceptable         Code = "not_acceptable"
	AlreadyExists         Code = "already_exists"
	StillReferenced       Code = "still_referenced"
	TransitionRefused     Code = "transition_refused"
	PatchTestFailed       Code = "patch_test_failed"
	PatchConflict         Code = "patch_conflict"
	IdempotencyInProgress Code = "idempotency_in_progress"
	LastAdmin             Code = "last_admin"
	RevisionIsCurrent     Code = "revision_is_current"
	InvoiceKept           Code = "invoice_kept"
	InvoiceNotPayable     Code = "invoice_not_payable"
	ArticleTrashed        Code = "article_trashed"
	ArticleRemoved        Code = "article_removed"
	PreconditionFailed    Code = "precondition_failed"
	BodyTooLarge          Code = "body_too_large"
	BatchTooLarge         Code = "batch_too_large"
	LengthRequired        Code = "length_required"
	AvatarTooLarge        Code = "avatar_too_large"
	UnsupportedMediaType  Code = "unsupported_media_type"
	IdempotencyKeyReused  Code = "idempotency_key_reused"
	BodyTooSlow           Code = "body_too_slow"
	TooManyRequests       Code = "too_many_requests"
	UploadIncomplete      Code = "upload_incomplete"
	ImageMismatch         Code = "image_mismatch"
	ImageCorrupt          Code = "image_corrupt"
	ImageTooManyPixels    Code = "image_too_many_pixels"
	ImageNotFetched       Code = "image_not_fetched"
	RangeNotSatisfiable   Code = "range_not_satisfiable"
	Internal              Code = "internal"
	Unavailable           Code = "unavailable"
	UploadTooLarge        Code = "upload_too_large"
	UploadOvertaken       Code = "upload_overtaken"
	UploadEnded           Code = "upload_ended"
	UploadGap             Code = "upload_gap"
	StorageFull           Code = "storage_full"
	OutcomeUnknown        Code = "outcome_unknown"
)

// Info is what the service says about a code on its own page.
type Info struct {
	Code  Code
	Kind  Kind
	Title string
	Help  string
}

// Codes is the closed list, in the order it is documented.
var Codes = []Info{
	{InvalidJSON, KindInvalid, "The body is not acceptable JSON", "Bodies are one JSON value in UTF-8, at most 32 levels deep, without duplicate members or lone surrogates. The message says where the trouble is."},
	{ValidationFailed, KindInvalid, "The request breaks a rule", "Each entry of errors names one fault: its code, and the pointer, parameter or header it is about. All faults of a request are reported at once."},
	{UnknownField, KindInvalid, "A member or field nobody knows", "The name is not part of this resource. Names are compared exactly, with case. OPTIONS on the address lists what it takes."},
	{ReadOnly, KindInvalid, "A read-only member was changed", "What a GET returned can be sent back, but this member must then keep its value, or be left out."},
	{Required, KindInvalid, "A required member is missing", "POST and PUT need every required member. PATCH may leave out what it does not change, but cannot remove a required member."},
	{WrongType, KindInvalid, "A value has the wrong JSON type", "The message says which type is expected. Null is accepted only where the schema says so."},
	{OutOfRange, KindInvalid, "A value is too long, too short, too large or too small", "The message says which limit was passed. Lengths count characters, not bytes."},
	{BadFormat, KindInvalid, "A value does not have its format", "The message says which format is expected."},
	{NotAllowedValue, KindInvalid, "A value is not one of those allowed", "The message lists the values."},
	{UnknownReference, KindInvalid, "A member names something that is not there", "The pointer leads to the name or number that nothing has. Nothing was changed."},
	{UnknownParameter, KindInvalid, "A query parameter nobody knows", "A typing error must not silently return everything, so unknown parameters are refused. OPTIONS on the address lists the parameters."},
	{InvalidParameter, KindInvalid, "A query parameter has a value that cannot be used", "The message says what the parameter takes."},
	{InvalidCursor, KindInvalid, "The cursor is not one of ours, or belongs to another query", "A cursor works only with the filters, sort and address it came from. Follow links.next and links.prev, or start again without a cursor."},
	{InvalidHeader, KindInvalid, "A request header cannot be understood", "The message names the header and what it takes."},
	{InvalidPatch, KindInvalid, "The JSON Patch is malformed", "A patch is an array of at most 100 operations, each as RFC 6902 says. The message names the operation."},
	{InvalidRequest, KindInvalid, "The request contradicts itself", "For example two Authorization headers."},
	{PartNotNamed, KindInvalid, "A part was sent that the parameter part does not name", "part lists the parts that the body sets and that the answer shows. Name the part, or leave part out: then all are."},
	{ChecksumMismatch, KindInvalid, "The bytes received are not those that were meant", "A checksum in X-Goog-Hash differs from that of what arrived. Nothing is kept; begin again."},
	{Unauthenticated, KindUnauthenticated, "A token is needed", "Send Authorization: Bearer followed by a token."},
	{InvalidToken, KindUnauthenticated, "The token is not valid", "It is not one of ours, or it was revoked."},
	{TokenExpired, KindUnauthenticated, "The token has expired", "Issue a new one."},
	{ForbiddenCode, KindForbidden, "You may not do this", "You may see this resource, but this change is for its owner or for an admin."},
	{NotFoundCode, KindNotFound, "There is nothing here", "The address is wrong, or the resource is not yours to see."},
	{MethodNotAllowed, KindMethod, "The method does not work here", "Allow lists the methods of this address."},
	{NotAcceptable, KindNotAcceptable, "The answer cannot be given in that type", "The message lists the types and versions that can be served."},
	{AlreadyExists, KindConflict, "There is one already", "A value that must be unique is taken."},
	{StillReferenced, KindConflict, "Something else still needs this", "Remove or change what refers to it first."},
	{TransitionRefused, KindConflict, "The state does not change that way", "from, to, allowed and reason say what is and what could be."},
	{PatchTestFailed, KindConflict, "A test operation failed", "Nothing was changed. operation is the index of the test."},
	{PatchConflict, KindConflict, "The patch does not fit the resource", "An operation names a place that does not exist. Nothing was changed. operation is its index."},
	{IdempotencyInProgress, KindConflict, "The first request with this key still runs", "Wait and try again; the first answer will then be given."},
	{LastAdmin, KindConflict, "This is the last admin", "A deployment needs one admin. Make another user an admin first."},
	{RevisionIsCurrent, KindConflict, "The revision is the current one", "Exactly one revision of an article is current. Make another one current: PATCH it with is_current true."},
	{InvoiceKept, KindConflict, "An invoice that has had a number is kept", "Only drafts that never had a number can be removed: numbers are without gaps."},
	{InvoiceNotPayable, KindConflict, "The invoice cannot be paid now", "invoice_status and reason say why: its status does not allow paying, or a payment is under way. links.pay of the invoice is there while it can be paid."},
	{ArticleTrashed, KindGone, "The article is in the trash", "Its author can bring it back: PATCH /articles/trashed/{article} with status published."},
	{ArticleRemoved, KindGone, "The article was removed for good", "Only its id is kept."},
	{PreconditionFailed, KindPrecondition, "The resource is not as you last saw it", "Read it again, look at what changed, and send the change with the new ETag."},
	{BodyTooLarge, KindTooLarge, "The body is too large", "The message says how large it may be."},
	{BatchTooLarge, KindTooLarge, "Too many at once", "limit is how many one request may hold. Nothing was changed; send several requests."},
	{LengthRequired, KindLengthRequired, "The length of the body must be said first", "Send Content-Length with the number of bytes, and no Transfer-Encoding."},
	{AvatarTooLarge, KindTooLarge, "The image is too large", "The message says how many bytes it may have. Nothing was read of it."},
	{UnsupportedMediaType, KindUnsupported, "The body has a type this address does not take", "Accept, Accept-Post or Accept-Patch lists the types."},
	{IdempotencyKeyReused, KindUnprocessable, "This Idempotency-Key belongs to another request", "Use a new key for each different request. Keys are kept for 24 hours."},
	{UploadIncomplete, KindInvalid, "The body ended too early", "Fewer bytes came than Content-Length said. Nothing was stored."},
	{ImageMismatch, KindInvalid, "The bytes are not what Content-Type says", "A JPEG, PNG or GIF image is told by its first bytes, and these must agree with Content-Type."},
	{ImageCorrupt, KindInvalid, "The image cannot be decoded", "It ends too early, has a wrong checksum, or is of a kind that is not understood. Save it anew with another program."},
	{ImageTooManyPixels, KindInvalid, "The image has too many pixels", "The message says how large it may be. For animations the pixels of all frames count."},
	{ImageNotFetched, KindInvalid, "The image could not be fetched", "The address must lead, within 3 redirects and 10 seconds, to an image on the public internet that is not too large. For safety the answer does not say what went wrong."},
	{RangeNotSatisfiable, KindRange, "The range lies outside", "Content-Range says how many bytes there are."},
	{UploadTooLarge, KindTooLarge, "The file is too large", "The message says how large it may be: by the limit of the service, or by what was announced."},
	{UploadOvertaken, KindConflict, "Somebody else goes on with this upload", "A newer request to the same upload has ended this one. What had arrived is kept."},
	{UploadEnded, KindGone, "The upload has ended", "It was not finished in time, its checksum was wrong, or it was removed. Begin again."},
	{UploadGap, KindEarly, "Bytes are missing before these", "Range says what is held. Go on from there."},
	{TooManyRequests, KindTooMany, "Too much was asked", "Wait as long as Retry-After says. RateLimit says what is left of the quota of a token; too many wrong tokens from one address, and asking too often how far an upload is, are refused as well."},
	{BodyTooSlow, KindTimeout, "The body came too slowly", "The connection was given up so that others are served. Send it again."},
	{Internal, KindInternal, "Something went wrong on our side", "The request id leads the operator to the cause."},
	{Unavailable, KindUnavailable, "Not available just now", "Nothing was changed. Try again after Retry-After."},
	{StorageFull, KindUnavailable, "The disk is full", "Nothing was changed. Reads go on; writes work again as soon as there is space."},
	{OutcomeUnknown, KindUnavailable, "It is not known whether the change was kept", "The store failed at the moment of committing. Read the resource, or send the request again with the same Idempotency-Key."},
}

var byCode = func() map[Code]Info {
	m := make(map[Code]Info, len(Codes))
	for _, info := range Codes {
		m[info.Code] = info
	}
	return m
}()

// Lookup gives what is known about a code.
func Lookup(code Code) (Info, bool) { info, ok := byCode[code]; return info, ok }
