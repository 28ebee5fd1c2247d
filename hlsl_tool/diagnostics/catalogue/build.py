"""HLSL09xx: messages of the build, about no line of a source."""

from __future__ import annotations

from hlsl_tool.diagnostics.model import Code

CANNOT_WRITE = Code("HLSL0901", "cannot-write", "error", "cannot write `{path}`: {reason}", group="build", doc="Check the permissions and the space on the disk.")
CANNOT_READ = Code("HLSL0902", "cannot-read", "error", "cannot read `{path}`: {reason}", group="build", doc="Check the permissions and the space on the disk.")
WORKER_DIED = Code(
    "HLSL0903", "worker-died", "error", "the compiler process ended before its time ({how})", group="build",
    doc="The interpreter crashed, or memory ran out; a new process builds the other shaders.",
)
WORKER_NOT_STARTED = Code(
    "HLSL0904", "worker-not-started", "error", "cannot start a compiler process: {reason}", group="build",
    doc="Check the limits of processes and memory, or build with `-j1`.",
)
NO_OUTPUT = Code("HLSL0905", "no-output", "error", "`{kind}` cannot be written for `{name}`: {reason}", group="build", doc="Remove the kind from `outputs`, or change the code that the message names.")
STORE_PROBLEM = Code(
    "HLSL0906", "store-problem", "warning", "the store `{place}`: {what}", group="build", of_environment=True,
    doc="A folder or server of results does not work. The build is correct without it, but slower.",
)
STORE_WRONG = Code(
    "HLSL0907", "store-wrong", "error",
    "the store's result of `{name}` is not what the compiler makes: other {what} (key {key}, found by {level})",
    group="build",
    doc="`--verify-cache` compiled a shader that the store had, and got another result. The entry has been removed. hlsl_tool is at fault, or another program has written to the store: please report it with the shader.",
)
TOOLCHAIN_CHANGED = Code(
    "HLSL0908", "toolchain-changed", "warning",
    "the compiler, spirv-opt or spirv-val is not what it was when the build began", group="build", of_environment=True,
    doc="SPIRV-Tools or hlsl_tool was replaced while a build or a watcher ran, or a worker has another version. The outputs are correct, but they are not stored, and the next build compiles them again. Start the watcher again.",
)
REMOTE_LOST = Code(
    "HLSL0909", "remote-lost", "warning", "`{address}` is not used any more: {reason}; this machine compiles",
    group="build", of_environment=True,
    doc="The scheduler that `executor` names cannot be reached, or stopped during the build. This machine compiles the remaining jobs, to the same bytes.",
)
REMOTE_REFUSED = Code(
    "HLSL0910", "remote-refused", "warning", "a worker of `{address}` is not used: {reason}", group="build",
    of_environment=True,
    doc="A worker needs the same hlsl_tool and the same SPIRV-Tools as the machine that builds, so that it gives the same bytes. This machine compiles its jobs.",
)
REMOTE_JOB = Code(
    "HLSL0911", "remote-job", "warning", "`{address}` did not get a shader done: {reason}; this machine compiles it",
    group="build", of_environment=True,
    doc="A job or its result was lost on the way to a worker or back. The others are still handed out; after several losses in a row the build stops using the scheduler.",
)
WORKER_HUNG = Code(
    "HLSL0912", "worker-hung", "error",
    "the compiler process gave no answer in {seconds} seconds and was ended", group="build",
    doc="The process was stopped, or the shader takes longer than `HLSL_TOOL_WORKER_TIMEOUT` (in seconds, 600 if it is not set; 0 for no limit). A new process builds the other shaders.",
)
