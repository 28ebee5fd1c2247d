// RUN: -T cs_6_0 -E main -fcgl

// Operands of a type by number: literals stay literals, a reference is the other type's id.
[[vk::ext_type_def(/* number */ 4, /* OpTypeInt */ 21)]]
void makeWord([[vk::ext_literal]] int width, [[vk::ext_literal]] int signedness);

[[vk::ext_type_def(/* number */ 5, /* OpTypeVector */ 23)]]
void makeWords([[vk::ext_reference]] vk::ext_type<4> word, [[vk::ext_literal]] int count);

static vk::ext_type<4> word;
static vk::ext_type<5> words;

// CHECK: [[word:%[a-zA-Z0-9_]+]] = OpTypeInt 32 0
// CHECK: = OpTypeVector [[word]] 3
[numthreads(1, 1, 1)] void main() {
  makeWord(32, 0);
  makeWords(word, 3);
}
