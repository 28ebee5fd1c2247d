// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-use-vulkan-memory-model image.coherent.vulkan-model.hlsl
// RUN: -T cs_6_6 -E main -fspv-target-env=vulkan1.3 -fspv-use-vulkan-memory-model -O0 image.coherent.vulkan-model.hlsl

// Texels of coherent images are made available and visible; the loads of the images themselves have no memory operands.
// CHECK: [[image:%\w+]] = OpLoad %type_2d_image %t{{$}}
// CHECK: OpImageRead %v4float [[image]] {{%\w+}} MakeTexelVisible|NonPrivateTexel %uint_5
// CHECK: OpImageWrite {{%\w+}} {{%\w+}} {{%\w+}} MakeTexelAvailable|NonPrivateTexel %uint_5
// CHECK: [[buffer:%\w+]] = OpLoad %type_buffer_image %b{{$}}
// CHECK: OpImageWrite [[buffer]] {{%\w+}} {{%\w+}} MakeTexelAvailable|NonPrivateTexel %uint_5
// CHECK: OpStore {{%\w+}} {{%\w+}} MakePointerAvailable|NonPrivatePointer %uint_5
globallycoherent RWTexture2D<float4> t;
globallycoherent RWBuffer<uint> b;
globallycoherent RWStructuredBuffer<uint> s;
[numthreads(64, 1, 1)] void main(uint i : SV_GroupIndex) {
    t[uint2(i, 0)] = t[uint2(0, i)] + 1;
    b[i] = i;
    s[i] = i;
}
