// RUN: -T ps_6_0 -E main -Zi -fcgl
struct P { int first; float second; };
struct Q { P p[2]; };
int4 main() : SV_Target {
    P bar;
    Q nested;
    int4 e = {1, 2, bar};
    int4 f = {
        nested
    };
    P g = {1, 2};
    return e + f + g.first;
}

// CHECK: OpLine %{{[0-9]+}} 7 21
// CHECK-NEXT: OpLoad %P %bar
// CHECK-NEXT: OpCompositeExtract %int
// CHECK-NEXT: OpCompositeExtract %float
// CHECK-NEXT: OpLine %{{[0-9]+}} 7 14
// CHECK-NEXT: OpConvertFToS %int
// CHECK-NEXT: OpCompositeConstruct %v4int
// CHECK: OpLine %{{[0-9]+}} 9 9
// CHECK-NEXT: OpLoad %Q %nested
// CHECK-NEXT: OpCompositeExtract %_arr_P_uint_2
// CHECK-NEXT: OpCompositeExtract %P
// CHECK-NEXT: OpCompositeExtract %P
// CHECK-NEXT: OpCompositeExtract %int
// CHECK-NEXT: OpCompositeExtract %float
// CHECK-NEXT: OpLine %{{[0-9]+}} 8 14
// CHECK-NEXT: OpConvertFToS
