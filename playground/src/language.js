// HLSL for the editor: words and colours.
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { clike } from "@codemirror/legacy-modes/mode/clike";
import { tags } from "@lezer/highlight";

const words = text => Object.fromEntries(text.split(/\s+/).map(word => [word, true]));
const numeric = ["bool", "int", "uint", "float", "half", "double", "min16float", "min16int", "min16uint", "float16_t", "int16_t", "uint16_t", "int64_t", "uint64_t"];
const sizes = ["", ...[1, 2, 3, 4].flatMap(rows => [`${rows}`, ...[1, 2, 3, 4].map(columns => `${rows}x${columns}`)])];
export const TYPES = numeric.flatMap(name => sizes.map(size => name + size)).concat(
  `void string vector matrix Texture1D Texture2D Texture3D TextureCube Texture1DArray Texture2DArray TextureCubeArray
   Texture2DMS RWTexture1D RWTexture2D RWTexture3D RWTexture2DArray Buffer RWBuffer StructuredBuffer RWStructuredBuffer
   ByteAddressBuffer RWByteAddressBuffer AppendStructuredBuffer ConsumeStructuredBuffer ConstantBuffer SamplerState
   SamplerComparisonState RaytracingAccelerationStructure`.split(/\s+/));
export const KEYWORDS = `auto break case cbuffer tbuffer class column_major const continue default discard do else enum
  export extern for groupshared if in inline inout interface linear namespace nointerpolation noperspective centroid sample
  operator out packoffset precise register return row_major shared static struct switch template this typedef typename
  uniform unorm snorm volatile while globallycoherent using`;
export const INTRINSICS = `abs acos all any asfloat asin asint asuint atan atan2 ceil clamp clip cos cosh cross ddx ddy
  degrees determinant distance dot exp exp2 f16tof32 f32tof16 faceforward firstbithigh firstbitlow floor fma fmod frac
  frexp fwidth GroupMemoryBarrierWithGroupSync InterlockedAdd InterlockedAnd InterlockedCompareExchange InterlockedMax
  InterlockedMin InterlockedOr InterlockedXor isfinite isinf isnan ldexp length lerp lit log log10 log2 mad max min modf
  mul normalize pow radians rcp reflect refract reversebits round rsqrt saturate sign sin sincos sinh smoothstep sqrt step
  tan tanh transpose trunc WaveActiveSum WaveGetLaneCount WaveGetLaneIndex WaveIsFirstLane WavePrefixSum`.split(/\s+/);

const mode = clike({
  name: "hlsl", keywords: words(KEYWORDS), types: words(TYPES.join(" ")), builtin: words(INTRINSICS.join(" ")),
  blockKeywords: words("case do else for if switch while struct class cbuffer namespace enum"), atoms: words("true false"),
  hooks: { "#": stream => (stream.skipToEnd(), "meta") },
});
export const hlsl = StreamLanguage.define({ ...mode, languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } } });

export const colours = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.keyword, tags.atom, tags.bool], color: "var(--code-keyword)" },
  { tag: [tags.typeName, tags.standard(tags.typeName)], color: "var(--code-type)" },
  { tag: [tags.standard(tags.variableName), tags.standard(tags.name)], color: "var(--code-builtin)" },
  { tag: [tags.number, tags.string], color: "var(--code-number)" },
  { tag: [tags.comment], color: "var(--code-comment)" },
  { tag: [tags.meta, tags.processingInstruction], color: "var(--code-meta)" },
]));
