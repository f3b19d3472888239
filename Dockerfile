# A static binary, the certificates of public authorities, and a folder for data: nothing else.
#
#   docker build -t verbless .
#   docker run -p 8080:8080 -v verbless:/data verbless serve --demo
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=dev
ARG COMMIT=unknown
RUN CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags "$(scripts/release flags "$VERSION" "$COMMIT")" -o /out/verbless ./cmd/verbless \
    && mkdir /out/data /out/tmp

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/verbless /verbless
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build --chown=65532:65532 /out/tmp /tmp
ENV VERBLESS_DATA=/data VERBLESS_ADDR=:8080
USER 65532:65532
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=6s --start-period=30s CMD ["/verbless", "health"]
ENTRYPOINT ["/verbless"]
CMD ["serve"]
