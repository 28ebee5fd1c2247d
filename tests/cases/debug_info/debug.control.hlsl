// RUN: -T ps_6_1 -E main -fspv-debug=file -fcgl --check-prefix=FILE
// RUN: -T ps_6_1 -E main -fspv-debug=source -fcgl --check-prefix=SOURCE
// RUN: -T ps_6_1 -E main -fspv-target-env=vulkan1.1 -fspv-debug=tool -fcgl --check-prefix=TOOL
// RUN: -T ps_6_1 -E main -fcgl --check-prefix=NONE
float4 main() : SV_Target { return 1; }

// FILE: [[file:%[0-9]+]] = OpString "debug.control.hlsl"
// FILE-NEXT: OpSource HLSL 610 [[file]]
// FILE-NOT: OpLine
// SOURCE: OpSource HLSL 610 %{{[0-9]+}} "// RUN: -T ps_6_1
// TOOL-NOT: OpString
// TOOL: OpModuleProcessed "dxc-cl-option: debug.control.hlsl -T ps_6_1 -E main
// TOOL-NOT: OpLine
// NONE-NOT: OpString
// NONE-NOT: OpLine
