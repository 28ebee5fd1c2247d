// RUN: -T ps_6_0 -E main
// RUN: -T ps_6_0 -E main -DBOTH
// CHECK: enable dual_source_blending;
// CHECK: @location(0) @blend_src(0)
// CHECK: @location(0) @blend_src(1) SV_Target1: vec4f,
// A first colour that is missing is made up: WGSL wants both.
struct Out
{
#ifdef BOTH
    [[vk::location(0), vk::index(0)]] float4 first : SV_Target0;
#endif
    [[vk::location(0), vk::index(1)]] float4 second : SV_Target1;
};
Out main(float4 p : P)
{
    Out o = (Out)0;
#ifdef BOTH
    o.first = p + 1;
#endif
    o.second = p;
    return o;
}
