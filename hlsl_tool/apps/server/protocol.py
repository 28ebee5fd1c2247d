"""Address and messages of the compile server.

Every `hlsl2spirv` imports this module, so it imports next to nothing, not even `typing`.

A request is a header with the sizes of two parts: the fields and the arguments, each a list of byte strings that end
with NUL.  The server answers with one byte as soon as a worker accepts the request, then with a header, the two streams
and the contents of the output files: the client writes these files, so that nothing is written once it has ended.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32

from hlsl_tool import __version__
from hlsl_tool.base.system.user_folder import make_private, user_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

VARIABLE = "HLSL_TOOL_SERVER"
"""Environment variable: `no` turns the server off, `yes` starts it at the first call or build."""

CAN_SERVE = hasattr(os, "fork") and hasattr(os, "posix_spawn")
"""Whether servers can run here: Windows has neither, nor Unix sockets in Python."""

IN_THE_WAY = "HLSL_TOOL_SPIRV_TOOLS"
"""Environment variable for tests and measurements; a server reads it only when it starts."""

PASSED = (
    "PATH", "SPIRV_OPT", "SPIRV_VAL",
    "HLSL_TOOL_STORE", "HLSL_TOOL_STORE_SIZE", "HLSL_TOOL_STORE_READ_ONLY", "HLSL_TOOL_STORE_TEXTS", "XDG_CACHE_HOME",
)  # fmt: skip
"""Variables of the client's environment on which compilations and build commands of generated rules depend."""

STATUS = "\x01status"
STOP = "\x01stop"
BUILD = "\x01build"
"""Arguments of requests that are not command lines.

`BUILD` makes the connection that of a worker process of a build (`project.build.workers.worker.serve`); its variables
are the whole environment of the build.
"""

TAKEN = b"\x06"
SIZE = 8
"""Bytes of a size or status, unsigned and little-endian."""

STALE = 1 << 32
"""A status that no command has: the sources of the server changed, or the client belongs to another installation."""

MAX_REQUEST = 1 << 20
"""Bytes; a longer command line is run without the server."""


def runtime_folder() -> str:
    """Return the folder of sockets: the session's runtime folder if there is one, else the user's cache folder."""
    session = os.environ.get("XDG_RUNTIME_DIR")
    return os.path.join(session, "hlsl_tool") if session else user_folder()


def identity() -> str:
    """Return a text that must be equal for a client and its server.

    It covers the package's folder and version, its Python, the libraries that the system preloads, and the file systems
    that paths refer to: machine (a home may be shared), root and mount namespace.
    """
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    python = f"{os.path.dirname(sys.executable)}\n{sys.version}"  # `python` and `python3` are one
    files = "\n".join(map(_inode, ("/", "/proc/self/ns/mnt")))
    libraries = "\n".join(os.environ.get(name, "") for name in ("LD_LIBRARY_PATH", "LD_PRELOAD"))
    machine = os.uname().nodename if CAN_SERVE else ""
    return f"{package}\n{__version__}\n{python}\n{machine}\n{files}\n{libraries}"


def _inode(path: str) -> str:
    try:
        status = os.stat(path)
    except OSError:  # macOS has no /proc
        return ""
    return f"{status.st_dev}:{status.st_ino}"


def socket_path() -> str:
    """Return the path of the socket of this installation's server."""
    return os.path.join(runtime_folder(), f"server-{crc32(os.fsencode(identity())):08x}")


MAX_PATH = 103
"""Bytes of the path of a socket: the least that systems allow (macOS)."""


def why_impossible() -> str:
    """Return the reason why no server can run for this user, `""` if one can; creates the folder of sockets."""
    if not CAN_SERVE:
        return "this system has no Unix sockets, or cannot fork"
    folder = runtime_folder()
    if len(os.fsencode(socket_path())) > MAX_PATH:
        return f"the path of the socket is longer than {MAX_PATH} bytes: {socket_path()}"
    try:
        if not make_private(folder):
            return f"other users can reach the folder {folder}: its mode has to be 700"
    except OSError as error:
        return f"cannot make the folder {folder}: {error.strerror}"
    return "" if os.access(folder, os.W_OK) else f"the folder {folder} cannot be written"


def number(value: int) -> bytes:
    """Encode a size or exit status."""
    return value.to_bytes(SIZE, "little")


def answer(status: int, out: str = "", err: str = "", files: Mapping[str, bytes] | None = None) -> bytes:
    """Encode the answer to a command line; `files` maps names of output files to contents."""
    streams = [text.encode("utf-8", "surrogateescape") for text in (out, err)]
    names = list(files or ())
    contents = [files[name] for name in names] if files else []
    parts = [*streams, packed(names), b"".join(number(len(content)) for content in contents), *contents]
    return b"".join((number(status), *(number(len(part)) for part in parts[:4]), *parts))


def read_answer(read: Callable[[int], bytes]) -> tuple[int, str, str, dict[str, bytes]]:
    """Read the answer to a command line; return exit status, standard output, standard error and output files."""
    header = receive(read, 5 * SIZE)
    status, *sizes = (int.from_bytes(header[i : i + SIZE], "little") for i in range(0, len(header), SIZE))
    out, err, names, lengths = (receive(read, size) for size in sizes)
    files = {}
    for at, name in enumerate(unpacked(names)):
        files[name] = receive(read, int.from_bytes(lengths[at * SIZE : (at + 1) * SIZE], "little"))
    return status, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"), files


def packed(parts: Sequence[str]) -> bytes:
    """Encode a list of strings as one part of a request."""
    return b"".join(os.fsencode(part) + b"\0" for part in parts)


def unpacked(data: bytes) -> list[str]:
    """Decode a part of a request to a list of strings."""
    return [os.fsdecode(part) for part in data.split(b"\0")[:-1]]


def receive(read: Callable[[int], bytes], size: int) -> bytes:
    """Read exactly `size` bytes; raise `EOFError` if the other side closes the connection before that."""
    data = bytearray()
    while len(data) < size:
        part = read(min(size - len(data), 1 << 20))
        if not part:
            raise EOFError
        data += part
    return bytes(data)
