"""HLSL09xx, HLSL175x (imports of lists) and HLSL196x (reproductions): messages that concern no line of a source."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code

CANNOT_WRITE = Code("HLSL0901", "cannot-write", "error", "cannot write `{path}`: {reason}", group="build", doc="Check the permissions and the space on the disk.")
OUTPUT_FOLDER = Code(
    "HLSL0915", "output-folder", "error", "nothing can be written to `{place}`: {reason}", group="build",
    doc="The build ends, since no shader could be written. Change the permissions of the output folder, or choose another `output_dir`.",
)
DISK_FULL = Code(
    "HLSL0914", "disk-full", "error", "the disk is full: {free} are free in `{place}`", group="build",
    doc="The build ends, since no further shader could be written. Earlier outputs are as they were. Free some space, or choose another `output_dir`.",
)
CANNOT_READ = Code("HLSL0902", "cannot-read", "error", "cannot read `{path}`: {reason}", group="build", doc="Check the permissions and the space on the disk.")
WORKER_DIED = Code(
    "HLSL0903", "worker-died", "error", "the compiler process ended unexpectedly ({how})", group="build",
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
    "HLSL0911", "remote-job", "warning", "`{address}` failed to compile a shader: {reason}; this machine compiles it",
    group="build", of_environment=True,
    doc="A job or its result was lost on the way to a worker or back. The others are still handed out; after several losses in a row the build stops using the scheduler.",
)
WORKER_HUNG = Code(
    "HLSL0912", "worker-hung", "error",
    "the compiler process gave no answer in {seconds} seconds and was ended", group="build",
    doc="The process was stopped, or the shader takes longer than `HLSL_TOOL_WORKER_TIMEOUT` (in seconds, 600 if it is not set; 0 for no limit). A new process builds the other shaders.",
)
SHARED_FILE = Code(
    "HLSL0913", "shared-output", "error", "`{first}` and `{second}` name one file", group="build",
    doc="The output would overwrite another one, or its input.  Links and spellings such as `./x` count as the file that they lead to.",
)

BAD_REPRO = Code(
    "HLSL1960", "bad-repro", "error", "`{path}` is no archive of `hlsl_tool repro`: {reason}", group="build",
    doc="The file is damaged, incomplete, or of another program. Make it again with `hlsl_tool repro`, and transfer it as a binary file.",
)
REPRO_VERSION = Code(
    "HLSL1961", "repro-version", "error", "`{path}` has the archive format {version}; this hlsl_tool reads format {ours}", group="build",
    doc="The archive was made by another version of hlsl_tool. Run it with that version, which `repro.json` in the archive names.",
)
REPRO_TOOLS = Code(
    "HLSL1962", "repro-tools", "warning", "the archive was made with other tools: {difference}", group="build", of_environment=True,
    doc="The result may differ from that on the machine where the archive was made. Install the versions that the message names to get the same bytes.",
)
REPRO_LACKS = Code(
    "HLSL1963", "repro-lacks", "warning", "the archive has no record of `{file}`", group="build", of_environment=True,
    doc="The compilation looked for a file that the recorded one did not look for, because another version of hlsl_tool runs or a file in the archive was edited. The file counts as missing.",
)
REPRO_OPTION = Code(
    "HLSL1964", "repro-option", "error", "`--repro` takes only options for outputs and messages: the archive has those of the compilation", group="build",
    doc="Leave out the options of the compilation. To try others, change `options` in `repro.json`, or unpack the archive and compile its source.",
)


def _list_error(number: int, name: str, template: str, doc: str) -> Code:
    return Code(f"HLSL{number}", name, "error", template, group="import", doc=doc)


LIST_UNREADABLE = _list_error(1750, "list-unreadable", "cannot read `{name}`: {reason}", "Check the name and the permissions of the file. Lists are UTF-8 text.")
LIST_SYNTAX = _list_error(1751, "list-syntax", "{problem}", "The line is not what the tool that reads such lists would take. Correct it, or leave it out.")
LIST_OPTION = _list_error(1752, "list-option", "{problem}", "The options of a command are not what DXC takes; the message is DXC's. Correct the command, or leave it out.")
LIST_VARIABLE = _list_error(
    1753, "list-variable", "`{text}` stands for something that the list does not have",
    "The line is a script's. Run the script so that it prints its commands (`set -x`, `echo on`, `ninja -v`), and import what it prints.",
)
LIST_EMPTY = _list_error(1754, "list-empty", "no command compiles a shader", "Commands have the program dxc or hlsl2spirv, or begin with an option, and have `-T`.")
LIST_LEFT_OUT = Code(
    "HLSL1755", "list-left-out", "warning", "`{what}` is left out: {reason}", group="import",
    doc="The configuration has no counterpart. Nothing is to be done if SPIR-V needs none.",
)
