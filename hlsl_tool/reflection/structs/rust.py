"""Write the host structs of a project as a Rust module without dependencies (Rust 1.77 or later)."""

from __future__ import annotations

from collections.abc import Sequence

from hlsl_tool.reflection.cpp.identifiers import Scope, identifier, in_comment, in_string
from hlsl_tool.reflection.reflection import Reflection

from ..cpp.plan import Key
from ..cpp.project import Shader, StructNames, interfaces, project_names
from .fields import Layout, Shape, layout_of

_WORDS = """
abstract as async await become box break const continue crate dyn else enum extern false final fn for gen if impl in
let loop macro match mod move mut override priv pub ref return self Self static struct super trait true try type
typeof unsafe unsized use virtual where while yield
Default bool char core f32 f64 i16 i32 i64 i8 isize str u16 u32 u64 u8 usize
"""
_KEYWORDS = frozenset(_WORDS.split())

_HEAD = """\
// Written by hlsl_tool: the structs, bindings and entry points of a project's shaders.
#![allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]

const _: () = assert!(cfg!(target_endian = "little"), "the structs are those of a little-endian host");

/// Where a resource is bound; `count` is 0 for an unbounded array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    pub set: u32,
    pub binding: u32,
    pub count: u32,
}
"""


def rust_structs(shaders: Sequence[Shader]) -> str:
    """Return a Rust file with the structs of all shaders, and a module with the constants of each shader."""
    names = project_names(shaders)
    layouts: dict[Key, Layout] = {}
    parts = [_HEAD]
    for key, plan in names.in_order():
        layouts[key] = layout_of(plan, layouts)
        parts.append(_struct(names, key, layouts[key]))
    for group in interfaces(shaders, names, _constants):
        parts.append(f"\n/// {in_comment(group.doc)}\npub mod {_word(group.name)} {{\n{group.text}}}\n")
    return "".join(parts)


def _word(name: str) -> str:
    word = identifier(name)
    return f"{word}_" if word in _KEYWORDS else word


def _struct(names: StructNames, key: Key, layout: Layout) -> str:
    name = _word(names.names[key])
    scope = Scope()
    packed = f", packed({layout.pack})" if layout.pack is not None else ""
    lines = ["", f"/// {in_comment(names.plan.structs[key].type.name)}", f"#[repr(C{packed})]"]
    lines += ["#[derive(Clone, Copy)]", f"pub struct {name} {{"]
    checks = [f"    assert!(core::mem::size_of::<{name}>() == {layout.size});"]
    checks.append(f"    assert!(core::mem::align_of::<{name}>() == {layout.align});")
    for number, field in enumerate(layout.fields):
        if field.name:
            word = _word(scope.add(field.name))
            checks.append(f"    assert!(core::mem::offset_of!({name}, {word}) == {field.offset});")
        else:
            word = scope.add(f"padding{number}")
        note = f"  // {in_comment(field.note)}" if field.note else ""
        lines.append(f"    pub {word}: {_type(field.shape, names)},{note}")
    lines += ["}", "const _: () = {", *checks, "};", f"impl Default for {name} {{"]
    lines += ["    /// All bytes are zero.", "    fn default() -> Self {"]
    lines += ["        unsafe { core::mem::zeroed() }", "    }", "}", f"impl {name} {{"]
    lines += ["    /// The bytes for a buffer.", "    pub fn as_bytes(&self) -> &[u8] {"]
    lines += [f"        unsafe {{ core::slice::from_raw_parts((self as *const Self).cast(), {layout.size}) }}"]
    return "\n".join([*lines, "    }", "}", ""])


def _type(shape: Shape, names: StructNames) -> str:
    if shape.is_struct:
        text = _word(names.names[shape.element])
    else:
        kind, bits = shape.element
        text = f"u{bits}" if kind == "uint" or (kind, bits) == ("float", 16) else f"{str(kind)[0]}{bits}"
    for count in reversed(shape.dims):
        text = f"[{text}; {count}]"
    return text


def _constants(reflection: Reflection) -> str:
    """Return the constants of a shader, as indented lines."""
    bound = [r for r in reflection.resources if r.binding is not None]
    lines: list[str] = []
    if bound:
        scope = Scope()
        lines.append("    pub mod bindings {")
        for r in bound:
            value = f"set: {r.set or 0}, binding: {r.binding}, count: {r.count or 0}"
            word = _word(scope.add(r.name))
            lines.append(f"        pub const {word}: super::super::Binding = super::super::Binding {{ {value} }};")
        lines.append("    }")
    if reflection.specialization_constants:
        scope = Scope()
        lines.append("    pub mod constants {")
        for c in reflection.specialization_constants:
            lines.append(f"        pub const {_word(scope.add(c.name))}: u32 = {c.id};")
        lines.append("    }")
    scope = Scope()
    lines.append("    pub mod entry_points {")
    for entry in reflection.entry_points:
        word = _word(scope.add(entry.name))
        text = in_string(entry.name).replace("\\", "\\\\")
        lines.append(f'        pub const {word}: &str = "{text}";')
        if entry.workgroup_size is not None:
            size = ", ".join(map(str, entry.workgroup_size))
            lines.append(f"        pub const {scope.add(word + '_workgroup_size')}: [u32; 3] = [{size}];")
    return "\n".join([*lines, "    }", ""])
