"""Replace arrays and structs of resources by one variable for each resource, with its own binding.

``flatten.flatten_descriptors`` replaces three passes of SPIRV-Tools (replace-desc-array-access-using-var-index and both
kinds of descriptor-scalar-replacement). spirv-opt 2023.1 lacks some of them, and others fail there on modules of SPIR-V
1.4. ``local_arrays.replace_local_arrays``, ``linearize_arrays`` and ``choose_indices`` have no counterpart in
SPIRV-Tools.
"""

from .choices import choose_indices
from .linearize import linearize_arrays

__all__ = ["choose_indices", "linearize_arrays"]
