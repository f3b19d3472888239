# make prints what there is. Everything works without make too: each target is one short command.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

# How long make fuzz stays with each target, and how many cases make soak gives each property.
FUZZTIME ?= 20s
CASES ?= 10000

# Linters are run when go.mod names them as tools; their versions are kept there.
LINTERS ?= staticcheck govulncheck

.PHONY: help run test bench check release soak fuzz

help: ## This list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/\1|\2/' | while IFS='|' read -r target text; do printf 'make %-7s %s\n' "$$target" "$$text"; done

run: ## Start a server with sample data at http://127.0.0.1:8080
	go run ./cmd/verbless serve --demo

test: ## Run every test, over SQLite and PostgreSQL
	scripts/test

bench: ## Measure how fast it is
	go run ./bench

check: ## Look at the code without running it: gofmt, vet, floors, linters, the description of the API
	@unformatted=$$(find . -path ./.cache -prune -o -name '*.go' -exec gofmt -l {} +); \
	if [[ -n $$unformatted ]]; then printf 'gofmt would change:\n%s\n' "$$unformatted"; exit 1; fi
	go vet ./...
	cd interop && go vet ./...
	go test ./internal/floors
	go test ./docs ./contrib
	@if command -v npm >/dev/null; then scripts/tools; else echo "npm is not installed, so the description of the API is not linted"; fi
	go test ./tools -run Linters
	@for linter in $(LINTERS); do \
		if go tool -n "$$linter" >/dev/null 2>&1; then echo "go tool $$linter ./..."; go tool "$$linter" ./...; \
		else echo "skipped $$linter: go.mod does not name it as a tool"; fi; \
	done
	@if command -v shellcheck >/dev/null; then shellcheck scripts/* .ci/run; else echo "skipped shellcheck: it is not installed"; fi

release: ## Build for Linux, macOS and Windows into dist, with checksums (VERSION)
	scripts/release

soak: ## Run the slow tests: the same assertions, for longer
	VERBLESS_SOAK=1 RAPID_CHECKS=$(CASES) scripts/test -count=1 -timeout=3h

fuzz: ## Fuzz every parser, 20 seconds each (FUZZTIME)
	@{ grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' $(wildcard internal cmd) || true; } | \
	sed -E 's|^(.*)/[^/]*:[0-9]+:func (.*)|\1 \2|' | sort -u | \
	while read -r folder target; do \
		echo "fuzzing $$folder $$target"; \
		go test "./$$folder" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) </dev/null; \
	done
