# What one can do here. `make demo` and `make test` are all a newcomer needs.
#
# Cargo's dev profile (opt-level 1) serves the demo, the daemon and the tests, so that each part
# is built once. Tools that are missing are installed below `.tools`, not into the system; the
# exceptions are seven of Debian's packages, which `make test` installs where it runs as root.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules --no-print-directory

NEXTEST_VERSION := 0.9.143
SCHEMATHESIS_VERSION := 4.32.5

# Half of the tests wait for other programs most of the time.
TEST_THREADS := $(shell expr $$(nproc) \* 3 / 2)
# How long the slices of the two endless tests take within `make test`.
SOAK_SECONDS := 30
FUZZ_SECONDS := 30

# The pinned Codex is first on the PATH; an npm package that is complete has this file.
CODEX := deploy/node_modules/.package-lock.json
# The programs of others that the tests run us beside: Claude Code, pm2, the MCP SDK.
PEERS := tests/peers/node_modules/.package-lock.json
# The older Codex CLIs that both rounds are run with.
CODEX_VERSIONS := tests/codex-versions/node_modules/.package-lock.json
# What drives a browser through the window's pages, and the pages with demo data.
WINDOW_TESTS := tests/window/node_modules/.package-lock.json
WINDOW_PAGES = $(dir $(SKIPPED))window-pages
# The newest Codex of the registry, where that is none of these.
NEWEST := .tools/codex-newest
# Tests that could not run here say so in the one file, and what is not ours to mend in the other.
SKIPPED := $(or $(CARGO_TARGET_DIR),$(CURDIR)/target)/skipped-tests.txt
WARNINGS := $(dir $(SKIPPED))test-warnings.txt
YOUR_PATH := $(PATH)
export PATH := $(CURDIR)/deploy/node_modules/.bin:$(CURDIR)/.tools/bin:$(PATH)

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: $(CODEX) ## Two rounds through the real Codex and a scripted model; LIVE=1: your own sign-in; WINDOW=1: its pages
	@cargo run --quiet --locked --package codex-bridge -- demo $(if $(LIVE),--live) $(if $(WINDOW),--window)

.PHONY: demo-xc
demo-xc: ## xc on a small project with a scripted model: Rust alone, no account
	@cargo run --quiet --locked --package xc -- demo

.PHONY: serve
serve: $(CODEX) ## Run the daemon in the foreground with your own sign-in
	@cargo run --quiet --locked --package codex-bridge -- serve

.PHONY: test
test: nextest ## Run all tests, and slices of soak and fuzz-api; installs what they need
	@mkdir -p $(dir $(SKIPPED)) && rm -f $(SKIPPED) $(WARNINGS)
	@$(MAKE) --jobs 2 tests-built installed
	SKIPPED_TESTS=$(SKIPPED) TEST_WARNINGS=$(WARNINGS) cargo nextest run --workspace --exclude bench --locked \
	    --test-threads $(TEST_THREADS)
	@$(BUILT)/requirements-ran docs/REQUIREMENTS.md $(or $(CARGO_TARGET_DIR),target)/nextest/default/junit.xml
	@$(MAKE) test-app-server
	@$(MAKE) soak SOAK="--faults 0 --seconds $(SOAK_SECONDS)"
	@$(MAKE) --jobs 2 --output-sync=target fuzz-api test-window FUZZ="--max-time $(FUZZ_SECONDS)"
	@if [ -s $(WARNINGS) ]; then echo "Warnings:"; sort $(WARNINGS) | sed 's/^/  /'; fi
	@if [ -s $(SKIPPED) ]; then echo "Skipped, and why:"; sort $(SKIPPED) | sed 's/^/  /'; \
	    else echo "No test was skipped."; fi

.PHONY: tests-built
tests-built:
	cargo nextest run --workspace --exclude bench --locked --no-run

# Mostly waits for the network, while the tests are built.
.PHONY: installed
installed: $(CODEX) $(CODEX_VERSIONS) $(PEERS) $(WINDOW_TESTS) debian python codex-newest browser

# What a caller of /analyze is promised, with the other driver: every test with the real Codex, and the faults
# with the stand-in, but for a thread of another id, which it cannot play. The rest does not depend on the driver.
BY_APP_SERVER := (test(real_codex) + binary(faults)) - (test(real_codex_proof) + test(a_lost_thread_is_begun_anew))
.PHONY: test-app-server
test-app-server: $(CODEX) nextest ## The tests of /analyze with codex.driver = app-server
	SKIPPED_TESTS=$(SKIPPED) TEST_WARNINGS=$(WARNINGS) CODEX_DRIVER_UNDER_TEST=app-server \
	    cargo nextest run --workspace --exclude bench --locked --test-threads $(TEST_THREADS) \
	    --test service --test faults --test security --test codex_advisor -E '$(BY_APP_SERVER)'

.PHONY: soak
soak: built ## Provoke at least 1,000 random faults; SOAK="--faults N --seconds N --seed N"
	@$(BUILT)/soak $(SOAK)

.PHONY: fuzz-api
fuzz-api: built ## Schemathesis against the live daemon; FUZZ="--max-time N ..." (needs Python)
	@if [ -x $(SCHEMATHESIS) ] || $(MAKE) schemathesis; \
	    then $(BUILT)/fuzz-api --schemathesis $(CURDIR)/$(SCHEMATHESIS) -- $(FUZZ); \
	    elif [ -n "$${CI:-}" ]; then echo "fuzz-api needs Python 3.10 with venv, and PyPI" >&2; exit 1; \
	    else echo "fuzz-api: needs Python 3.10 with venv, and PyPI" >> $(SKIPPED); fi

# A browser of the distribution, by itself because not each distribution has it.
FIND_BROWSER := command -v chromium || command -v google-chrome
INSTALL_BROWSER := DEBIAN_FRONTEND=noninteractive timeout 300 \
    apt-get install --yes --no-install-recommends chromium

.PHONY: browser
browser:
	@{ $(FIND_BROWSER); } >/dev/null || { \
	    [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    { $(INSTALL_BROWSER) || { timeout 120 apt-get update && $(INSTALL_BROWSER); }; } >/dev/null 2>&1; \
	} || echo "not installed: chromium; the window's pages are not tested in a browser"

.PHONY: test-window
test-window: $(WINDOW_TESTS) browser ## Every page of the window in a real browser (needs Chromium)
	@if browser=$$($(FIND_BROWSER)); then $(MAKE) built && $(BUILT)/examples/pages $(WINDOW_PAGES) && \
	    DEMO_PAGES=$(abspath $(WINDOW_PAGES)) BRIDGE=$(abspath $(BUILT))/codex-bridge CHROMIUM=$$browser \
	    node --test --test-reporter=spec tests/window/; \
	    else echo "test-window: SKIPPED, needs chromium (apt-get install chromium)" | tee -a $(SKIPPED) >&2; fi

# What the measuring code itself promises, before it measures.
.PHONY: bench-tests
bench-tests:
	@cargo test --release --locked --quiet --package bench --lib

.PHONY: bench
bench: $(CODEX) bench-tests ## Measure what docs/BENCHMARKS.md tells; BENCH="--only PART,... --samples N"
	@cargo build --release --locked --quiet --package bench --package tests --bin bench --bin fake-codex --bin neighbour
	@cargo build --profile lto --locked --quiet --package tests --bin bridge-under-test
	@ln -f $(dir $(BUILT))lto/bridge-under-test $(dir $(BUILT))release/ # as it is installed
	@$(dir $(BUILT))release/bench $(BENCH)

AIDER_VERSION := 0.86.2
CODEGRAPH_VERSION := 1.6.1
LIZARD_VERSION := 1.24.3
ANALYSIS_VERSION := 0.0.25

.PHONY: bench-code-intel
bench-code-intel: code-intel-peers bench-tests ## Score the engine beside its peers; DATA=FOLDER REPOS=FILE CODE_INTEL="--only ci --limit N ..."
	@cargo build --release --locked --quiet --package code-intel --package orchestrator --package bench \
	    --bin ci --bin auto-tool-orchestrator --bin bench-code-intel
	@$(dir $(BUILT))release/bench-code-intel $(if $(DATA),--data $(DATA)) $(if $(REPOS),--repos $(REPOS)) $(CODE_INTEL)

# Peers that cannot be installed are left out of the tables, and said to be.
.PHONY: code-intel-peers
code-intel-peers:
	@[ -x .tools/aider/bin/aider ] || { python3 -m venv .tools/aider && \
	    .tools/aider/bin/pip install --quiet --disable-pip-version-check \
	    aider-chat==$(AIDER_VERSION) lizard==$(LIZARD_VERSION); } || echo "SKIPPED: aider, lizard: not installed" >&2
	@[ -x .tools/codegraph/node_modules/.bin/codegraph ] || npm install --silent --no-audit --no-fund \
	    --prefix .tools/codegraph @colbymchenry/codegraph@$(CODEGRAPH_VERSION) || \
	    echo "SKIPPED: codegraph: not installed" >&2
	@$(if $(findstring --complexity,$(CODE_INTEL)),[ -x .tools/bin/rust-code-analysis-cli ] || cargo install --quiet --locked \
	    --root .tools rust-code-analysis-cli@$(ANALYSIS_VERSION) || echo "SKIPPED: rust-code-analysis: not installed" >&2,:)

# The repository that the hook is measured on; any large one will do.
TREE ?= $(CURDIR)

.PHONY: bench-hook
bench-hook: code-intel-peers bench-tests ## Time the hook before a prompt beside its peers; TREE=FOLDER HOOK="--rounds N ..."
	@cargo build --profile client --locked --quiet --package codex-auto --bin context-inject
	@cargo build --release --locked --quiet --package orchestrator --package bench \
	    --bin auto-tool-orchestrator --bin bench-hook
	@$(dir $(BUILT))release/bench-hook --tree $(TREE) $(HOOK)

SAFETY_NET_VERSION := 2.4.5

.PHONY: bench-court
bench-court: bench-tests ## Time the court's hook beside its peers; HOOK="--rounds N"
	@[ -x .tools/cc-safety-net/node_modules/.bin/cc-safety-net ] || npm install --silent --no-audit --no-fund \
	    --prefix .tools/cc-safety-net cc-safety-net@$(SAFETY_NET_VERSION) || \
	    echo "SKIPPED: cc-safety-net: not installed" >&2
	@cargo build --profile client --locked --quiet --package court
	@cargo build --release --locked --quiet --package bench --bin bench-hook
	@$(dir $(BUILT))release/bench-hook --tree . --court $(dir $(BUILT))client/court $(HOOK)

.PHONY: bench-xc
bench-xc: $(CODEX) bench-tests ## Time xc from outside, beside its peers; XC="--rounds N"
	@cargo build --profile lto --locked --quiet --package xc --bin xc
	@cargo build --release --locked --quiet --package bench --bin bench-xc
	@$(dir $(BUILT))release/bench-xc --xc $(dir $(BUILT))lto/xc $(XC)

PREFIX ?= $(HOME)/.local

.PHONY: install
install: ## Build and install; PREFIX=~/.local, INSTALL="--user --plugin" (deploy/install.sh --help)
	@PATH="$(YOUR_PATH)" deploy/install.sh --prefix "$(PREFIX)" --yes $(INSTALL)

.PHONY: uninstall
uninstall: ## Remove what `make install` installed; PREFIX=~/.local
	@PATH="$(YOUR_PATH)" deploy/install.sh --prefix "$(PREFIX)" --yes --uninstall $(INSTALL)

.PHONY: dist
dist: ## Make the archive and the Debian package of a release; DIST="--profile dev --output DIR ..."
	@PATH="$(YOUR_PATH)" deploy/dist.sh $(DIST)

DCG_VERSION := 0.16.0
NAH_SOURCE ?= --git https://github.com/manuelschipper/nah --tag v1.3.1
# A newer toolchain than ours, where a peer asks for one: PEER_CARGO="cargo +nightly".
PEER_CARGO ?= cargo

.PHONY: bench-gate
bench-gate: gate-peers ## Time the gate's judgements, and score it beside its peers; GATE="FILE..."
	cargo bench --locked --package gate --bench judge
	@cargo build --release --locked --quiet --package gate --example gate-peers
	@$(dir $(BUILT))release/examples/gate-peers \
	    "dcg $(DCG_VERSION)=$(CURDIR)/.tools/bin/dcg" \
	    "nah=$(CURDIR)/.tools/bin/nah hook claude run" \
	    "cc-safety-net $(SAFETY_NET_VERSION)=$(CURDIR)/.tools/cc-safety-net/node_modules/.bin/cc-safety-net hook --claude-code" \
	    -- $(if $(GATE),$(GATE),skill/court/gate/corpus/attacks.jsonl skill/court/gate/corpus/benign.jsonl \
	    skill/court/gate/corpus/rounds/round-6.jsonl)

# Peers that cannot be installed are left out of the table, and said to be.
.PHONY: gate-peers
gate-peers:
	@[ -x .tools/cc-safety-net/node_modules/.bin/cc-safety-net ] || npm install --silent --no-audit --no-fund \
	    --prefix .tools/cc-safety-net cc-safety-net@$(SAFETY_NET_VERSION) || \
	    echo "SKIPPED: cc-safety-net: not installed" >&2
	@[ -x .tools/bin/dcg ] || $(PEER_CARGO) install --quiet --locked --root .tools \
	    destructive_command_guard@$(DCG_VERSION) || echo "SKIPPED: dcg: not installed" >&2
	@[ -x .tools/bin/nah ] || $(PEER_CARGO) install --quiet --locked --root .tools $(NAH_SOURCE) nah-cli || \
	    echo "SKIPPED: nah: not installed" >&2

.PHONY: lint
lint: ## Formatting, lints and documentation, warnings denied
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings
	RUSTDOCFLAGS="--deny warnings --allow rustdoc::private_intra_doc_links" \
	    cargo doc --workspace --no-deps --document-private-items --locked --quiet

.PHONY: ci
ci: ## What CI runs: lint and test, with nothing skipped
	@.ci/run

.PHONY: hooks
hooks: ## Format and lint what is staged before each commit (git config core.hooksPath)
	@git config core.hooksPath .githooks

.PHONY: fmt
fmt: ## Format the code
	cargo fmt --all

.PHONY: audit
audit: ## Known vulnerabilities, licences, banned crates (with cargo-deny, cargo-audit if installed)
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --locked check; \
	    else echo "cargo-deny is not installed: skipped (cargo install --locked cargo-deny)"; fi
	@if cargo audit --version >/dev/null 2>&1; then cargo audit; \
	    else echo "cargo-audit is not installed: skipped (cargo install --locked cargo-audit)"; fi

$(CODEX): deploy/package.json deploy/package-lock.json
	@command -v npm >/dev/null || { echo "npm is needed to install Codex: https://nodejs.org" >&2; exit 1; }
	npm ci --prefix deploy
	@touch $@

$(PEERS): tests/peers/package.json tests/peers/package-lock.json
	@command -v npm >/dev/null || { echo "npm is needed for the tests: https://nodejs.org" >&2; exit 1; }
	npm ci --prefix tests/peers
	@touch $@

$(WINDOW_TESTS): tests/window/package.json tests/window/package-lock.json
	@command -v npm >/dev/null || { echo "npm is needed for the tests: https://nodejs.org" >&2; exit 1; }
	npm ci --prefix tests/window
	@touch $@

$(CODEX_VERSIONS): tests/codex-versions/package.json tests/codex-versions/package-lock.json
	@command -v npm >/dev/null || { echo "npm is needed for the tests: https://nodejs.org" >&2; exit 1; }
	npm ci --prefix tests/codex-versions
	@touch $@

# Never fails: a registry that does not answer, and a Codex that cannot be installed, are warnings of a test.
.PHONY: codex-newest
codex-newest:
	@mkdir -p $(NEWEST) && { newest=$$(cd $(NEWEST) && timeout 60 npm view @openai/codex version 2>/dev/null) || newest=; \
	    echo "$$newest" > $(NEWEST)/version; \
	    [ -z "$$newest" ] || grep -q "\"$$newest\"" deploy/package.json || \
	    [ "$$(cat $(NEWEST)/installed 2>/dev/null)" = "$$newest" ] || \
	    { rm -rf $(NEWEST)/node_modules; timeout 300 npm install --silent --no-audit --no-fund --no-save \
	    --prefix $(NEWEST) "@openai/codex@$$newest" >/dev/null 2>&1 && echo "$$newest" > $(NEWEST)/installed || true; }; }

# The same units as `make test` runs, so that nothing is built twice.
BUILT := $(or $(CARGO_TARGET_DIR),target)/debug

.PHONY: built
built:
	@cargo test --workspace --exclude bench --locked --no-run --quiet

SCHEMATHESIS := .tools/venv/bin/schemathesis

.PHONY: schemathesis
schemathesis:
	@python3 -m venv .tools/venv
	@.tools/venv/bin/pip install --quiet --disable-pip-version-check \
	    schemathesis==$(SCHEMATHESIS_VERSION)

# It brings pytest along, whose run in xc's sandbox is a test.
.PHONY: python
python:
	@[ -x $(SCHEMATHESIS) ] || $(MAKE) schemathesis || \
	    echo "not installed: schemathesis and pytest (they need Python 3.10 with venv, and PyPI)"

.PHONY: nextest
nextest:
	@cargo nextest --version >/dev/null 2>&1 || \
	    cargo install --locked --root .tools --version $(NEXTEST_VERSION) cargo-nextest

# What the tests take from Debian: a systemd to boot, a terminal, a clock that jumps, a check of the
# scripts. Installed where this runs as root; elsewhere the tests that need it are skipped and listed,
# and under CI they fail.
DEBIAN := systemd-container tmux libfaketime shellcheck strace logrotate
HAVE_DEBIAN := (PATH=$$PATH:/usr/sbin; for program in systemd-nspawn tmux shellcheck strace logrotate; do \
    command -v $$program >/dev/null || exit 1; done) && \
    ls /usr/lib/*/faketime/libfaketime.so.1 >/dev/null 2>&1
APT_INSTALL := DEBIAN_FRONTEND=noninteractive timeout 180 \
    apt-get install --yes --no-install-recommends $(DEBIAN)

.PHONY: debian
debian:
	@{ $(HAVE_DEBIAN); } || { \
	    [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	    { $(APT_INSTALL) || { timeout 120 apt-get update && $(APT_INSTALL); }; } >/dev/null 2>&1; \
	} || echo "not installed: $(DEBIAN); some tests are skipped (apt-get install $(DEBIAN))"
