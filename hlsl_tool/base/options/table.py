"""The table of options: field, flags, YAML key, kind of value and documentation.

The flags, their forms and their checks are those of DXC's option table (include/dxc/Support/HLSLOptions.td, August
2026).  A new option is one row here and one field in `CompileOptions`; parsing, YAML, schema and docs follow.
"""

from __future__ import annotations

from hlsl_tool.base.options.cross import CROSS
from hlsl_tool.base.options.environments import TARGET_ENVS
from hlsl_tool.base.options.kinds import (
    COMMAS,
    EITHER,
    JOINED,
    SEPARATE,
    Bool,
    Choice,
    Debug,
    Defines,
    Flag,
    HexInt,
    Int,
    ListOf,
    Nothing,
    Optimize,
    Other,
    Place,
    Registers,
    Row,
    Shifts,
    Text,
    Tristate,
    Validate,
    Version,
)
from hlsl_tool.base.options.wgsl import WGSL

FORMS = ("text", "json", "sarif", "gcc", "msvc", "github")
"""Forms of diagnostics."""

BINDING_SCHEMES = ("dxc", "glslang", "glslang-iomap")
HLSL_VERSIONS = ("2015", "2016", "2017", "2018", "2021", "202x", "202y")
DEBUG_CATEGORIES = (
    "file",
    "source",
    "line",
    "tool",
    "rich",
    "rich-with-source",
    "vulkan",
    "vulkan-with-source",
    "vulkan-with-source-test",
)


def _both(name: str, form: str = "flag", **more: object) -> Flag:
    """Return a flag with an alternative spelling with a slash."""
    return Flag(name, form, slash=True, **more)  # type: ignore[arg-type]  # the keywords are Flag's own


def _space(letter: str, **more: bool) -> Flag:
    return Flag(f"-fvk-{letter}-shift", SEPARATE, count=2, placeholder="<shift> <space>", **more)


def _place(name: str) -> Flag:
    return Flag(name, SEPARATE, count=2, placeholder="<binding> <set>")


_SHIFT_DOC = "added to the number of every {} register to make its Vulkan binding: [shift, space], or [shift, all]"

TABLE: tuple[Row, ...] = (
    # ---- what is compiled
    Row("profile", "profile", Text("profile", r"[a-z]+_[0-9]+_[0-9x]+"),
        "the stage and shader model, such as ps_6_0 or lib_6_3",
        (_both("-T", EITHER, placeholder="<profile>"),), "entry"),
    Row("entry", "entry", Text("name"), "the entry point's name",
        (_both("-E", EITHER, placeholder="<name>"),), "entry"),
    # ---- language
    Row("hlsl_version", "hlsl_version", Version(), "the version of HLSL: 2016, 2017, 2018, 2021, 202x or 202y",
        (_both("-HV", SEPARATE, placeholder="<version>"),), "language"),
    Row("enable_16bit_types", "enable_16bit_types", Bool(),
        "half, int16_t and the like have 16 bits (needs shader model 6.2 and HLSL 2018)",
        (_both("-enable-16bit-types"),), "language"),
    Row("enable_8bit_types", "enable_8bit_types", Bool(),
        "there are int8_t and uint8_t, which have 8 bits (needs shader model 6.2 and HLSL 2018)",
        (Flag("-enable-8bit-types", ours=True),), "language"),
    Row("matrix_layout", "matrix_layout", Choice(("column_major", "row_major")),
        "how matrices without row_major or column_major are packed",
        (_both("-Zpc", sets="column_major"), _both("-Zpr", sets="row_major"),
         Flag("-matrix-layout-column-major", sets="column_major", ours=True),
         Flag("-matrix-layout-row-major", sets="row_major", ours=True)), "language"),
    Row("strict", "strict", Bool(), "refuse old syntax; no effect so far, as in DXC", (_both("-Ges"),), "language"),
    Row("ieee_strict", "ieee_strict", Bool(), "forbid transformations that change floating point results",
        (_both("-Gis"),), "language"),
    Row("exact_remainder", "exact_remainder", Bool(),
        "compute % of negative integers by division, as drivers differ in OpSRem",
        (Flag("-fexact-remainder", ours=True),), "language"),
    Row("payload_qualifiers", "payload_qualifiers", Tristate(),
        "payload access qualifiers of ray tracing; on from shader model 6.7",
        (_both("-enable-payload-qualifiers", sets=True), _both("-disable-payload-qualifiers", sets=False)), "language"),
    Row("legacy_macro_expansion", "legacy_macro_expansion", Bool(),
        "expand the operands of ## before pasting, as fxc does", (_both("-flegacy-macro-expansion"),), "language"),
    Row("legacy_resource_reservation", "legacy_resource_reservation", Bool(),
        "unused resources with an explicit register keep it reserved; no effect on SPIR-V",
        (_both("-flegacy-resource-reservation"),), "language"),
    Row("flow_control", "flow_control", Choice(("default", "avoid", "prefer")),
        "how DXIL treats branches without an attribute; no effect on SPIR-V",
        (_both("-Gfa", sets="avoid"), _both("-Gfp", sets="prefer")), "language"),
    Row("all_resources_bound", "all_resources_bound", Bool(), "assume every resource is bound; no effect on SPIR-V",
        (_both("-all-resources-bound"), _both("-all_resources_bound")), "language"),
    Row("resources_may_alias", "resources_may_alias", Bool(), "assume that views may alias; no effect on SPIR-V",
        (_both("-res-may-alias"), _both("-res_may_alias")), "language"),
    # ---- preprocessor
    Row("include_dirs", "include_dirs", ListOf(Text("folder")), "folders that are searched for includes, in order",
        (_both("-I", EITHER, placeholder="<folder>"),), "preprocessor"),
    Row("defines", "defines", Defines(), "macros; in YAML a list of values makes permutations",
        (_both("-D", EITHER, placeholder="<name>[=<value>]"),), "preprocessor"),
    Row("undefines", "undefines", ListOf(Text("macro")), "predefined or defined macros to take away",
        (Flag("-U", EITHER, placeholder="<name>", ours=True),), "preprocessor"),
    Row("ignore_line_directives", "ignore_line_directives", Bool(), "#line has no effect",
        (_both("-ignore-line-directives"),), "preprocessor"),
    Row("case_insensitive_includes", "case_insensitive_includes", Bool(),
        "find an include whose name differs from the file's only in case, with a warning",
        (Flag("-case-insensitive-includes", ours=True),), "preprocessor"),
    # ---- libraries
    Row("exports", "exports", ListOf(Text("export")),
        "the entry points and functions that a library exports; all if empty",
        (_both("-exports", SEPARATE, placeholder="<exports>"),), "library"),
    Row("export_shaders_only", "export_shaders_only", Bool(), "a library exports nothing but shaders",
        (_both("-export-shaders-only"),), "library"),
    Row("default_linkage", "default_linkage", Choice(("default", "internal", "external")),
        "the linkage of a library's functions that are no shaders",
        (_both("-default-linkage", SEPARATE, placeholder="<linkage>"),), "library"),
    Row("libraries", "libraries", ListOf(Text("file")),
        "libraries whose functions the shader calls: HLSL, compiled with the shader's own options, modules (.spv),"
        " and in YAML names of entries",
        (Flag("--library=", JOINED, placeholder="<file>", ours=True),), "library"),
    # ---- diagnostics
    Row("warnings", "warnings", ListOf(Text("warning")),
        "warnings by name, as after -W: conversion, no-conversion, error=conversion",
        (Flag("-W", JOINED, placeholder="[no-]<warning>"), Flag("--all-warnings", sets="all")), "diagnostics"),
    Row("no_warnings", "no_warnings", Bool(), "no warnings at all", (_both("-no-warnings"), Flag("-w")), "diagnostics"),
    Row("warnings_as_errors", "warnings_as_errors", Bool(), "every warning is an error", (_both("-WX"),),
        "diagnostics"),
    Row("no_warn_ignored_features", "no_warn_ignored_features", Bool(),
        "no warnings about features without a counterpart in Vulkan", (Flag("-Wno-vk-ignored-features", JOINED),),
        "diagnostics"),
    Row("no_warn_emulated_features", "no_warn_emulated_features", Bool(),
        "no warnings about features that are emulated on Vulkan", (Flag("-Wno-vk-emulated-features", JOINED),),
        "diagnostics"),
    Row("error_limit", "error_limit", Int(0, 1_000_000), "stop after so many errors; 0 is no limit",
        (Flag("-ferror-limit=", JOINED, placeholder="<number>"),), "diagnostics"),
    # ---- target
    Row("target_env", "target_env", Choice(tuple(TARGET_ENVS)), "the Vulkan and SPIR-V version to compile for",
        (Flag("-fspv-target-env=", JOINED, placeholder="<environment>"),), "target"),
    Row("extensions", "extensions", ListOf(Text("extension", r"(SPV_)?[A-Za-z0-9_]+")),
        "SPIR-V extensions that may be used (SPV_…, or KHR for all of Khronos); all known ones if empty",
        (Flag("-fspv-extension=", JOINED, placeholder="<extension>"),), "target"),
    Row("entry_point_name", "entry_point_name", Text("name"), "the entry point's name in SPIR-V",
        (Flag("-fspv-entrypoint-name=", JOINED, placeholder="<name>"),), "target"),
    Row("max_id", "max_id", HexInt(), "the largest id a module may use",
        (Flag("-fspv-max-id", SEPARATE, placeholder="<hexadecimal>"),), "target"),
    Row("vulkan_memory_model", "vulkan_memory_model", Bool(), "the Vulkan memory model in place of GLSL450",
        (Flag("-fspv-use-vulkan-memory-model"),), "target"),
    Row("maximal_reconvergence", "maximal_reconvergence", Bool(), "the execution mode MaximallyReconvergesKHR",
        (Flag("-fspv-enable-maximal-reconvergence"),), "target"),
    Row("descriptor_heap", "descriptor_heap", Bool(),
        "SPV_EXT_descriptor_heap for descriptor heaps, in place of descriptor indexing",
        (Flag("-fspv-use-descriptor-heap", sets=True), Flag("-fspv-use-emulated-heap", sets=False)), "target"),
    Row("resource_heap_stride", "descriptor_heap_stride.resources", Int(0, 1 << 20),
        "bytes from one resource to the next in a heap of SPV_EXT_descriptor_heap; 0 is the largest descriptor's size",
        (Flag("-fvk-resource-heap-stride", SEPARATE, placeholder="<bytes>"),), "target"),
    Row("sampler_heap_stride", "descriptor_heap_stride.samplers", Int(0, 1 << 20),
        "bytes from one sampler to the next in a heap of SPV_EXT_descriptor_heap; 0 is the size of a descriptor",
        (Flag("-fvk-sampler-heap-stride", SEPARATE, placeholder="<bytes>"),), "target"),
    Row("unknown_image_format", "unknown_image_format", Bool(),
        "storage images without vk::image_format have the format Unknown, not one that fits their type",
        (Flag("-fspv-use-unknown-image-format"),), "target"),
    Row("denorm", "denorm", Choice(("any", "preserve", "ftz")),
        "the treatment of denormal 32-bit numbers (needs shader model 6.2)",
        (_both("-denorm", EITHER, placeholder="<mode>"),), "target"),
    Row("finite_math_only", "finite_math_only", Bool(), "assume that no value is a NaN or infinite",
        (Flag("-ffinite-math-only", sets=True), Flag("-fno-finite-math-only", sets=False)), "target"),
    Row("signature_packing", "signature_packing", Choice(("default", "prefix_stable", "optimized")),
        "whether stage variables share locations",
        (_both("-pack-prefix-stable", sets="prefix_stable"), _both("-pack_prefix_stable", sets="prefix_stable"),
         _both("-pack-optimized", sets="optimized"), _both("-pack_optimized", sets="optimized")), "target"),
    Row("variable_offsets", "variable_offsets", Bool(),
        "offsets of Sample and Load need not be constant, for devices with VK_KHR_maintenance8",
        (Flag("-fvk-variable-offsets", ours=True),), "target"),
    # ---- layout and stage interface
    Row("layout", "layout", Choice(("vulkan", "dx", "gl", "scalar")),
        "the memory layout of buffers: relaxed std140 and std430, DirectX's, strict std140 and std430, or scalar",
        (Flag("-fvk-use-dx-layout", sets="dx"), Flag("-fvk-use-gl-layout", sets="gl"),
         Flag("-fvk-use-scalar-layout", sets="scalar")), "interface"),
    Row("legacy_buffer_matrix_order", "legacy_buffer_matrix_order", Bool(),
        "matrices read from a ByteAddressBuffer are row-major, as they once were",
        (Flag("-fspv-use-legacy-buffer-matrix-order"),), "interface"),
    Row("stage_io_order", "stage_io_order", Choice(("decl", "alpha")),
        "the order in which stage variables get locations: of declaration, or alphabetical",
        (Flag("-fvk-stage-io-order=", JOINED, placeholder="<order>"),), "interface"),
    Row("invert_y", "invert_y", Bool(), "negate SV_Position.y before it is written",
        (Flag("-fvk-invert-y"),), "interface"),
    Row("use_dx_position_w", "use_dx_position_w", Bool(), "reciprocate SV_Position.w after a pixel shader reads it",
        (Flag("-fvk-use-dx-position-w"),), "interface"),
    Row("support_nonzero_base_instance", "support_nonzero_base_instance", Bool(),
        "SV_InstanceID starts from 0 whatever the base instance is",
        (Flag("-fvk-support-nonzero-base-instance"),), "interface"),
    Row("support_nonzero_base_vertex", "support_nonzero_base_vertex", Bool(),
        "SV_VertexID starts from 0 whatever the base vertex is",
        (Flag("-fvk-support-nonzero-base-vertex"),), "interface"),
    # ---- bindings
    Row("shift_b", "bindings.shifts.b", Shifts(), _SHIFT_DOC.format("b"), (_space("b"),), "bindings"),
    Row("shift_t", "bindings.shifts.t", Shifts(), _SHIFT_DOC.format("t"), (_space("t"),), "bindings"),
    Row("shift_s", "bindings.shifts.s", Shifts(), _SHIFT_DOC.format("s"), (_space("s"),), "bindings"),
    Row("shift_u", "bindings.shifts.u", Shifts(), _SHIFT_DOC.format("u"), (_space("u"),), "bindings"),
    Row("shift_buffer", "bindings.shifts.buffer", Shifts(),
        "the same for storage buffers of every kind, with the binding scheme glslang", (_space("buffer", ours=True),),
        "bindings"),
    Row("binding_scheme", "bindings.scheme", Choice(BINDING_SCHEMES),
        "the rules for bindings: DXC's, or glslang's without or with its --hlsl-iomap",
        (Flag("-fvk-binding-scheme=", JOINED, placeholder="<scheme>", ours=True),), "bindings"),
    Row("auto_bindings", "bindings.automatic", Bool(),
        "with a scheme of glslang: resources without a register take free bindings, not binding 0",
        (Flag("-fvk-auto-bindings", ours=True),), "bindings"),
    Row("auto_shift_bindings", "bindings.auto_shift", Bool(), "shift resources that have no register, too",
        (Flag("-fvk-auto-shift-bindings"),), "bindings"),
    Row("auto_binding_space", "bindings.default_space", Int(), "the space of resources that name none",
        (_both("-auto-binding-space", SEPARATE, placeholder="<space>"),), "bindings"),
    Row("bind_registers", "bindings.registers", Registers(),
        "bindings of single registers: a list of {register: t3, space: 0, binding: 5, set: 1}",
        (Flag("-fvk-bind-register", SEPARATE, count=4, placeholder="<register> <space> <binding> <set>"),
         Flag("-vkbr", SEPARATE, count=4, placeholder="<register> <space> <binding> <set>")), "bindings"),
    Row("bind_globals", "bindings.globals", Place(), "[binding, set] of the $Globals buffer",
        (_place("-fvk-bind-globals"),), "bindings"),
    Row("bind_resource_heap", "bindings.resource_heap", Place(), "[binding, set] of ResourceDescriptorHeap",
        (_place("-fvk-bind-resource-heap"),), "bindings"),
    Row("bind_sampler_heap", "bindings.sampler_heap", Place(), "[binding, set] of SamplerDescriptorHeap",
        (_place("-fvk-bind-sampler-heap"),), "bindings"),
    Row("bind_counter_heap", "bindings.counter_heap", Place(), "[binding, set] of the counters of heap resources",
        (_place("-fvk-bind-counter-heap"),), "bindings"),
    Row("flatten_resource_arrays", "bindings.flatten_arrays", Bool(),
        "each element of an array of resources takes a binding of its own",
        (Flag("-fspv-flatten-resource-arrays"),), "bindings"),
    # ---- besides code
    Row("debug", "debug", Debug(DEBUG_CATEGORIES), "debug information: true, or a list of categories",
        (_both("-Zi"), Flag("-fspv-debug=", JOINED, placeholder="<category>")), "information"),
    Row("reflect_decorations", "reflect_decorations", Bool(),
        "decorations for reflection: HLSL semantics and counter buffers", (Flag("-fspv-reflect"),), "information"),
    Row("preserve_bindings", "preserve_bindings", Bool(), "keep bindings that are not used",
        (Flag("-fspv-preserve-bindings"),), "information"),
    Row("preserve_interface", "preserve_interface", Bool(), "keep stage variables that are not used",
        (Flag("-fspv-preserve-interface"),), "information"),
    # ---- after code generation
    Row("codegen_only", "codegen_only", Bool(), "neither legalise nor optimise", (_both("-fcgl"),), "optimisation"),
    Row("optimize", "optimize", Optimize(),
        "none, size, performance, or a list of spirv-opt passes in order ([-O, --loop-unroll])",
        (_both("-O0", sets="none"), _both("-Od", sets="none"), _both("-O1", sets="performance"),
         _both("-O2", sets="performance"), _both("-O3", sets="performance"), Flag("-Os", sets="size", ours=True),
         Flag("-Oconfig=", COMMAS, placeholder="<pass>,…")), "optimisation"),
    Row("validate", "validate", Validate(),
        "run spirv-val over the result; required makes it an error that spirv-val is missing",
        (_both("-Vd", sets="no"),), "optimisation"),
    Row("reduce_load_size", "reduce_load_size", Bool(), "load members where whole composites would be loaded",
        (Flag("-fspv-reduce-load-size"),), "optimisation"),
    Row("fix_func_call_arguments", "fix_func_call_arguments", Bool(),
        "pass copies where an argument of a call is no memory object",
        (Flag("-fspv-fix-func-call-arguments"),), "optimisation"),
    Row("print_all", "print_all", Bool(),
        "print the module before each pass of spirv-opt and after the last; promotion is left out then",
        (Flag("-fspv-print-all"),), "optimisation"),
    Row("print_steps", "print_steps", Bool(),
        "print which steps of the pipeline ran on the module, and which of them changed it",
        (Flag("--print-steps", ours=True),), "optimisation"),
    Row("spirv_tools", "spirv_tools", Text("folder"), "the folder that holds spirv-opt and spirv-val, if not PATH",
        (Flag("--spirv-tools=", JOINED, placeholder="<folder>", ours=True),), "optimisation"),
    # ---- WGSL: the outputs `wgsl` and `wgsl_bindings` of a build; `hlsl_tool wgsl` has flags of its own
    Row("wgsl_optimized", "wgsl.optimized", Bool(),
        "write WGSL from the optimised module, not from the unoptimised one, which has the functions and names of the"
        " source", (), "WGSL"),
    *(Row(f"wgsl_{name}", f"wgsl.{name}", option.kind, option.doc, (), "WGSL") for name, option in WGSL.items()),
    # ---- SPIRV-Cross: the outputs `msl`, `glsl`, `essl` and `hlsl`; `hlsl_tool cross` has flags of its own
    *(Row(f"{language}_{name}", f"{language}.{name}", option.kind, option.doc, (), language.upper())
      for language, options in CROSS.items() for name, option in options.items()),
)

OUTPUTS: tuple[Row, ...] = (
    # The outputs of the command line, fields of `command_line.Command`; YAML has the key `outputs` instead.
    Row("object", "outputs: spv", Text("file"), "write the module", (_both("-Fo", EITHER, placeholder="<file>"),)),
    Row("assembly", "outputs: spvasm", Text("file"), "write the disassembly",
        (_both("-Fc", EITHER, placeholder="<file>"),)),
    Row("header", "outputs: header", Text("file"), "write a C header with the module",
        (_both("-Fh", EITHER, placeholder="<file>"),)),
    Row("debug_file", "outputs: debug", Text("file"),
        "write the module with its debug information; the other outputs are without",
        (_both("-Fd", EITHER, placeholder="<file>"),)),
    Row("variable", "", Text("name"), "the name of the array in the header",
        (_both("-Vn", EITHER, placeholder="<name>"),)),
    Row("errors_file", "", Text("file"), "write warnings and errors into a file",
        (_both("-Fe", EITHER, placeholder="<file>"),)),
    Row("preprocess", "", Bool(), "preprocess only, into the source's name with .i",
        (_both("-P"), _both("-Po"))),
    Row("preprocess_file", "", Text("file"), "the output of -P", (_both("-Fi", EITHER, placeholder="<file>"),)),
    Row("dump_dependencies", "outputs: dep", Bool(), "print the includes of the source, as a rule for make",
        (_both("-M"),)),
    Row("write_dependencies", "outputs: dep", Bool(),
        "write a rule for make with all files that are read, into the output's name with .d (or the source's)",
        (_both("-MD"),)),
    Row("dependencies_file", "outputs: dep", Text("file"), "write that rule into a file",
        (_both("-MF", EITHER, placeholder="<file>"),)),
    Row("dependency_target", "", Text("target"), "the target of that rule, as it is written in the makefile",
        (Flag("-MT", EITHER, placeholder="<target>", ours=True),)),
    Row("show_includes", "", Bool(), "list every file that is included, with its depth",
        (Flag("-H"), _both("-Vi"))),
    Row("ast_dump", "", Bool(), "print the syntax tree", (_both("-ast-dump"), _both("-ast-dump-implicit"))),
    Row("diagnostics", "", Choice(FORMS), "the form of messages",
        (Flag("--diagnostics=", JOINED, placeholder="<form>", ours=True),)),
    Row("dxc_format", "", Text("format"),
        "the form of messages: clang, msvc, msvc-fallback, vi, or a form of --diagnostics",
        (Flag("-fdiagnostics-format=", JOINED, placeholder="<format>"),)),
    Row("color", "", Tristate(), "colour in messages and listings",
        (Flag("-fdiagnostics-color", sets=True), _both("-Cc", sets=True))),
    Row("show_option", "", Tristate(), "name the option that governs a warning",
        (Flag("-fdiagnostics-show-option", sets=True), Flag("-fno-diagnostics-show-option", sets=False))),
    Row("time_report", "", Bool(), "print the time of each stage to the standard error", (Flag("-ftime-report"),)),
    Row("time_trace", "", Text("file"),
        "write the time of each stage as a trace for Chrome and Perfetto, to the standard output without a file",
        (Flag("-ftime-trace", sets="-"), Flag("-ftime-trace=", JOINED, placeholder="<file>"))),
    Row("time_trace_granularity", "", Int(0, 10**9), "the least microseconds of an event of that trace (500)",
        (Flag("-ftime-trace-granularity=", JOINED, placeholder="<n>"),)),
    Row("help", "", Nothing(), "show the options that are used most",
        (_both("-help"), Flag("--help"), _both("-?"), Flag("-h", ours=True))),
    Row("help_all", "", Nothing(), "show all options", (Flag("--help-all", ours=True), Flag("--help-hidden"))),
    Row("version", "", Nothing(), "show the version", (Flag("--version"),)),
    Row("print_pipeline", "", Nothing(), "show the passes in their order, with the reason for each",
        (Flag("--print-pipeline", ours=True),)),
)

_DXIL = "it concerns DXIL only"
_REFUSED_WHY = "SPIR-V has no counterpart"


def _accept(names: str, form: str = "flag", why: str = _DXIL, *, slash: bool = True, count: int = 1) -> list[Other]:
    return [Other(Flag(name, form, count=count, slash=slash), "accepted", why) for name in names.split()]


def _refuse(names: str, form: str = "flag", why: str = _REFUSED_WHY) -> list[Other]:
    return [Other(Flag(name, form, slash=True), "refused", why) for name in names.split()]


def _retire(names: str, form: str = "flag", *, why: str) -> list[Other]:
    return [Other(Flag(name, form, slash=True), "retired", why) for name in names.split()]


OTHERS: tuple[Other, ...] = (
    *_retire("-enable-templates", why="templates are part of HLSL 2021, -HV 2021"),
    *_retire("-enable-operator-overloading", why="operators of structs are part of HLSL 2021, -HV 2021"),
    *_retire("-enable-bitfields", why="bit-fields are part of HLSL 2021, -HV 2021"),
    *_retire("-enable-short-circuit", why="&&, || and ?: short-circuit in HLSL 2021, -HV 2021"),
    *_retire("-strict-udt-casting -enable-strict-udt-casting",
             why="structs of different types do not convert in HLSL 2021, -HV 2021"),
    *_retire("-enable_unbounded_descriptor_tables", why="arrays without a size are always allowed"),
    *_retire("-Gpp", why="types such as min16float ask for less precision"),
    *_retire("-Gdp -Gch -Op", why="effects and preshaders are gone"),
    *_retire("-LD", why="a profile such as lib_6_3 makes a library"),
    *_retire("-shtemplate -mergeUAVs -matchUAVs", EITHER, why="DXC no longer has it"),
    Other(Flag("-spirv"), "accepted", "it is always on"),
    Other(Flag("-nologo", slash=True), "accepted", "there is no logo"),
    Other(Flag("-Qunused-arguments"), "accepted", "unknown options are then passed over"),
    *_refuse("-Gec", why="effects of DirectX 9 have no counterpart in SPIR-V"),
    *_refuse("-Fre", SEPARATE, "reflection is written as JSON"),
    *_refuse("-Qstrip_reflect"),
    *_refuse("-dumpbin -link -recompile -extractrootsignature -metal", why="it works on DXIL containers"),
    *_refuse("-verifyrootsignature -getprivate", EITHER, "it works on DXIL containers"),
    *_accept("-Zss -Zsb", why="there is no shader hash"),
    *_accept("-Zs", why="there is no PDB"),
    *_accept("-Qstrip_debug -Qembed_debug -Qstrip_priv -Qsource_in_debug_module -Qpdb_in_private"
             " -Qstrip_rootsignature -Qkeep_reflect_in_dxil -Qstrip_reflect_from_dxil"),
    *_accept("-setprivate -setrootsignature -force-rootsig-ver -force_rootsig_ver -import-binding-table", EITHER),
    *_accept("-Frs -Fsh -rootsig-define -binding-table-define -validator-version -memdep-block-scan-limit"
             " -opt-disable -opt-enable -print-before -print-after -precise-output -ignore-semdef"
             " -override-semdef -external -external-fn", SEPARATE),
    *_accept("-opt-select", SEPARATE, count=2),
    *_accept("-encoding", SEPARATE, "sources are UTF-8"),
    *_accept("-Odump -print-before-all -print-after-all -preserve-intermediate-values -no-legacy-cbuf-layout"
             " -not_use_legacy_cbuf_load -ignore-opt-semdefs -force-zero-store-lifetimes -enable-lifetime-markers"
             " -disable-lifetime-markers -disable-exception-handling -skip-serialization"),
    *_accept("-fdisable-loc-tracking -fnew-inlining-behavior", slash=False),
    *_accept("-verbose -v", why="use hlsl_tool's own reports", slash=False),
    *_accept("-Ni -No -Lx", why="listings have one form"),
    *_accept("-funroll-loops -fno-unroll-loops -freroll-loops -mms-bitfields", slash=False),
    *_accept("-fspell-checking -fno-spell-checking -fshow-column -fno-show-column -fno-color-diagnostics"
             " -fno-diagnostics-color -fno-caret-diagnostics", why="messages have one form", slash=False),
)
"""DXC's other flags with their treatment; `-spirv -Fd x` and the like are errors in DXC as well."""
