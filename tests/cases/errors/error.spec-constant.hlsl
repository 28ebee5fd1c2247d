// RUN: not -T vs_6_0 -E main -fcgl

// The whole declaration is meant, and the whole initialiser.
// CHECK: :5:24: error: unsupported specialization constant type
[[vk::constant_id(1)]] const double wide = 42.0L;
[[vk::constant_id(0)]] const bool flag = true;
// CHECK: :8:42: error: unsupported specialization constant initializer
[[vk::constant_id(4)]] const int sum =   flag + flag;
float4 main() : SV_Position { return (float)wide + sum; }
