// The origin of NaN and infinity.
RWStructuredBuffer<float> target;

[numthreads(64, 1, 1)] void root(uint i : SV_DispatchThreadID)
{
    float x = 3.0 - i;
    float y = sqrt(x);  // root: nan
    target[i] = y + 1;
}

[numthreads(64, 1, 1)] void direction(uint i : SV_DispatchThreadID)
{
    float3 v = float3(i, 0, 0);
    target[i] = normalize(v).x;  // direction: nan
}

[numthreads(64, 1, 1)] void logarithm(uint i : SV_DispatchThreadID)
{
    target[i] = log(float(i)) * 2;  // logarithm: infinity
}

float inverse(float x)
{
    return 1 / x;  // inverted: infinity
}

[numthreads(64, 1, 1)] void inverted(uint i : SV_DispatchThreadID)
{
    target[i] = inverse(i);
}

[numthreads(64, 1, 1)] void power(uint i : SV_DispatchThreadID)
{
    float x = i * 8.0;
    target[i] = exp2(x);  // power: infinity
}

[numthreads(64, 1, 1)] void saturated(uint i : SV_DispatchThreadID)
{
    float x = acos(1.5 + i);  // saturated: nan
    target[i] = saturate(x);  // saturated: nan-clamped
}

[numthreads(64, 1, 1)] void largest(uint i : SV_DispatchThreadID)
{
    float x = (i - 1.0 * i) / (i - 1.0 * i);  // largest: nan
    target[i] = max(x, 0);  // largest: nan-clamped
}
