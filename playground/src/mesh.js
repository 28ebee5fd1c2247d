// The mesh for vertex shaders with inputs: a torus, with every input filled by its semantic.
const AROUND = 96, ACROSS = 48, MAJOR = 0.9, MINOR = 0.4;

const SEMANTICS = [
  [/POSITION/i, ({ position }) => [...position, 1]],
  [/NORMAL/i, ({ normal }) => [...normal, 0]],
  [/BINORMAL|BITANGENT/i, ({ bitangent }) => [...bitangent, 0]],
  [/TANGENT/i, ({ tangent }) => [...tangent, 1]],
  [/COLOU?R/i, ({ normal }) => [...normal.map(number => number * 0.5 + 0.5), 1]],
  [/TEXCOORD|UV/i, ({ uv }) => [...uv, 0, 0]],
];

/** Returns vertex buffers, their layouts, and the index buffer of the torus; one buffer for each input. */
export function mesh(device, inputs) {
  const vertices = torus(), located = inputs.filter(input => input.location !== undefined);
  const buffers = [], layouts = [];
  for (const { semantic, location, type } of located) {
    const count = type.columns ?? 1, component = type.component ?? type.kind;
    const value = (/^BI/i.test(semantic) ? SEMANTICS[2] : SEMANTICS.find(([pattern]) => pattern.test(semantic)))?.[1] ?? (() => [0, 0, 0, 0]);
    const List = { int: Int32Array, uint: Uint32Array }[component] ?? Float32Array;
    const data = new List(vertices.flatMap(vertex => value(vertex).slice(0, count)));
    const base = { int: "sint32", uint: "uint32" }[component] ?? "float32";
    buffers.push(filled(device, data, GPUBufferUsage.VERTEX));
    layouts.push({
      arrayStride: 4 * count,
      attributes: [{ format: count === 1 ? base : `${base}x${count}`, offset: 0, shaderLocation: location }] });
  }
  const indices = triangles();
  return { buffers, layouts, index: filled(device, indices, GPUBufferUsage.INDEX), count: indices.length };
}

function filled(device, data, usage) {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | GPUBufferUsage.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
}

function torus() {
  const vertices = [];
  for (let i = 0; i <= AROUND; i++) for (let k = 0; k <= ACROSS; k++) {
    const [u, v] = [i / AROUND, k / ACROSS], [a, b] = [u * 2 * Math.PI, v * 2 * Math.PI];
    const [ca, sa, cb, sb] = [Math.cos(a), Math.sin(a), Math.cos(b), Math.sin(b)];
    const radius = MAJOR + MINOR * cb;
    vertices.push({
      position: [radius * ca, MINOR * sb, radius * sa], normal: [cb * ca, sb, cb * sa], tangent: [-sa, 0, ca],
      bitangent: [-sb * ca, cb, -sb * sa], uv: [u * 4, v * 2] });
  }
  return vertices;
}

function triangles() {
  const indices = [];
  for (let i = 0; i < AROUND; i++) for (let k = 0; k < ACROSS; k++) {
    const a = i * (ACROSS + 1) + k, b = a + ACROSS + 1;
    indices.push(a, a + 1, b, b, a + 1, b + 1);
  }
  return new Uint32Array(indices);
}
