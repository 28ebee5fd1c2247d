// RUN: -T ps_6_0 -E main -fspv-debug=rich -fcgl
float twice(float x) { return x * 2; }
float4 main(float2 uv : UV) : SV_Target {
    float sum = 0;
    if (uv.x > 0) {
        float y = twice(uv.y);
        sum += y;
    }
    return sum;
}

// CHECK: [[set:%[0-9]+]] = OpExtInstImport "OpenCL.DebugInfo.100"
// CHECK: [[float:%[0-9]+]] = OpExtInst %void [[set]] DebugTypeBasic %{{[0-9]+}} %uint_32 Float
// CHECK: [[type:%[0-9]+]] = OpExtInst %void [[set]] DebugTypeFunction FlagIsProtected|FlagIsPrivate [[float]] [[float]]
// CHECK: [[source:%[0-9]+]] = OpExtInst %void [[set]] DebugSource %{{[0-9]+}}
// CHECK: [[unit:%[0-9]+]] = OpExtInst %void [[set]] DebugCompilationUnit 1 4 [[source]] HLSL
// CHECK: [[twice:%[0-9]+]] = OpExtInst %void [[set]] DebugFunction %{{[0-9]+}} [[type]] [[source]] 2 1 [[unit]] %{{[0-9]+}} FlagIsProtected|FlagIsPrivate 2 %twice
// CHECK: [[main:%[0-9]+]] = OpExtInst %void [[set]] DebugFunction %{{[0-9]+}} %{{[0-9]+}} [[source]] 3 1
// CHECK: [[body:%[0-9]+]] = OpExtInst %void [[set]] DebugLexicalBlock [[source]] 3 41 [[main]]
// CHECK: [[if:%[0-9]+]] = OpExtInst %void [[set]] DebugLexicalBlock [[source]] 5 19 [[body]]
// CHECK: [[y:%[0-9]+]] = OpExtInst %void [[set]] DebugLocalVariable %{{[0-9]+}} [[float]] [[source]] 6 15 [[if]] FlagIsLocal
// CHECK: [[uv:%[0-9]+]] = OpExtInst %void [[set]] DebugLocalVariable %{{[0-9]+}} %{{[0-9]+}} [[source]] 3 20 [[main]] FlagIsLocal 1
// CHECK: %src_main = OpFunction
// CHECK-NEXT: OpExtInst %void [[set]] DebugScope [[main]]
// CHECK: %uv = OpFunctionParameter
// CHECK-NEXT: OpExtInst %void [[set]] DebugDeclare [[uv]] %uv
// CHECK-NEXT: OpNoLine
// CHECK-NEXT: %bb_entry = OpLabel
// CHECK-NEXT: OpExtInst %void [[set]] DebugScope [[body]]
// CHECK: %if_true = OpLabel
// CHECK-NEXT: OpExtInst %void [[set]] DebugScope [[if]]
// CHECK: OpStore %y
// CHECK-NEXT: OpExtInst %void [[set]] DebugDeclare [[y]] %y
// CHECK: %if_merge = OpLabel
// CHECK-NEXT: OpExtInst %void [[set]] DebugScope [[body]]
// CHECK: %twice = OpFunction
// CHECK-NEXT: OpExtInst %void [[set]] DebugScope [[twice]]
