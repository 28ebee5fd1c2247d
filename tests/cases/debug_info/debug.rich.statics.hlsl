// RUN: -T gs_6_0 -E main -fcgl -fspv-debug=rich

// The body of a switch is a scope, without a DebugScope of its own; a static variable of a function belongs to the scope
// that declares it; a stream is its structure; nameless structures have places; an image is what was declared last; the
// size of a structure with layout includes its padding; DXC does not describe push constants.
// CHECK-NOT: DebugGlobalVariable {{.*}} %pushed
// CHECK: [[o:%[0-9]+]] = OpString "Out"
// CHECK: [[float:%[0-9]+]] = OpExtInst %void %1 DebugTypeBasic {{%[0-9]+}} %uint_32 Float
// CHECK: [[local:%[0-9]+]] = OpExtInst %void %1 DebugTypeComposite {{%[0-9]+}} Structure {{%[0-9]+}} 34 3
// CHECK-NEXT: DebugTypeMember {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} 34 18 [[local]]
// CHECK: [[out:%[0-9]+]] = OpExtInst %void %1 DebugTypeComposite [[o]] Structure
// CHECK: DebugTypeMember {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} 23 23 {{%[0-9]+}} %uint_0 %uint_128
// CHECK: DebugTypeFunction FlagIsProtected|FlagIsPrivate %void {{%[0-9]+}} [[out]]
// CHECK: [[body:%[0-9]+]] = OpExtInst %void %1 DebugLexicalBlock
// CHECK: [[switch:%[0-9]+]] = OpExtInst %void %1 DebugLexicalBlock {{%[0-9]+}} 36 26 [[body]]
// CHECK: [[case:%[0-9]+]] = OpExtInst %void %1 DebugLexicalBlock {{%[0-9]+}} {{[0-9]+}} 13 [[switch]]
// CHECK: DebugGlobalVariable {{%[0-9]+}} {{%[0-9]+}} {{%[0-9]+}} {{[0-9]+}} 14 [[body]] {{%[0-9]+}} %counted
// CHECK: DebugTypeTemplateParameter {{%[0-9]+}} [[float]]
struct In { float4 p : P; };
struct Out { float4 p : SV_Position; };
struct Pushed { int number; };
struct Small { float f; };
cbuffer Sized { Small small; float after; };
[[vk::push_constant]] Pushed pushed;
Texture2D<float4> first;
Texture2D<float> last;

// CHECK: %src_main = OpFunction
[maxvertexcount(1)]
void main(point In i[1], inout PointStream<Out> stream) {
  static int counted = 1;
  Out o;
  o.p = i[0].p + small.f + first.Load(0) + last.Load(0).x;
  struct { float member; } local;
  local.member = 1;
  switch (pushed.number) {
    // CHECK: %switch_1 = OpLabel
    // CHECK-NEXT: DebugScope [[case]]
    case 1: { counted++; o.p += counted + local.member; }
    // CHECK: DebugScope [[switch]]
    // CHECK-NEXT: DebugScope [[body]]
  }
  stream.Append(o);
}
