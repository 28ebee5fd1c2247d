// RUN: -T ps_6_0 -E main
// RUN: -T ps_6_0 -E main -O0 --check-prefix=CHECK
// RUN: not -T ps_6_0 -E main -fspv-extension=SPV_KHR_fma --check-prefix=REFUSED

// CHECK-DAG: OpCapability AbortKHR
// CHECK-DAG: OpExtension "SPV_KHR_abort"
// REFUSED: SPIR-V extension 'SPV_KHR_abort' required for OpAbortKHR but not permitted to use

struct Message { uint code; float2 at; };
[[vk::ext_instruction(/* OpAbortKHR */ 5121)]] void abortWith(Message message);

float4 main(float2 at : AT) : SV_Target {
    if (at.x > 2) {
        Message message = { 7, at };
// CHECK: OpAbortKHR %Message
// CHECK-NEXT: OpLabel
        abortWith(message);
    }
    return at.xyxy;
}
