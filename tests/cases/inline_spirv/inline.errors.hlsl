// RUN: not -T cs_6_0 -E reference --check-prefix=REFERENCE
// RUN: not -T cs_6_0 -E literal --check-prefix=LITERAL
// RUN: not -T cs_6_0 -E undefined --check-prefix=UNDEFINED
// RUN: not -T cs_6_0 -E strings --check-prefix=STRING
// RUN: not -T cs_6_0 -E mode --check-prefix=MODE
// RUN: not -T cs_6_0 -E results --check-prefix=RESULT
// RUN: not -T cs_6_0 -E reference -DBUILTIN --check-prefix=BUILTIN
// RUN: not -T cs_6_0 -E reference -DTYPE --check-prefix=TYPE

[[vk::ext_instruction(/* OpLoad */ 61)]] float load([[vk::ext_reference]] float p, [[vk::ext_literal]] int access);
[[vk::ext_decorate_string(/* UserTypeGOOGLE */ 5636, "t")]] [noinline] float named(float x) { return x; }
static float s;

// REFERENCE: argument for a parameter with vk::ext_reference attribute must be a reference
[numthreads(1, 1, 1)] void reference() { s = load(1.0, 0); }

// LITERAL: vk::ext_literal may only be applied to parameters that can be evaluated to a literal value
[numthreads(1, 1, 1)] void literal(uint i : SV_GroupIndex) { s = load(s, i); }

// UNDEFINED: vk::ext_type<9> is used and no function with vk::ext_type_def(9, ...) is called
[numthreads(1, 1, 1)] void undefined() { vk::ext_type<9> t; }

// STRING: vk::ext_decorate_string is not supported on functions
[numthreads(1, 1, 1)] void strings() { s = named(s); }

// MODE: Invalid execution mode operand: 999999 [HLSL0809]
[[vk::spvexecutionmode(999999)]] [numthreads(1, 1, 1)] void mode() {}

[[vk::ext_instruction(/* OpControlBarrier */ 224)]] int barrier(uint a, uint b, uint c);
[[vk::ext_instruction(/* OpNot */ 200)]] void invert(int x);
// RESULT-DAG: OpControlBarrier has no result: the function must return void
// RESULT-DAG: OpNot has a result: the function must return it
void second() { invert(3); }
[numthreads(1, 1, 1)] void results() { second(); s = barrier(2, 2, 0); }

#ifdef BUILTIN
// BUILTIN-DAG: vk::ext_builtin_input and vk::ext_builtin_output can only be applied to a static variable
// BUILTIN-DAG: vk::ext_builtin_input can only be applied to a const-qualified variable
// BUILTIN-DAG: vk::ext_builtin_input cannot be used together with vk::ext_builtin_output
// BUILTIN: error: cannot redefine builtin 24 as an output
// BUILTIN: warning: previous definition is here
[[vk::ext_builtin_input(24)]] const uint3 external;
[[vk::ext_builtin_input(26)]] static uint3 variable;
[[vk::ext_builtin_input(27)]] [[vk::ext_builtin_output(27)]] static const uint3 both;
[[vk::ext_builtin_input(24)]] static const uint3 groups;
[[vk::ext_builtin_output(24)]] static uint3 again;
#endif

#ifdef TYPE
// TYPE: operands of vk::SpirvOpaqueType are types, vk::integral_constant and vk::Literal
vk::SpirvOpaqueType</* OpTypeArray */ 28, float, 4> array;
#endif
