// RUN: -T as_6_5 -E main -fspv-target-env=vulkan1.3 -fcgl stage.amplification.hlsl
// RUN: -T as_6_5 -E main -fcgl stage.amplification.hlsl --check-prefix=NV
// RUN: -T as_6_5 -E main -fspv-target-env=vulkan1.3 stage.amplification.hlsl --check-prefix=FINAL
// RUN: not -T as_6_5 -E local -fcgl stage.amplification.hlsl --check-prefix=LOCAL

struct Load { float4 tint; float2 offset; };
groupshared Load load;

// CHECK: OpEntryPoint TaskEXT %main "main"
// CHECK: OpExecutionMode %main LocalSize 1 1 1
// CHECK: %load = OpVariable %_ptr_TaskPayloadWorkgroupEXT_Load TaskPayloadWorkgroupEXT
// NV: OpEntryPoint TaskNV %main "main"
// NV: %load = OpVariable %_ptr_Workgroup_Load Workgroup
// FINAL: OpEmitMeshTasksEXT %uint_2 %uint_3 %uint_4 %load
[numthreads(1, 1, 1)]
void main() {
// CHECK: OpAccessChain %_ptr_TaskPayloadWorkgroupEXT_v4float %load %int_0
  load.tint = 1;
// CHECK: OpControlBarrier %uint_2 %uint_2 %uint_264
// CHECK: OpEmitMeshTasksEXT %uint_2 %uint_3 %uint_4 %load
// NV: OpStore %out_var_tint
// NV: OpStore %out_var_offset
// NV: [[yz:%[0-9]+]] = OpIMul %uint %uint_3 %uint_4
// NV: [[n:%[0-9]+]] = OpIMul %uint %uint_2 [[yz]]
// NV: OpStore {{%[0-9]+}} [[n]]
  DispatchMesh(2, 3, 4, load);
}

// LOCAL: expected groupshared object as argument to DispatchMesh()
[numthreads(1, 1, 1)]
void local() {
  Load mine = { float4(0, 0, 0, 0), float2(0, 0) };
  DispatchMesh(1, 1, 1, mine);
}
