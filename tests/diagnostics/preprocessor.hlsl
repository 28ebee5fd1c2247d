// HLSL01xx: the preprocessor.

// ----
#include "nowhere.hlsli"  // fatal: HLSL0101
float4 main() : SV_Target { return 0; }

// ----
#include <local.hlsli>  // error: HLSL0102
float4 main() : SV_Target { return 0; }
// ---> local.hlsli
float x;

// ----
#include "Local.hlsli"  // fatal: HLSL0103
float4 main() : SV_Target { return 0; }
// ---> local.hlsli
float x;

// ---- -T ps_6_0 -case-insensitive-includes
#include "Folder.hlsli"  // warning: HLSL0104
float4 main() : SV_Target { return 0; }
// ---> folder.hlsli
float x;

// ---- // fatal: HLSL0105
#include "a.hlsli"
float4 main() : SV_Target { return 0; }
// ---> a.hlsli
#include "a.hlsli"

// ----
#include local.hlsli  // error: HLSL0106
float4 main() : SV_Target { return 0; }

// ----
#include ""  // error: HLSL0107
float4 main() : SV_Target { return 0; }

// ----
#define ID(x) x
float f = ID(1
#include "a.hlsli"  // error: HLSL0108
);
float4 main() : SV_Target { return 0; }
// ---> a.hlsli
+ 1

// ----
float é§ = 1;  // error: HLSL0112
float4 main() : SV_Target { return 0; }

// ----
#if 1
#endif extra  // warning: HLSL0114
float4 main() : SV_Target { return 0; }

// ----
#pragma once  // warning: HLSL0115
float4 main() : SV_Target { return 0; }

// ----
float a; /* no end  // error: HLSL0120
float4 main() : SV_Target { return 0; }

// ----
static const string s = "no end;  // error: HLSL0121
float4 main() : SV_Target { return 0; }

// ----
x 'y  // error: HLSL0122
float4 main() : SV_Target { return 0; }

// ----
#unknown  // error: HLSL0130
float4 main() : SV_Target { return 0; }

// ----
#ifndef FLAG
#error no flag  // error: HLSL0131
#endif
float4 main(float4 c : C) : SV_Target { return c * SCALE; }

// ----
#warning "look here"  // warning: HLSL0132
float4 main() : SV_Target { return 0; }

// ----
#if 1  // error: HLSL0133
float a;
float4 main() : SV_Target { return 0; }

// ----
#else  // error: HLSL0134
float4 main() : SV_Target { return 0; }

// ----
#if 0
#else
#elif 1  // error: HLSL0135
#endif
float4 main() : SV_Target { return 0; }

// ----
#define  // error: HLSL0136
float4 main() : SV_Target { return 0; }

// ----
#define 1 2  // error: HLSL0137
float4 main() : SV_Target { return 0; }

// ----
#define defined 1  // error: HLSL0138
float4 main() : SV_Target { return 0; }

// ----
#line  // error: HLSL0139
float4 main() : SV_Target { return 0; }

// ----
#line 0x10  // error: HLSL0140
float4 main() : SV_Target { return 0; }

// ----
#line 10 name  // error: HLSL0141
float4 main() : SV_Target { return 0; }

// ----
#if  // error: HLSL0150
#endif
float4 main() : SV_Target { return 0; }

// ----
#if (1  // error: HLSL0151
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 1)  // error: HLSL0152
#endif
float4 main() : SV_Target { return 0; }

// ----
#if defined(A  // error: HLSL0153
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 1 : 2  // error: HLSL0154
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 1 / 0  // error: HLSL0155
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 1 % 0  // error: HLSL0156
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 1 = 2  // error: HLSL0157
#endif
float4 main() : SV_Target { return 0; }

// ----
#if * 2  // error: HLSL0158
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 1.5  // error: HLSL0159
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 1z  // error: HLSL0160
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 09  // error: HLSL0161
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 0x7fffffffffffffff + 1  // warning: HLSL0162
#endif
float4 main() : SV_Target { return 0; }

// ----
#if 99999999999999999999999  // error: HLSL0163
#endif
float4 main() : SV_Target { return 0; }

// ----
#if ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1  // error: HLSL0164
#endif
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -Wundef
#if UNKNOWN  // warning: HLSL0165
#endif
float4 main() : SV_Target { return 0; }

// ----
#if -1 < 1u  // warning: HLSL0167
#endif
float4 main() : SV_Target { return 0; }

// ----
#define F(x) x  // note: HLSL0170
float a = F(1, 2);  // error: HLSL0184
float4 main() : SV_Target { return 0; }

// ----
#define A 1  // note: HLSL0171
#define A 2  // warning: HLSL0172
float4 main() : SV_Target { return 0; }

// ----
#define A 1
#define A 2  // warning: HLSL0172
float4 main() : SV_Target { return 0; }

// ----
#undef __FILE__  // warning: HLSL0173
float4 main() : SV_Target { return 0; }

// ----
#define F(a  // error: HLSL0174
float4 main() : SV_Target { return 0; }

// ----
#define F(1) x  // error: HLSL0175
float4 main() : SV_Target { return 0; }

// ----
#define F(a,) a  // error: HLSL0176
float4 main() : SV_Target { return 0; }

// ----
#define F(a b) a  // error: HLSL0177
float4 main() : SV_Target { return 0; }

// ----
#define F(a, a) a  // error: HLSL0178
float4 main() : SV_Target { return 0; }

// ----
#define F(a) #b  // error: HLSL0179
float4 main() : SV_Target { return 0; }

// ----
#define F ## a  // error: HLSL0180
float4 main() : SV_Target { return 0; }

// ----
#define F(a) a ##  // error: HLSL0181
float4 main() : SV_Target { return 0; }

// ----
#define F(a, b) a ## b
float f = F(+, 1);  // error: HLSL0182
float4 main() : SV_Target { return 0; }

// ----
#define F(a) a
float f = F(1;  // error: HLSL0183
float4 main() : SV_Target { return 0; }

// ----
#define F(a) a
float f = F(1, 2);  // error: HLSL0184
float4 main() : SV_Target { return 0; }

// ----
#define F(a, b) a
float f = F(1);  // error: HLSL0185
float4 main() : SV_Target { return 0; }

// ----
string s = __DATE__;  // warning: HLSL0190
float4 main() : SV_Target { return 0; }

// ---- -T ps_6_0 -Wunknown-pragmas
#pragma surprise  // warning: HLSL0191
float4 main() : SV_Target { return 0; }

// ----
#pragma message("hello")  // warning: HLSL0192
float4 main() : SV_Target { return 0; }

// ----
#pragma message hello  // error: HLSL0193
float4 main() : SV_Target { return 0; }

// ----
_Pragma(1)  // error: HLSL0194
float4 main() : SV_Target { return 0; }

// ----
#pragma dxc diagnostic whatever "-Wconversion"  // warning: HLSL0195
float4 main() : SV_Target { return 0; }

// ----
#pragma dxc diagnostic pop  // warning: HLSL0196
float4 main() : SV_Target { return 0; }

// ----
#pragma dxc diagnostic ignored Wconversion  // warning: HLSL0197
float4 main() : SV_Target { return 0; }

// ----
#pragma dxc diagnostic ignored "-Wnever-heard-of"  // warning: HLSL0198
float4 main() : SV_Target { return 0; }

// ----
#pragma pack_matrix(diagonal_major)  // error: HLSL0199
float4 main() : SV_Target { return 0; }
