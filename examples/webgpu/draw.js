// Draws the sky of the samples from what `hlsl_tool build` wrote: WGSL, bind group layouts, reflection.
const folder = "/build/webgpu/sky/atmosphere.";
const text = async name => (await fetch(folder + name)).text();
const json = async name => (await fetch(folder + name)).json();

/** Puts numbers into a block by the names that HLSL has for them; `type` is the reflection's. */
function fill(view, type, value, offset) {
  if (value === undefined) return;
  if (type.kind === "struct") {
    for (const member of type.members) fill(view, member.type, value[member.name], offset + member.offset);
  } else if (type.kind === "matrix") {
    value.forEach((row, r) => row.forEach((number, c) => {
      const [major, minor] = type.majorness === "column_major" ? [c, r] : [r, c];
      view.setFloat32(offset + major * type.stride + minor * 4, number, true);
    }));
  } else {
    const set = (type.component ?? type.kind) === "float" ? "setFloat32" : "setInt32";
    [value].flat().forEach((number, k) => view[set](offset + k * 4, number, true));
  }
}

/** The matrix that takes clip space to the world: the columns are right, up, forward and the position. */
function camera(pitch, aspect, position) {
  const tangent = Math.tan(Math.PI / 6), [s, c] = [Math.sin(pitch), Math.cos(pitch)];
  const columns = [[aspect * tangent, 0, 0, 0], [0, c * tangent, -s * tangent, 0], [0, s, c, 0], [...position, 1]];
  return [0, 1, 2, 3].map(row => columns.map(column => column[row]));
}

const canvas = document.querySelector("canvas");
const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice();
device.addEventListener("uncapturederror", event => report(event.error.message));
const asked = location.hash === "#picture";
const format = asked ? "rgba8unorm" : navigator.gpu.getPreferredCanvasFormat();
const target = asked ? pictureTexture() : canvasTexture();

const [vertex, fragment, { bindGroups }, { resources }] =
  await Promise.all([text("VSMain.wgsl"), text("PSMain.wgsl"), json("PSMain.wgsl.json"), json("PSMain.json")]);
const position = [0, 300, 0];
const values = {
  Frame: {
    camera: { inverseViewProjection: camera(0.22, canvas.width / canvas.height, position), position, exposure: 20 },
    sunDirection: [0, -0.12, -0.993], sunColour: [1, 1, 1],
  },
  atmosphere: {
    rayleigh: [5.8e-6, 13.5e-6, 33.1e-6], rayleighHeight: 8000, mie: [4e-6, 4e-6, 4e-6], mieHeight: 1200,
    ozone: [0.65e-6, 1.88e-6, 0.085e-6], mieAnisotropy: 0.76, groundRadius: 6.36e6, topRadius: 6.42e6,
    viewSteps: 24, lightSteps: 8,
  },
};

const groups = [], layouts = [];
for (const { group, entries } of bindGroups) {
  layouts[group] = device.createBindGroupLayout({ entries });
  groups[group] = device.createBindGroup({
    layout: layouts[group],
    entries: entries.map(({ binding, from, buffer: { minBindingSize } }) => {
      const data = new ArrayBuffer(minBindingSize);
      const { type } = resources.find(r => r.set === from.set && r.binding === from.binding);
      fill(new DataView(data), type, values[from.name], 0);
      const buffer = device.createBuffer({ size: minBindingSize, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(buffer, 0, data);
      return { binding, resource: { buffer } };
    }),
  });
}
const pipeline = device.createRenderPipeline({
  layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
  vertex: { module: device.createShaderModule({ code: vertex }), entryPoint: "VSMain" },
  fragment: { module: device.createShaderModule({ code: fragment }), entryPoint: "PSMain", targets: [{ format }] },
});

const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [{ view: target.createView(), loadOp: "clear", storeOp: "store" }],
});
pass.setPipeline(pipeline);
groups.forEach((group, index) => pass.setBindGroup(index, group));
pass.draw(3);
pass.end();
device.queue.submit([encoder.finish()]);
if (asked) await send();

function canvasTexture() {
  const context = canvas.getContext("webgpu");
  context.configure({ device, format, alphaMode: "opaque" });
  return context.getCurrentTexture();
}

function pictureTexture() {
  const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
  return device.createTexture({ size: [canvas.width, canvas.height], format, usage });
}

/** Reads the picture back and posts it as a PNG. */
async function send() {
  const { width, height } = canvas, row = Math.ceil(width / 64) * 256;
  const buffer = device.createBuffer({ size: row * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const copy = device.createCommandEncoder();
  copy.copyTextureToBuffer({ texture: target }, { buffer, bytesPerRow: row }, [width, height]);
  device.queue.submit([copy.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const pixels = new Uint8Array(buffer.getMappedRange()), image = new ImageData(width, height);
  for (let y = 0; y < height; y++) image.data.set(pixels.subarray(y * row, y * row + width * 4), y * width * 4);
  for (let k = 3; k < image.data.length; k += 4) image.data[k] = 255; // the shader's is the transmittance
  const flat = new OffscreenCanvas(width, height);
  flat.getContext("2d").putImageData(image, 0, 0);
  await fetch("/picture", { method: "POST", body: await flat.convertToBlob() });
}

/** Errors go to whoever waits for the picture, too. */
function report(message) {
  console.error(message);
  if (asked) fetch("/error", { method: "POST", body: message });
}
