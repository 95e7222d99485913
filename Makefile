# Everything a person or a CI job does here. `make` alone lists the targets.
.DEFAULT_GOAL := help
.PHONY: help run demo test conformance bench lint format image lock clean
PY := .venv/bin/python

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

run: .venv/ready ## Console of a virtual board, with a real model and a real MCP server (FRESH=1 starts anew)
	@$(PY) -m tools.run $(if $(FRESH),--fresh)

demo: .venv/ready ## The tour as a script: prints its transcript
	@$(PY) -m tools.demo

test: .venv/ready ## The whole suite (PYTEST="-k name" picks, PORT=/dev/tty... takes a real board)
	@$(PY) -m pytest $(if $(PORT),--port $(PORT)) $(PYTEST)

conformance: .venv/ready ## The MCP client before the official suite (downloads it and Node, once)
	@$(PY) -m tools.conformance

bench: .venv/ready ## What the device's code costs, beside the usual way
	@$(PY) -m tools.bench $(BENCH)

lint: .venv/ready ## Style and layers of the source
	@$(PY) -m ruff check . && $(PY) -m ruff format --check .

format: .venv/ready ## Rewrite the source in the house style
	@$(PY) -m ruff check --fix . && $(PY) -m ruff format .

image: .venv/ready ## The flash image of the virtual board, in build/antos.bin
	@$(PY) -m tools.image --out build/antos.bin

lock: ## Renew requirements.lock from pyproject.toml (needs uv)
	uv pip compile pyproject.toml --universal --generate-hashes --no-emit-index-url \
	  --no-header --no-annotate --python-version 3.10 --quiet --output-file requirements.lock

clean: ## Forget what was built (.venv stays)
	rm -rf build

.venv/ready: requirements.lock tools/setup.sh
	@sh tools/setup.sh
