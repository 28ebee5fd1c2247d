// RUN: -T lib_6_8 -fspv-target-env=vulkan1.3 -fcgl stage.node.hlsl
// RUN: -T lib_6_8 -fspv-target-env=vulkan1.3 -Os stage.node.hlsl --check-prefix=SIZE
// RUN: -T lib_6_8 -fspv-target-env=vulkan1.3 -O0 stage.node.hlsl --check-prefix=SIZE
// RUN: not -T lib_6_8 -fspv-target-env=vulkan1.2 -fcgl stage.node.hlsl --check-prefix=OLD
// SIZE: OpEntryPoint GLCompute

// OLD: Vulkan 1.3 is required for WorkGraphs but not permitted to use

// CHECK: OpCapability ShaderEnqueueAMDX
// CHECK: OpExtension "SPV_AMDX_shader_enqueue"
// CHECK: OpEntryPoint GLCompute %spread "spread"
// CHECK: OpEntryPoint GLCompute %gather "gather"
// Inputs belong to their node alone.
// CHECK: OpEntryPoint GLCompute %last "last" %in_var_input_1 {{%[0-9]+}} %result{{$}}
// CHECK: OpExecutionMode %spread LocalSize 64 1 1
// CHECK-NOT: OpExecutionMode %spread CoalescingAMDX
// CHECK: OpExecutionModeId %spread ShaderIndexAMDX %uint_0
// CHECK: OpExecutionModeId %spread MaxNodeRecursionAMDX %uint_5
// CHECK: OpExecutionModeId %spread StaticNumWorkgroupsAMDX %uint_8 %uint_2 %uint_1
// CHECK: OpExecutionMode %gather CoalescingAMDX
// CHECK: OpExecutionModeId %gather ShaderIndexAMDX %uint_2
// CHECK: OpExecutionModeId %gather SharesInputWithAMDX [[shared:%[0-9]+]] %uint_3
// CHECK: OpExecutionMode %last LocalSize 1 1 1
// CHECK: OpExecutionModeId %last MaxNumWorkgroupsAMDX %uint_4 %uint_4 %uint_4

// CHECK-DAG: OpMemberDecorate %Work 0 PayloadDispatchIndirectAMDX
// CHECK-DAG: OpDecorate %Work TrackFinishWritingAMDX
// CHECK: OpDecorateId [[out:%_payloadarr_[0-9a-zA-Z_]+]] PayloadNodeNameAMDX [[name:%[0-9]+]]
// CHECK: OpDecorateId [[out]] PayloadNodeBaseIndexAMDX %uint_7
// CHECK: OpDecorateId [[out]] NodeMaxPayloadsAMDX %uint_16
// CHECK: OpDecorateId [[more:%_payloadarr_[0-9a-zA-Z_]+]] PayloadNodeNameAMDX
// CHECK: OpDecorateId [[more]] NodeSharesPayloadLimitsWithAMDX [[out]]
// CHECK: OpDecorate [[more]] PayloadNodeSparseArrayAMDX
// CHECK: OpDecorateId [[more]] PayloadNodeArraySizeAMDX %uint_9
// CHECK: [[name]] = OpConstantStringAMDX "collector"
struct [NodeTrackRWInputSharing] Work { uint3 grid : SV_DispatchGrid; uint value; };
struct Item { float weight; uint from; };

RWBuffer<uint> result;

// Helpers take what they are called with.
void fill(ThreadNodeOutputRecords<Item> items, uint i) { items.Get(i).from = i; }

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(8, 2, 1)]
[NodeMaxRecursionDepth(5)]
[NumThreads(64, 1, 1)]
// CHECK: %src_spread = OpFunction %void
// CHECK-NEXT: %input = OpFunctionParameter %_ptr_NodePayloadAMDX_
void spread(RWDispatchNodeInputRecord<Work> input,
            [MaxRecords(16)] [NodeID("collector", 7)] NodeOutput<Item> output,
            [MaxRecordsSharedWith(output)] [NodeArraySize(9)] [AllowSparseNodes] NodeOutputArray<Item> more,
            uint3 id : SV_DispatchThreadID) {
// CHECK: [[work:%[0-9]+]] = OpAccessChain %_ptr_NodePayloadAMDX_Work %input %uint_0
// CHECK: [[value:%[0-9]+]] = OpAccessChain %_ptr_NodePayloadAMDX_uint [[work]] %int_1
// CHECK: OpStore [[value]] %uint_3
  input.Get().value = 3;
// CHECK: OpIsNodePayloadValidAMDX %bool %output %uint_7
  if (output.IsValid()) {
// CHECK: [[made:%[0-9]+]] = OpAllocateNodePayloadsAMDX {{%[0-9a-zA-Z_]+}} %uint_4 %uint_2 %uint_0
// CHECK: OpLoad [[out]] [[made]]
// CHECK: OpStore %items
    ThreadNodeOutputRecords<Item> items = output.GetThreadNodeOutputRecords(2);
// CHECK: OpAccessChain %_ptr_Function_float %items %uint_1 %int_0
    items[1].weight = 0.5;
// CHECK: OpFunctionCall %void %fill %items
    fill(items, 1);
// CHECK: OpEnqueueNodePayloadsAMDX %items
    items.OutputComplete();
  }
// CHECK: OpAllocateNodePayloadsAMDX {{%[0-9a-zA-Z_]+}} %uint_2 %uint_1 [[x:%[0-9]+]]
  GroupNodeOutputRecords<Item> group;
  group = more[id.x].GetGroupNodeOutputRecords(1);
  group.OutputComplete();
// CHECK: OpIsNodePayloadValidAMDX %bool %more %uint_1
// CHECK: OpFinishWritingNodePayloadAMDX %bool %input
  if (more[1].IsValid() && input.FinishedCrossGroupSharing())
    result[0] = GetRemainingRecursionLevels();
}

[Shader("node")]
[NodeLaunch("coalescing")]
[NodeID("collector", 2)]
[NodeShareInputOf("spread", 3)]
[NumThreads(32, 1, 1)]
void gather([MaxRecords(4)] GroupNodeInputRecords<Item> input, EmptyNodeOutput done) {
// CHECK: OpNodePayloadArrayLengthAMDX %uint %input
  for (uint i = 0; i < input.Count(); ++i)
// CHECK: OpAccessChain %_ptr_NodePayloadAMDX_uint %input_0 {{%[0-9]+}} %int_1
    result[i] = input[i].from;
// CHECK: OpAllocateNodePayloadsAMDX {{%[0-9a-zA-Z_]+}} %uint_2 %uint_1 %uint_0
  done.GroupIncrementOutputCount(1);
// CHECK: OpControlBarrier %uint_2 %uint_2 %uint_264
  Barrier(GROUP_SHARED_MEMORY, GROUP_SCOPE | GROUP_SYNC);
}

struct Grid { uint3 size : SV_DispatchGrid; };

[Shader("node")]
[NodeMaxDispatchGrid(4, 4, 4)]
[NumThreads(1, 1, 1)]
void last(DispatchNodeInputRecord<Grid> input) {
}
