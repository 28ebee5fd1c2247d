// RUN: -T cs_6_0 -E main
// A struct without members takes no memory.
struct Tag { };
struct Item { Tag tag; float4 value; };
// CHECK: struct Item {
// CHECK-NEXT: value: vec4f,
// CHECK-NEXT: }
RWStructuredBuffer<Item> items;
[numthreads(1, 1, 1)] void main()
{
// CHECK: items[0].value = {{.*}}.value;
    items[0] = items[1];
}
