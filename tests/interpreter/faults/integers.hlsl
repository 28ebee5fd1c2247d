// Integers without a result.
StructuredBuffer<int> numbers;
RWStructuredBuffer<int> target;
RWStructuredBuffer<uint> unsigned_target;

[numthreads(64, 1, 1)] void divided(uint i : SV_DispatchThreadID)
{
    int divisor = int(i & 3);
    target[i] = 100 / divisor;  // divided: division-by-zero
}

[numthreads(64, 1, 1)] void remainder(uint i : SV_DispatchThreadID)
{
    target[i] = 100 % (int(i) - 5);  // remainder: division-by-zero
}

[numthreads(64, 1, 1)] void unsigned_one(uint i : SV_DispatchThreadID)
{
    unsigned_target[i] = 100u / i;  // unsigned_one: unsigned-division-by-zero
}

[numthreads(64, 1, 1)] void overflow(uint i : SV_DispatchThreadID)
{
    int least = int(0x80000000u + i);
    target[i] = least / -1;  // overflow: division-overflow
}

[numthreads(64, 1, 1)] void shifted(uint i : SV_DispatchThreadID)
{
    unsigned_target[i] = 1u << i;  // shifted: shift-too-far
}

[numthreads(64, 1, 1)] void negative_shift(uint i : SV_DispatchThreadID)
{
    target[i] = 256 >> (2 - int(i));  // negative_shift: shift-too-far
}

[numthreads(64, 1, 1)] void converted(uint i : SV_DispatchThreadID)
{
    float x = i * 1e8;
    target[i] = int(x);  // converted: conversion-out-of-range
}

[numthreads(64, 1, 1)] void negative(uint i : SV_DispatchThreadID)
{
    float x = 2.5 - i;
    unsigned_target[i] = uint(x);  // negative: conversion-out-of-range
}
