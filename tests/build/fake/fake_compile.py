"""A fake `compile_shader` that hashes tokens and options to words.  Some words in a source have an effect:

FAIL        an error on its line
WARN        a warning on its line
CRASH       the process ends
BUG         an exception
SLEEP       a third of a second passes
"""

from __future__ import annotations

import os
import time
from hashlib import blake2b

from hlsl_tool.base.diagnostics import Code, Sink
from hlsl_tool.base.options.compile_options import canonical_json
from hlsl_tool.compiler.preprocessing import preprocess_options, warning_options
from hlsl_tool.compiler.result import CompileResult
from hlsl_tool.frontend.preprocessor import preprocess

FAIL = Code("TEST001", "test-fail", "error", "a failure was asked for")
WARN = Code("TEST002", "test-warn", "warning", "a warning was asked for")


def compile_shader(source, *, entry="main", profile="", options=None, fs=None, memory=None, results=None, later=None):
    log = os.environ.get("FAKE_COMPILER_LOG")
    if log:
        with open(log, "a") as stream:
            macros = " ".join(f"{name}={value}" for name, value in options.defines)
            stream.write(f"{source.name}:{entry} {macros}".strip() + "\n")
    sink = Sink(warning_options(options))
    stream = preprocess(source, preprocess_options(options), fs=fs, memory=memory, sink=sink)
    for index, token in enumerate(stream.tokens):
        if token == "FAIL":
            sink.error(FAIL, stream.locate(index))
        elif token == "WARN":
            sink.warning(WARN, stream.locate(index))
        elif token == "CRASH":
            os._exit(7)
        elif token == "BUG":
            raise ValueError("a bug was asked for")
        elif token == "SLEEP":
            time.sleep(0.3)
    text = "\0".join([entry, profile, canonical_json(options), *stream.tokens])
    spirv = blake2b(text.encode(), digest_size=32).digest()
    return CompileResult(sink.ok, spirv if sink.ok else b"", stream.trace, sink.diagnostics)
