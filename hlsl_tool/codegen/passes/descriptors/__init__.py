"""Replace arrays and structs of resources by one variable for each resource, with its own binding.

``flatten.flatten_descriptors`` replaces three passes of SPIRV-Tools (replace-desc-array-access-using-var-index and both
kinds of descriptor-scalar-replacement), which spirv-opt 2023.1 lacks in part, or which fail there on modules of SPIR-V
1.4. ``local_arrays.replace_local_arrays``, ``linearize_arrays``, ``choose_indices`` and ``join_chains`` have no
counterpart in the SPIRV-Tools that the tool uses.
"""

from .choices import choose_indices
from .joined_chains import join_chains
from .linearize import linearize_arrays

__all__ = ["choose_indices", "join_chains", "linearize_arrays"]
