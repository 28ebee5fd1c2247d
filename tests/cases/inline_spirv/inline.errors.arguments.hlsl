// RUN: not -T cs_6_0 -E main

// CHECK-DAG: vk::ext_instruction takes a number first
[[vk::ext_instruction]] float f(float x);
// CHECK-DAG: vk::ext_instruction takes an opcode of at most 65535
[[vk::ext_instruction(99999)]] float g(float x);
// CHECK-DAG: vk::ext_decorate takes a number first
[[vk::ext_decorate]] static int i;
// CHECK-DAG: vk::ext_extension takes the name of an extension
[[vk::ext_extension(5)]] static int j;
// CHECK-DAG: The template argument to vk::Literal must be a vk::integral_constant
static vk::Literal<int> literal;
// CHECK-DAG: vk::integral_constant takes an integer type and a constant of it
typedef vk::SpirvOpaqueType<28, int, vk::integral_constant<float, 1> > T;
// CHECK-DAG: 'void' cannot be what a vk::BufferPointer points to
typedef vk::BufferPointer<void> P;
// CHECK-DAG: no member named 'nothing' in namespace 'vk'
namespace vk { static int own = 1; }
[numthreads(1, 1, 1)] void main() { i = vk::own + vk::DeviceScope + vk::nothing; }
