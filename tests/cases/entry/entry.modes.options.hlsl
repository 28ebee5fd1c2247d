// RUN: -T cs_6_2 -E main -denorm preserve -Gis -fspv-enable-maximal-reconvergence -fcgl --check-prefix=ALL
// RUN: -T cs_6_2 -E main -denorm ftz -fspv-target-env=vulkan1.2 -fcgl --check-prefix=FTZ
// RUN: -T cs_6_2 -E main -denorm any -fcgl --check-prefix=ANY
// RUN: -T cs_6_2 -E main -denorm ftz -Gis

// CHECK-DAG: OpCapability SignedZeroInfNanPreserve
// CHECK-DAG: OpExtension "SPV_KHR_float_controls"
// CHECK-DAG: OpExecutionMode %main SignedZeroInfNanPreserve 32

// ALL: OpCapability DenormPreserve
// ALL: OpExtension "SPV_KHR_maximal_reconvergence"
// ALL: OpExecutionMode %main MaximallyReconvergesKHR
// ALL: OpExecutionMode %main SignedZeroInfNanPreserve 32
// ALL: OpExecutionMode %main DenormPreserve 32

// FTZ: OpCapability DenormFlushToZero
// FTZ-NOT: SPV_KHR_float_controls
// FTZ: OpExecutionMode %main DenormFlushToZero 32

// ANY-NOT: Denorm
// ANY: OpExecutionMode %main LocalSize 1 1 1
// ANY-NOT: Preserve

RWStructuredBuffer<float> f;
[numthreads(1, 1, 1)] void main() { f[0] = f[1] * f[2]; }
