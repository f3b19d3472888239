// One call: from what was filled in to a request, to the answer, and to the same call for a shell.

// address fills in a path. root is where the service is, as this page sees it; a value that is left empty stays in braces.
export function address(root, operation, values) {
  const path = operation.path.replace(/\{(\w+)\}/g, (whole, name) => (values.path[name] ? encodeURIComponent(values.path[name]) : whole))
  const query = Object.entries(values.query).filter(([, value]) => value !== '')
    .map(([name, value]) => encodeURIComponent(name) + '=' + encodeURIComponent(value))
  return root.replace(/\/$/, '') + path + (query.length ? '?' + query.join('&') : '')
}

// send makes the call. The token goes into its header and nowhere else, and only to the service that served this page.
export async function send(request, token, signal) {
  const headers = new Headers(request.headers)
  if (token && !request.open && new URL(request.url).origin === location.origin) headers.set('Authorization', 'Bearer ' + token)
  const started = performance.now()
  const response = await fetch(request.url, {
    method: request.method, headers, body: request.body, signal, cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer',
  })
  const content = await response.blob()
  return {
    request, status: response.status, reason: response.statusText, took: performance.now() - started, content,
    headers: [...response.headers], header: name => response.headers.get(name) || '',
    text: readable(response.headers.get('Content-Type') || '') ? await content.text() : undefined,
  }
}

function readable(type) { return /^text\/|[/+](json|xml|javascript)\b/.test(type) }

// curl is the same call for a shell, which finds the token in $TOKEN unless it is handed in.
export function curl(request, token) {
  const parts = ['curl' + (request.method === 'HEAD' ? ' --head' : request.method === 'GET' ? '' : ' -X ' + request.method) + ' ' + quoted(request.url)]
  if (!request.open) parts.push(token ? '-H ' + quoted('Authorization: Bearer ' + token) : '-H "Authorization: Bearer $TOKEN"')
  for (const [name, value] of request.headers) parts.push('-H ' + quoted(name + ': ' + value))
  if (request.body instanceof File) parts.push('--data-binary ' + quoted('@' + request.body.name))
  else if (request.body) parts.push('--data-raw ' + quoted(request.body))
  return parts.join(' \\\n  ')
}

function quoted(text) { return /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'" }

// key is a fresh Idempotency-Key; crypto.randomUUID is only there over https.
export function key() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
