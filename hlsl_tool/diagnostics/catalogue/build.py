"""HLSL09xx: messages of the build, about no line of a source."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code

CANNOT_WRITE = Code("HLSL0901", "cannot-write", "error", "cannot write `{path}`: {reason}", group="build")
CANNOT_READ = Code("HLSL0902", "cannot-read", "error", "cannot read `{path}`: {reason}", group="build")
WORKER_DIED = Code(
    "HLSL0903", "worker-died", "error", "the compiler process ended before its time ({how})", group="build",
    doc="A crash of the interpreter or too little memory; the other shaders are built by a new process.",
)
WORKER_NOT_STARTED = Code(
    "HLSL0904", "worker-not-started", "error", "cannot start a compiler process: {reason}", group="build"
)
NO_OUTPUT = Code("HLSL0905", "no-output", "error", "`{kind}` cannot be written for `{name}`: {reason}", group="build")
STORE_PROBLEM = Code(
    "HLSL0906", "store-problem", "warning", "the store `{place}`: {what}", group="build", of_environment=True,
    doc="A folder or server of results cannot be used as it should be. The build is right without it, only slower.",
)
STORE_WRONG = Code(
    "HLSL0907", "store-wrong", "error",
    "the store's result of `{name}` is not what the compiler makes: other {what} (key {key}, found by {level})",
    group="build",
    doc="`--verify-cache` compiled a shader that the store had, and got something else. The key has been dropped. It is"
    " a bug of hlsl_tool, or of somebody who writes to the store: please report it with the shader.",
)
TOOLCHAIN_CHANGED = Code(
    "HLSL0908", "toolchain-changed", "warning",
    "the compiler, spirv-opt or spirv-val is not what it was when the build began", group="build", of_environment=True,
    doc="It was replaced while a build or a watcher ran, or a worker has another. What was built is right, but it is not"
    " stored, and built again next time. Start the watcher again.",
)
REMOTE_LOST = Code(
    "HLSL0909", "remote-lost", "warning", "`{address}` is not used any more: {reason}; this machine compiles",
    group="build", of_environment=True,
    doc="The scheduler that `executor` names cannot be reached, or has gone in the middle of a build. What its workers"
    " had not handed back is compiled here, to the same bytes.",
)
REMOTE_REFUSED = Code(
    "HLSL0910", "remote-refused", "warning", "a worker of `{address}` is not used: {reason}", group="build",
    of_environment=True,
    doc="A worker has to have the same hlsl_tool and the same SPIRV-Tools as the machine that builds, so that it makes"
    " the same bytes. What it was given is compiled here.",
)
REMOTE_JOB = Code(
    "HLSL0911", "remote-job", "warning", "`{address}` did not get a shader done: {reason}; this machine compiles it",
    group="build", of_environment=True,
    doc="Something went wrong on the way to a worker or back, for one shader. The others are still handed out; the"
    " scheduler is left when several in a row go wrong.",
)
WORKER_HUNG = Code(
    "HLSL0912", "worker-hung", "error",
    "the compiler process gave no answer in {seconds} seconds and was ended", group="build",
    doc="The process was stopped, or the shader takes longer than `HLSL_TOOL_WORKER_TIMEOUT` (in seconds, 600 if it is"
    " not set; 0 for no limit). The other shaders are built by a new process.",
)
