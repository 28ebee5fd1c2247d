"""Derive the options of the preprocessor and of the sink, for compilations, ``-P`` and dependency scans."""

from __future__ import annotations

from hlsl_tool.base.diagnostics import Sink, WarningOptions
from hlsl_tool.base.diagnostics.catalogue import compiler as codes
from hlsl_tool.base.options.checks import modern_profile, split_profile
from hlsl_tool.base.options.compile_options import CompileOptions
from hlsl_tool.base.options.environments import TARGET_ENVS
from hlsl_tool.frontend.headers import builtin_headers
from hlsl_tool.frontend.preprocessor import PreprocessOptions
from hlsl_tool.frontend.preprocessor.macros.predefined import predefined_macros


def preprocess_options(options: CompileOptions) -> PreprocessOptions:
    """Return the options of the preprocessor, with the macros that the profile and the target predefine."""
    # -P works without a profile; ps_6_0 is as good as any then.
    stage, major, minor = split_profile(modern_profile(options.profile)) or ("ps", 6, 0)
    predefined = predefined_macros(
        stage=stage,
        major=major,
        minor=minor,
        hlsl_version=options.hlsl_version,
        enable_16bit_types=options.enable_16bit_types,
        enable_8bit_types=options.enable_8bit_types,
        spirv_version=TARGET_ENVS[options.target_env].version,
    )
    return PreprocessOptions(
        include_dirs=options.include_dirs,
        defines=options.defines,
        undefines=options.undefines,
        predefined=predefined,
        case_insensitive_includes=options.case_insensitive_includes,
        legacy_macro_expansion=options.legacy_macro_expansion,
        ignore_line_directives=options.ignore_line_directives,
        builtin_headers=builtin_headers(),
    )


def check_warning_names(options: CompileOptions, sink: Sink) -> None:
    """Warn about ``-W`` options that name neither a warning or group of this compiler, nor a group of clang."""
    if not options.warnings:
        return
    from hlsl_tool.base.diagnostics import clang_groups
    from hlsl_tool.base.diagnostics.catalogue import registry
    from hlsl_tool.base.similar import most_similar

    warnings = [code for code in registry.all_codes().values() if code.severity == "warning"]
    names = {"error", "everything"}.union(*((code.name, code.group) for code in warnings))
    for given in options.warnings:
        name = given.removeprefix("no-").removeprefix("error=")
        if name in names or name in clang_groups.names():
            continue
        close = most_similar(name, sorted(names | clang_groups.names()))
        sink.warning(codes.UNKNOWN_WARNING, None, name=given, hint=f"did you mean '{close}'?" if close else None)


def warning_options(options: CompileOptions) -> WarningOptions:
    """Return the warning settings for a sink."""
    flags = [f"-W{name}" for name in options.warnings]
    if options.no_warn_ignored_features:
        flags.append("-Wno-vk-ignored-features")
    if options.no_warn_emulated_features:
        flags.append("-Wno-vk-emulated-features")
    if options.warnings_as_errors:
        flags.append("-WX")
    if options.no_warnings:
        flags.append("-no-warnings")
    return WarningOptions.from_flags(flags)
