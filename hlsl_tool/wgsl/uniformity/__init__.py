"""Check that every barrier is in uniform control flow by WGSL's static rules (specification, 15.2).

SPIR-V requires uniform control flow at run time, WGSL in the text. Before: functions as regions (see `regions`), as
they will be written. After: a WGSL compiler accepts every barrier, or an error names the value on which reaching the
barrier depends. If barriers depend on a value in workgroup memory that is read in uniform control flow, the value is
read with `workgroupUniformLoad`, which makes it uniform.

A *cause* is the id of a divergent value (one that may differ between invocations), or 0 for none.
"""

from .check import check_barriers

__all__ = ["check_barriers"]
