"""CFG8xx: messages about YAML configurations."""

from __future__ import annotations

from hlsl_tool.base.diagnostics.diagnostic import Code


def _error(number: int, name: str, template: str, doc: str = "") -> Code:
    return Code(f"CFG{number}", name, "error", template, group="config", doc=doc)


UNREADABLE = _error(801, "config-unreadable", "cannot read `{name}`: {reason}", doc="Check the name and the permissions of the file.")
SYNTAX = _error(802, "config-syntax", "not YAML: {problem}", doc="Correct the YAML at the place; the usual causes are a missing colon, a missing quote and tabs.")
TOO_DEEP = _error(803, "config-nesting", "nested more than {limit} deep", doc="Write the configuration flatter.")
DUPLICATE_KEY = _error(
    804, "config-duplicate-key", "`{key}` is given twice",
    "Plain YAML readers keep the last of two equal keys in silence; here it is an error.",
)
UNKNOWN_KEY = _error(805, "config-unknown-key", "unknown key `{key}` in {where}", doc="Check the spelling; docs/reference/config.md lists all keys.")
MISPLACED_KEY = _error(806, "config-misplaced-key", "`{key}` has no place in {where}", doc="Move the key to a level that takes it; docs/reference/config.md names the levels.")
WRONG_TYPE = _error(807, "config-type", "`{key}` wants {wanted}, got {got}", doc="Write a value that the message allows.")
BAD_CHOICE = _error(808, "config-choice", "`{key}` cannot be `{value}`; it is one of {choices}", doc="Write a value that the message allows.")
AMBIGUOUS = _error(
    809, "config-ambiguous-scalar", "`{text}` means {meaning} to YAML 1.1 readers; put it in quotes if it is text",
    "YAML 1.1 reads 6_0 as sixty, `on` and `yes` as true and 1:30 as ninety.  Such scalars are refused where text is"
    " wanted, so that no other program reads the file differently.",
)
OUT_OF_RANGE = _error(810, "config-range", "`{key}` is {value}, but must be from {low} to {high}", doc="Write a value that the message allows.")
MISSING_KEY = _error(811, "config-missing-key", "{where} lacks `{key}`", doc="Add the key.")
NO_SOURCES = _error(812, "config-no-source", "no file matches `{pattern}` in `{folder}`", doc="Check the path: sources count from `source_dir`.")
MISSING_SOURCE = _error(813, "config-missing-source", "no such file: `{path}`", doc="Check the path: sources count from `source_dir`.")
BAD_PROFILE = _error(814, "config-profile", "no such profile: `{profile}`", doc="Use a profile such as `vs_6_0`, `ps_6_0`, `cs_6_0` or `lib_6_3`.")
UNKNOWN_AXIS = _error(815, "config-exclude-macro", "`{macro}` is no permutation macro here", doc="Name a macro whose `defines` is a list.")
UNKNOWN_VALUE = _error(816, "config-exclude-value", "`{macro}` is never `{value}` here", doc="Use one of the values of the macro, written alike.")
ALL_EXCLUDED = _error(817, "config-all-excluded", "`exclude` leaves no permutation of `{name}`", doc="Remove an item of `exclude`.")
TOO_MANY = _error(
    818, "config-permutations", "`{name}` has {count} permutations, more than {limit} (see `max_permutations`)",
    doc="Raise `max_permutations`, or remove values of macros.",
)
SAME_OUTPUT = _error(819, "config-same-output", "`{path}` would be written twice", doc="Give one of the two a `name`.")
SAME_OUTPUT_NOTE = Code("CFG820", "config-first-output", "note", "written here first", group="config", doc="The note shows the other place of the message above it; change one of the two.")
BAD_OPTION = _error(821, "config-option", "{message}", doc="Correct the option as the message describes; the command line refuses the same value.")
NOT_A_MACRO = _error(822, "config-macro-name", "`{name}` is no name of a macro", doc="Use letters, digits and underscores, no digit first.")
RECURSIVE_ALIAS = _error(823, "config-alias", "the anchor `{name}` contains itself, or is not defined", doc="Define the anchor above its first use, outside of itself.")
NO_SHADERS = _error(824, "config-no-shaders", "the file has no `shaders`", doc="Add `shaders:` with a list, or call the file `defaults.yaml`.")
TAG = _error(827, "config-tag", "YAML tags such as `{tag}` are not used here", doc="Remove the tag.")
NO_SUCH_STAGE = _error(829, "config-no-such-stage", "no entry is called `{name}`", doc="Check the name; `hlsl_tool config check` lists all of them.")
SAME_PIPELINE = _error(830, "config-same-pipeline", "there are two pipelines called `{name}`", doc="Rename one of the two.")
NO_STAGE = _error(831, "config-no-stage", "`{name}` ({profile}) is no stage of a graphics pipeline", doc="List vertex, hull, domain, geometry, amplification, mesh and pixel stages only.")
SAME_STAGE = _error(832, "config-same-stage", "`{name}` and `{other}` are both of the {stage} stage", doc="List one entry for each stage.")
SAME_PACK = _error(833, "config-same-pack", "there are two packs called `{name}`", doc="Rename one of the two.")
EMPTY_PACK = _error(834, "config-empty-pack", "no shader matches `{pattern}`", doc="Check the name; `hlsl_tool config check` lists all of them.")
NO_SUCH_OUTPUT = _error(835, "config-no-such-output", "no shader of the pack `{name}` has {kind} among its outputs", doc="Add the kind to `outputs` of a shader, or remove it from the pack.")
NOT_TEXT = _error(836, "config-not-text", "the value cannot be written as UTF-8: it has half of a surrogate pair", doc="Replace the character.")
NAME_NOT_UTF8 = _error(837, "config-name-not-utf8", "`{pattern}` matches `{path}`, whose name is not UTF-8", doc="Rename the file.")
SAME_KEY_NOTE = Code("CFG828", "config-first-key", "note", "given here first", group="config", doc="The note shows the other place of the message above it; change one of the two.")
LATE_SOURCE = _error(
    870, "config-late-source", "`{pattern}` matches `{path}`, whose builder came after the configurations were read",
    "SCons reads configurations when `HlslShaders` is called.  A pattern matches a source of another builder only if that builder stands above the call.  A source that is named without a pattern may come from a builder anywhere.",
)
OTHER_SETTING = _error(
    871, "config-other-setting", "`{key}` is `{value}` here, and `{other}` for `{file}`; files that are built together"
    " share it",
    "Configurations of one call of `HlslShaders`, or of one `hlsl_tool build`, have one output folder with one manifest,"
    " one list of stores, one executor and one kind of nodes.  Give the setting in a `defaults.yaml` above all of them.",
)
OTHER_SETTING_NOTE = Code("CFG872", "config-other-setting-note", "note", "`{key}` is `{value}` here", group="config", doc="The note shows the other place of the message above it; change one of the two.")
SAME_FOLDER = _error(
    873, "config-same-folder", "another call of `HlslShaders` writes to `{folder}`, too",
    "An output folder has one manifest and one log.  Name all configurations in one call, or give one of them an"
    " `output_dir` of its own.",
)
SAME_FOLDER_NOTE = Code("CFG874", "config-first-call", "note", "called here first", group="config", doc="The note shows the other place of the message above it; change one of the two.")
BAD_CALL = _error(
    1716, "config-call", "`{method}`: {reason}",
    "The SConscript calls a method of the tool with arguments that it does not take.  The reference of SCons builders"
    " (docs/reference/scons.md) lists them.",
)
BAD_ARGUMENT = _error(
    1717, "config-argument", "{reason}",
    "An argument `NAME=value` of the command line of SCons has a value that the tool does not take.  The reference of"
    " SCons builders (docs/reference/scons.md) lists names and values.",
)
NINJA_TOOL = _error(
    1718, "config-ninja-tool", "SCons's experimental tool `ninja` does not see the files that shaders include",
    "With `SetOption('experimental', 'ninja')` ninja decides what is out of date, from rules without the headers of"
    " shaders.  Build shaders by SCons itself, or have `hlsl_tool generate ninja` write rules for them.",
)
OUTPUT_OUTSIDE = _error(
    890, "config-output-outside", "`output_dir` leaves the project: `{path}`",
    "A configuration may write below the project's root only, unless you allow more with `--allow-outside`, `scons allow_outside=1` or HLSL_TOOL_ALLOW_OUTSIDE=1. A folder that a SConscript names needs no switch.",
)
TOOLS_NAMED = _error(
    891, "config-tools-named", "`spirv_tools` names programs to run: `{path}`",
    "A build runs no program of the project, unless you allow it with `--allow-outside`, `scons allow_outside=1` or HLSL_TOOL_ALLOW_OUTSIDE=1. The tools of PATH, or those that SPIRV_OPT and SPIRV_VAL name, need no switch.",
)
NAME_OUTSIDE = _error(
    892, "config-name-outside", "`{name}` is no name of a file below the output folder",
    "The name of an output, which a source, an entry or a `name` gives, may not lead out of the output folder.",
)
RESERVED_NAME = _error(
    894, "config-reserved-name", "`{name}` is the name of a file that builds write into the output folder",
    "`manifest.json` lists all shaders, `diagnostics.json` has the messages of a build.",
)
EXECUTOR_NAMED = _error(
    893, "config-executor-named", "`executor` names a scheduler: `{address}`",
    "Dask's protocol runs code in both directions, so that a scheduler can do everything that you can. Name it yourself"
    " (`--executor`, `scons executor=`), or allow it with `--allow-outside`, `scons allow_outside=1` or"
    " HLSL_TOOL_ALLOW_OUTSIDE=1.",
)
UNKNOWN_PLACEHOLDER = _error(
    1770, "config-placeholder", "`{{{name}}}` in `{key}` stands for nothing here",
    "A placeholder is one of the words that docs/reference/config.md lists, or a macro in the shader's `defines`.",
)
UNUSED_OVERRIDE = _error(
    1771, "config-unused-override", "the override selects no shader",
    "Its `source`, `entry` and `if` agree with no permutation. `source` counts from `source_dir`; `if` compares macros with their values; an override without an effect would hide a misspelling.",
)
NOTHING_EXCEPTED = _error(
    1772, "config-unused-except", "`{pattern}` leaves nothing out",
    "The pattern matches nothing that `source` or `entry` beside it matches; check the spelling, or remove it.",
)
NO_ENTRIES = _error(
    1773, "config-no-entries", "no function in `{path}` matches `{pattern}`",
    "A pattern in `entry` matches functions that the source itself defines: includes are not read, macros not expanded. Name other entries without a pattern.",
)
SAME_FILE = _error(
    1774, "config-same-file", "`{path}` would be written for {first} and for {second}",
    "Two shaders must not share a file. Add a placeholder that differs between them, such as `{{entry}}` or `{{permutation}}`, to the template.",
)
UNSET_VARIABLE = _error(
    1775, "config-unset-variable", "the variable `{name}` has no value",
    "Variables get their values from `--set NAME=value` or `HlslShaders(variables={{…}})`; `${{NAME:-default}}` needs none.",
)
BAD_VARIABLE = _error(
    1776, "config-variable", "`{text}` has a `${{` that begins no variable",
    "A variable is written `${{NAME}}` or `${{NAME:-default}}`, with a default without variables. `$${{` stands for `${{`.",
)
VARIABLE_IN_KEY = _error(
    1777, "config-variable-in-key", "the key `{key}` contains a variable",
    "Variables stand in values only, so that the same keys are read in all builds. Use an axis of `defines`, or `overrides`.",
)
VARIABLE_IN_VALUE = _error(
    1778, "config-variable-in-value", "the value of the variable `{name}` contains a variable: `{value}`",
    "Variables are replaced once. Give the whole value.",
)
UNUSED_VARIABLE = _error(
    1779, "config-unused-variable", "no configuration uses the variable `{name}`",
    "A value without a use is mostly a misspelt name.",
)
UNKNOWN_VARIANT = _error(
    1780, "config-unknown-variant", "no configuration has the variant `{name}`",
    "`variants` of a configuration or of a `defaults.yaml` lists the variants; a file may use `${{VARIANT}}` in its place.",
)
SAME_BLOB_KEY = _error(
    1781, "config-same-blob-key", "the blob `{path}` would have the same permutation of {first} and of {second}",
    "A loader finds a permutation in a blob by the macros that vary. Give one of the two its own file by `files`, or an axis: a list of one value is an axis, too.",
)
ALL_EXCEPTED = _error(1782, "config-all-excepted", "`except` leaves nothing", doc="Remove one of its patterns.")
UNUSED_DEFINE = _error(
    1783, "config-unused-define", "every shader has its own value of the macro `{name}`",
    "A macro of the caller stands between the top of a file and its shaders, whose own `defines` win. Use a variable in their place: `NAME: ${{NAME:-1}}`.",
)
DEBUG_OUTPUT = _error(
    1790, "config-debug-output", "`{name}` has the output `debug`, but no debug information",
    "The output is the module with its debug information, beside a `spv` without. `debug: vulkan-with-source` writes some; or leave the output out.",
)
NO_INCLUDE_DIR = Code(
    "CFG895", "config-no-include-dir", "warning", "there is no folder `{path}`, which `include_dirs` names", group="config",
    doc="`include_dirs` are relative to the source folder (`shaders`, if `source_dir` does not name another). Correct the path, or remove it.",
)
