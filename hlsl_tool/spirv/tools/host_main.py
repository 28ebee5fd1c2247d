"""The host process, in which SPIRV-Tools runs as a library: `python -I -S host_main.py LIBRARY LIFELINE MEMORY`.

It answers one request after the other (`spirv.tools.host`) and ends with its parent: a thread reads the pipe
`LIFELINE`, which only the parent has open. A crash of the library ends only this process.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import threading
from collections.abc import Callable

REQUEST = struct.Struct("<II")
"""Sizes in bytes: of the arguments, separated by NUL, and of the module."""

ANSWER = struct.Struct("<iII")
"""Exit status (`NOT_UNDERSTOOD`: run the program), sizes in bytes of the output and of the messages."""

NOT_UNDERSTOOD = -1
MAX_GROWTH = 1 << 30
"""Bytes; a process whose peak has grown by more ends after its answer, and another one takes its place."""

_MAX_ID_BOUND = 8
"""`spv_validator_limit_max_id_bound`."""

_Consumer = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_size_t), ctypes.c_char_p)


class _Binary(ctypes.Structure):
    """`spv_binary_t`, also laid out as `spv_const_binary_t`."""

    _fields_ = (("code", ctypes.c_void_p), ("words", ctypes.c_size_t))


class _Diagnostic(ctypes.Structure):
    """`spv_diagnostic_t`."""

    _fields_ = (
        ("line", ctypes.c_size_t),
        ("column", ctypes.c_size_t),
        ("index", ctypes.c_size_t),
        ("error", ctypes.c_char_p),
        ("is_text", ctypes.c_bool),
    )


class NotUnderstood(Exception):
    """Raised for an argument that only the program understands."""


class Library:
    """The C interface of SPIRV-Tools, used as the programs `spirv-opt` and `spirv-val` use the C++ interface."""

    def __init__(self, path: str) -> None:
        self.api = ctypes.CDLL(path)
        for name in (
            "spvOptimizerCreate",
            "spvOptimizerOptionsCreate",
            "spvContextCreate",
            "spvValidatorOptionsCreate",
        ):
            getattr(self.api, name).restype = ctypes.c_void_p
        self.api.spvOptimizerRegisterPassFromFlag.restype = ctypes.c_bool
        self.api.spvParseTargetEnv.restype = ctypes.c_bool

    def environment(self, name: str) -> ctypes.c_int:
        """Return SPIRV-Tools' number for a target environment."""
        number = ctypes.c_int()
        if not self.api.spvParseTargetEnv(name.encode(), ctypes.byref(number)):
            raise NotUnderstood(name)
        return number

    def optimize(self, arguments: list[str], module: bytes) -> tuple[int, bytes, str]:
        """Run the passes of a `spirv-opt` command line on a module; return (exit status, new module, messages)."""
        passes, environment, max_id, preserves = _optimizer_arguments(arguments)
        messages: list[str] = []
        consumer = _Consumer(_appender(messages))
        optimizer = ctypes.c_void_p(self.api.spvOptimizerCreate(self.environment(environment)))
        options = ctypes.c_void_p(self.api.spvOptimizerOptionsCreate())
        binary = ctypes.POINTER(_Binary)()
        try:
            self.api.spvOptimizerSetMessageConsumer(optimizer, consumer)
            self.api.spvOptimizerOptionsSetRunValidator(options, ctypes.c_bool(False))
            self.api.spvOptimizerOptionsSetPreserveBindings(options, ctypes.c_bool(preserves))
            if max_id:
                self.api.spvOptimizerOptionsSetMaxIdBound(options, ctypes.c_uint32(max_id))
            for flag in passes:
                if not self.api.spvOptimizerRegisterPassFromFlag(optimizer, flag.encode()):
                    raise NotUnderstood(flag)
            count = ctypes.c_size_t(len(module) // 4)
            status = self.api.spvOptimizerRun(optimizer, module, count, ctypes.byref(binary), options)
            if status or not binary:
                return 1, b"", "".join(messages)
            output = ctypes.string_at(binary.contents.code, binary.contents.words * 4)
            return 0, output, "".join(messages)
        finally:
            self.api.spvBinaryDestroy(binary)
            self.api.spvOptimizerOptionsDestroy(options)
            self.api.spvOptimizerDestroy(optimizer)

    def validate(self, arguments: list[str], module: bytes) -> tuple[int, bytes, str]:
        """Validate a module like a `spirv-val` command line; return (exit status, empty output, messages)."""
        options = ctypes.c_void_p(self.api.spvValidatorOptionsCreate())
        context = None
        diagnostic = ctypes.POINTER(_Diagnostic)()
        try:
            context = ctypes.c_void_p(self.api.spvContextCreate(self._set_validator_options(options, arguments)))
            words = ctypes.create_string_buffer(module, len(module))
            binary = _Binary(ctypes.addressof(words), len(module) // 4)
            status = self.api.spvValidateWithOptions(context, options, ctypes.byref(binary), ctypes.byref(diagnostic))
            if not status:
                return 0, b"", ""
            if not diagnostic:
                return 1, b"", ""
            text = (diagnostic.contents.error or b"").decode("utf-8", "replace")
            return 1, b"", f"error: line {diagnostic.contents.index}: {text}\n"
        finally:
            self.api.spvDiagnosticDestroy(diagnostic)
            if context is not None:
                self.api.spvContextDestroy(context)
            self.api.spvValidatorOptionsDestroy(options)

    def _set_validator_options(self, options: ctypes.c_void_p, arguments: list[str]) -> ctypes.c_int:
        switches = {
            "--relax-block-layout": self.api.spvValidatorOptionsSetRelaxBlockLayout,
            "--scalar-block-layout": self.api.spvValidatorOptionsSetScalarBlockLayout,
            "--allow-offset-texture-operand": self.api.spvValidatorOptionsSetAllowOffsetTextureOperand,
            "--before-hlsl-legalization": self.api.spvValidatorOptionsSetBeforeHlslLegalization,
        }
        environment = ""
        rest = iter(arguments)
        for argument in rest:
            if argument == "--target-env":
                environment = next(rest, "")
            elif argument == "--max-id-bound":
                limit = ctypes.c_uint32(int(next(rest, "0")))
                self.api.spvValidatorOptionsSetUniversalLimit(options, _MAX_ID_BOUND, limit)
            elif argument in switches:
                switches[argument](options, ctypes.c_bool(True))
            else:
                raise NotUnderstood(argument)
        return self.environment(environment)


def _optimizer_arguments(arguments: list[str]) -> tuple[list[str], str, int, bool]:
    """Split a command line into (pass flags, target environment, id bound or 0, are bindings preserved)."""
    passes: list[str] = []
    environment, max_id, preserves = "", 0, False
    if arguments[-3:] != ["-", "-o", "-"]:
        raise NotUnderstood(arguments[-1] if arguments else "")
    for argument in arguments[:-3]:
        name, _, value = argument.partition("=")
        if name == "--target-env":
            environment = value
        elif name == "--max-id-bound":
            max_id = int(value)
        elif argument == "--preserve-bindings":
            preserves = True
        elif argument == "--print-all":
            raise NotUnderstood(argument)
        elif argument != "--skip-validation":
            passes.append(argument)
    return passes, environment, max_id, preserves


def _appender(messages: list[str]) -> Callable[..., None]:
    """Return a message callback that appends messages, in the programs' format, to a list."""
    words = {0: "error", 1: "error", 2: "error", 3: "warning", 4: "info"}

    def append(level: int, _source: bytes, position: ctypes._Pointer[ctypes.c_size_t], text: bytes) -> None:
        if level in words:
            messages.append(f"{words[level]}: line {position[2]}: {text.decode('utf-8', 'replace')}\n")

    return append


def answer(library: Library, arguments: list[str], module: bytes) -> tuple[int, bytes, str]:
    """Run `arguments[0]` with the other arguments on a module; return (exit status, output, messages)."""
    try:
        run = {"spirv-opt": library.optimize, "spirv-val": library.validate}[arguments[0]]
        return run(arguments[1:], module)
    except NotUnderstood as argument:
        return NOT_UNDERSTOOD, b"", str(argument)


def _read(size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return bytes(data)


def _follow(lifeline: int) -> None:
    os.read(lifeline, 1)
    os._exit(0)


def serve(library: Library, lifeline: int, memory: int) -> None:
    """Answer requests from standard input until it is closed.

    ``lifeline`` is the descriptor of the pipe that only the parent has open, ``memory`` the limit in bytes.
    """
    threading.Thread(target=_follow, args=(lifeline,), daemon=True).start()
    import resource  # not on Windows, where this module is imported for its constants

    ours = resource.getrlimit(resource.RLIMIT_AS)[1]
    if ours != resource.RLIM_INFINITY:
        memory = min(memory, ours)  # a stricter limit of the whole build holds; only root could raise it
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unit = 1 if sys.platform == "darwin" else 1024
    inherited = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # Linux starts from the peak of the parent
    while True:
        size, length = REQUEST.unpack(_read(REQUEST.size))
        arguments = _read(size).decode().split("\0")
        status, output, text = answer(library, arguments, _read(length))
        messages = text.encode()
        data = memoryview(ANSWER.pack(status, len(output), len(messages)) + output + messages)
        while data:
            data = data[os.write(1, data) :]
        if (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - inherited) * unit > MAX_GROWTH:
            os._exit(0)


if __name__ == "__main__":
    serve(Library(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
