// Values of constant buffers: some follow the page (time, mouse, camera), the others have controls and comments that set
// range and start: `float roughness; // 0.05 .. 1 = 0.3`, `float3 tint; // = #ff8800`.
import { leaves } from "./blocks.js";

const FOLLOWED = {
  time: frame => [frame.time],
  deltatime: frame => [frame.delta],
  frame: frame => [frame.number],
  resolution: frame => [frame.width, frame.height, 1 / frame.width, 1 / frame.height],
  mouse: frame => [...frame.mouse, frame.pressed ? 1 : 0, 0],
  viewprojection: frame => frame.camera.viewProjection.flat(),
  cameraposition: frame => [...frame.camera.position, 1],
};
export const FOLLOWED_NAMES = ["time", "deltaTime", "frame", "resolution", "mouse", "viewProjection", "cameraPosition"];

/** Returns the members of all constant buffers of the stages, with the comments of the source taken into account. */
export function members(stages, source) {
  const blocks = new Map(stages.flatMap(stage => [...stage.resources, ...stage.pushConstants])
    .filter(({ kind, type }) => (kind === "uniform_buffer" || kind === "push_constant") && type?.kind === "struct")
    .map(block => [block.name, block]));
  return [...blocks.values()].flatMap(block => leaves(block.type).map(leaf => {
    const name = leaf.path.split(".").at(-1).replace(/\[\d+\]$/, "");
    const followed = FOLLOWED[name.toLowerCase()];
    const isColour = /colou?r|tint|albedo/i.test(name) && leaf.columns >= 3 && leaf.rows === 1 && leaf.component === "float";
    return { block: block.name, ...leaf, name, followed, isColour, ...annotation(source, name, leaf, isColour) };
  }));
}

/** Returns low, high and start of a member from the comment behind its declaration. */
function annotation(source, name, leaf, isColour) {
  const isWhole = leaf.component !== "float", count = leaf.rows * leaf.columns;
  const plain = { low: 0, high: isWhole ? 16 : 1, start: identity(leaf, isColour ? 0.8 : isWhole ? 1 : 0.5) };
  const line = source.match(new RegExp(`\\b${name}\\b[^;{}\\n]*;[ \\t]*//([^\\n]*)`))?.[1];
  if (line === undefined) return plain;
  const range = line.match(/(-?[\d.]*\d)\s*\.\.\s*(-?[\d.]*\d)/), start = line.match(/=\s*(#[\da-f]{6}|-?[\d.]+(?:\s*,\s*-?[\d.]+)*)/i);
  const [low, high] = range ? [Number(range[1]), Number(range[2])] : [plain.low, plain.high];
  if (!start) return { low, high, start: range && leaf.rows === 1 ? Array(count).fill(isWhole ? low : (low + high) / 2) : plain.start };
  const numbers = start[1].startsWith("#") ? fromHex(start[1]) : start[1].split(",").map(Number);
  return { low, high, start: Array.from({ length: count }, (_, index) => numbers[index] ?? numbers.at(-1)) };
}

function identity({ rows, columns }, value) {
  if (rows === 1) return Array(columns).fill(value).map((number, index) => columns === 4 && index === 3 ? 1 : number);
  return Array.from({ length: rows * columns }, (_, index) => Number(Math.floor(index / columns) === index % columns));
}

export const fromHex = text => [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16) / 255).concat(1);
export const toHex = numbers => "#" + numbers.slice(0, 3).map(number =>
  Math.round(Math.min(1, Math.max(0, number)) * 255).toString(16).padStart(2, "0")).join("");

/** Returns the numbers of a member that has a control: those that the reader chose, else those of its start. */
export const numbersOf = (member, chosen) => {
  const given = chosen[`${member.block}.${member.path}`];
  return member.start.map((number, index) => given?.[index] ?? number); // the type may have changed since
};

/** Returns block → path → numbers for a frame; `chosen` has what the reader changed, by `block.path`. */
export function valuesOf(list, chosen, frame) {
  const values = {};
  for (const member of list) {
    const numbers = member.followed ? member.followed(frame) : numbersOf(member, chosen);
    (values[member.block] ??= {})[member.path] = numbers.slice(0, member.rows * member.columns);
  }
  return values;
}

/** Returns the matrices of a camera on a sphere around the origin; rows first, for `mul(matrix, column)`. */
export function orbit(yaw, pitch, distance, aspect) {
  const [sy, cy, sp, cp] = [Math.sin(yaw), Math.cos(yaw), Math.sin(pitch), Math.cos(pitch)];
  const position = [distance * sy * cp, distance * sp, -distance * cy * cp];
  const forward = position.map(number => -number / distance), right = [cy, 0, sy];
  const up = [forward[1] * right[2] - forward[2] * right[1], forward[2] * right[0] - forward[0] * right[2], forward[0] * right[1] - forward[1] * right[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const [near, far, scale] = [0.1, 100, 1 / Math.tan(Math.PI / 8)];
  const row = (axis, factor) => [...axis.map(number => number * factor), -dot(axis, position) * factor];
  const depth = far / (far - near), z = row(forward, 1);
  return { position, viewProjection: [row(right, scale / aspect), row(up, scale), [...z.slice(0, 3).map(n => n * depth), (z[3] - near) * depth], z] };
}
