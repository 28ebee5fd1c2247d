"""Map structs and their members to SPIR-V types."""

from __future__ import annotations

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.codegen.layout.rules import Placed, Rule, extent, place
from hlsl_tool.codegen.lower.interface import BitFieldRecord, MemberRecord, StructRecord
from hlsl_tool.codegen.lower.types.inline import InlineTypes, require
from hlsl_tool.codegen.lower.types.kinds import holds_relaxed
from hlsl_tool.frontend.sema.model import types as ty
from hlsl_tool.frontend.sema.model.types import Field, Majorness, Matrix, Struct, Type, innermost
from hlsl_tool.spirv.builder import Member


@dataclass(slots=True)
class StructTypes(InlineTypes):
    """Map structs to SPIR-V: the offset and member index of each field under each layout rule."""

    def placed(self, s: Struct, rule: Rule) -> list[Placed]:
        """Return the members of a struct with byte offsets and SPIR-V member indices; cached."""
        key = (s, rule)
        placed = self._placed.get(key)
        if placed is None:
            placed = self._placed[key] = place(s, rule, self.default_row_major)
        return placed

    def words(self, s: Struct, rule: Rule = Rule.VOID) -> list[Placed]:
        """Return one placed member for each SPIR-V member: the first of bit-fields that share a word."""
        return list({p.index: p for p in reversed(self.placed(s, rule))}.values())[::-1]

    def placed_field(self, s: Struct, f: Field) -> Placed:
        """Return the placed member for a field in a struct without layout; raise KeyError if the struct lacks it."""
        fields = self._placed_fields.get(s)
        if fields is None:
            fields = self._placed_fields[s] = {p.field: p for p in reversed(self.placed(s, Rule.VOID))}
        return fields[f]

    def members(self, s: Struct, rule: Rule) -> list[Member]:
        """Return the SPIR-V members of a struct."""
        return self.lower_members(self.placed(s, rule), rule)

    def lower_members(self, placed: list[Placed], rule: Rule) -> list[Member]:
        """Return the SPIR-V members of placed HLSL members; bit-fields that share a word are one member."""
        out: list[Member] = []
        for p in placed:
            if p.index < len(out):
                continue
            out.append(self.member(p, rule))
        if rule is not Rule.VOID:
            self._record(placed, out)
        return out

    def _record(self, placed: list[Placed], lowered: list[Member]) -> None:
        """Record the HLSL types and bit-fields of a struct's members for reflection."""
        members: dict[int, MemberRecord] = {}
        for p in placed:
            order = "column_major" if self._is_columns(p) else ""
            record = members.setdefault(p.index, MemberRecord(ty.display(p.type), order))
            if p.bits is not None and p.field is not None:
                record.bit_fields.append(BitFieldRecord(p.field.name, ty.display(p.type), p.bit_offset, p.bits))
        names = tuple(m.name for m in lowered)
        offsets = tuple(m.offset or 0 for m in lowered)
        self.structs.append(StructRecord(names, offsets, list(members.values())))

    def member(self, p: Placed, rule: Rule) -> Member:
        """Return the SPIR-V member, with its decorations, for one placed HLSL member."""
        majorness: Majorness = "row" if p.row_major else "column"
        name = p.field.name if p.field is not None else ""
        inner = innermost(p.type)
        type_id = self.id(p.stored_type, rule, majorness if isinstance(inner, Matrix) else None)
        precise = p.field is not None and "precise" in p.field.quals
        relaxed = holds_relaxed(p.type)
        decorations = _ext_decorations(p.field) if p.field is not None else ()
        if p.field is not None and p.field.attributes:
            self.has_declarations = True
            require(self.builder, p.field.attributes)
        if rule is Rule.VOID:
            return Member(type_id, name, relaxed=relaxed, precise=precise, decorations=decorations)
        stride: int | None = None
        row_major: bool | None = None
        if self.is_spirv_matrix(inner) and not self.is_apart(inner, p.row_major):
            stride = extent(inner, rule, p.row_major, self.default_row_major).stride
            row_major = not p.row_major  # SPIR-V's majorness is the opposite of HLSL's
        return Member(type_id, name, p.offset, stride, row_major, relaxed, precise, decorations)

    def _is_columns(self, p: Placed) -> bool:
        """Return whether a member contains matrices that are stored as arrays of columns."""
        t = innermost(p.type)
        is_array = isinstance(t, Matrix) and t.rows > 1 and t.cols > 1 and t.element.category != "float"
        return is_array and self.integer_columns and not p.row_major

    def is_apart(self, t: Type, row_major: bool) -> bool:
        """Return whether a matrix becomes an array of its rows, inside a ``with`` block of `rows_apart`.

        Only row-major matrices with fewer than four columns do.
        """
        is_padded = isinstance(t, Matrix) and t.cols < 4
        return self.has_rows_apart and row_major and is_padded and self.is_spirv_matrix(t)

    @staticmethod
    def is_spirv_matrix(t: Type) -> bool:
        """Return whether a type is lowered to OpTypeMatrix: floats, more than one row and column."""
        return isinstance(t, Matrix) and t.rows > 1 and t.cols > 1 and t.element.category == "float"


def _ext_decorations(f: Field) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return (decoration, literals) for each ``[[vk::ext_decorate(n, literals...)]]`` on a member."""
    out: list[tuple[int, tuple[int, ...]]] = []
    for a in f.attributes:
        numbers = [x & 0xFFFFFFFF for x in a.args if isinstance(x, int)]
        if a.scope == "vk" and a.name == "ext_decorate" and numbers:
            out.append((numbers[0], tuple(numbers[1:])))
    return tuple(out)
