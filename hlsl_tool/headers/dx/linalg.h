// Matrices of DirectX's linear algebra (shader model 6.10).  SPIR-V has cooperative matrices instead.

#error <dx/linalg.h> has no counterpart in SPIR-V: use <vk/khr/cooperative_matrix.h>
