// Resources for a program: the page makes textures, samplers and buffers for all that the shaders declare.

export const blitShader = `
@group(0) @binding(0) var picture: texture_2d<f32>;
@vertex fn vertex(@builtin(vertex_index) id: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(f32((id << 1u) & 2u), f32(id & 2u)) * vec2f(2, -2) + vec2f(-1, 1), 0, 1);
}
@fragment fn fragment(@builtin(position) at: vec4f) -> @location(0) vec4f {
  return vec4f(textureLoad(picture, vec2i(at.xy), 0).rgb, 1);
}`;

/** Returns a vertex shader of a triangle over the whole picture, which passes uv to every input of the pixel shader. */
export function fullScreenVertex(inputs) {
  const members = inputs.filter(input => input.location !== undefined).map(({ location, type, interpolation }) => {
    const component = { int: "i32", uint: "u32" }[type.component ?? type.kind] ?? "f32", count = type.columns ?? 1;
    const spelled = count === 1 ? component : `vec${count}<${component}>`;
    const flat = component !== "f32" || interpolation?.includes("nointerpolation") ? " @interpolate(flat)" : "";
    const source = ["uv.x", "uv.y", "0", "1"].slice(0, count).map(text => `${component}(${text})`).join(", ");
    return { location, declared: `@location(${location})${flat} v${location}: ${spelled},`, value: `${spelled}(${source})` };
  });
  return `
struct Result { @builtin(position) position: vec4f, ${members.map(member => member.declared).join(" ")} }
@vertex fn vertex(@builtin(vertex_index) id: u32) -> Result {
  let uv = vec2f(f32((id << 1u) & 2u), f32(id & 2u));
  var result: Result;
  result.position = vec4f(uv * vec2f(2, -2) + vec2f(-1, 1), 0, 1);
  ${members.map(({ location, value }) => `result.v${location} = ${value};`).join("\n  ")}
  return result;
}`;
}

export class Resources {
  /** Makes layouts, bind groups and resources of the stages; they are on the page's own, sized like the canvas. */
  constructor(device, stages, canvas) {
    Object.assign(this, { device, canvas, owned: [], uniforms: [], targets: [], layouts: [], groups: [], image: null });
    for (const [group, entries] of merged(stages)) {
      this.layouts[group] = device.createBindGroupLayout({ entries });
      this.groups[group] = device.createBindGroup({
        layout: this.layouts[group],
        entries: entries.map(entry => ({ binding: entry.binding, resource: this.#resource(entry, stages) })),
      });
    }
    for (let group = 0; group < this.layouts.length; group++) {
      this.layouts[group] ??= device.createBindGroupLayout({ entries: [] });
      this.groups[group] ??= device.createBindGroup({ layout: this.layouts[group], entries: [] });
    }
  }

  addTargets(targets) {
    const usage = GPUTextureUsage.RENDER_ATTACHMENT;
    this.targets = targets.map(target => target && this.#texture({ size: this.#size(), format: target.format, usage }));
  }

  destroy() {
    for (const resource of this.owned) resource.destroy();
  }

  #size() {
    return [this.canvas.width, this.canvas.height];
  }

  #texture(descriptor) {
    const texture = this.device.createTexture(descriptor);
    this.owned.push(texture);
    return texture;
  }

  #resource(entry, stages) {
    if (entry.buffer) return this.#buffer(entry, stages);
    if (entry.sampler) return this.#sampler(entry.sampler.type);
    if (entry.storageTexture) return this.#storageTexture(entry.storageTexture);
    return this.#sampled(entry.texture);
  }

  #buffer({ buffer: layout, from }, stages) {
    const isUniform = layout.type === "uniform";
    const room = isUniform ? layout.minBindingSize : Math.max(layout.minBindingSize, 16 * this.canvas.width * this.canvas.height);
    const size = Math.ceil(room / 16) * 16, kind = isUniform ? "UNIFORM" : "STORAGE";
    const buffer = this.device.createBuffer({ size, usage: GPUBufferUsage[kind] | GPUBufferUsage.COPY_DST });
    this.owned.push(buffer);
    const block = isUniform && blockOf(stages, from);
    if (block) this.uniforms.push({ buffer, data: new ArrayBuffer(size), type: block.type, name: block.name });
    return { buffer };
  }

  #sampler(type) {
    if (type === "comparison") return this.device.createSampler({ compare: "less" });
    const filter = type === "filtering" ? "linear" : "nearest";
    const repeat = { addressModeU: "repeat", addressModeV: "repeat", addressModeW: "repeat" };
    return this.device.createSampler({ ...repeat, magFilter: filter, minFilter: filter, mipmapFilter: filter });
  }

  #storageTexture({ format, viewDimension = "2d" }) {
    const usage = GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING;
    const size = viewDimension === "3d" ? [64, 64, 64] : viewDimension === "1d" ? [this.canvas.width] : this.#size();
    const texture = this.#texture({ size, format, usage, dimension: viewDimension === "2d-array" ? "2d" : viewDimension });
    if (viewDimension === "2d" && !/int$/.test(format)) this.image ??= texture;
    return texture.createView({ dimension: viewDimension });
  }

  #sampled({ sampleType, viewDimension = "2d", multisampled }) {
    const dimension = { "1d": "1d", "3d": "3d" }[viewDimension] ?? "2d";
    const view = { dimension: viewDimension };
    if (sampleType === "depth" || multisampled) {
      const format = sampleType === "depth" ? "depth32float" : "rgba8unorm", layers = viewDimension.startsWith("cube") ? 6 : 1;
      const usage = GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT;
      return this.#texture({ size: [4, 4, layers], format, usage, sampleCount: multisampled ? 4 : 1 }).createView(view);
    }
    const format = { uint: "rgba8uint", sint: "rgba8sint" }[sampleType] ?? "rgba8unorm";
    const size = { "1d": [256, 1, 1], "3d": [32, 32, 32] }[viewDimension] ?? [256, 256, viewDimension.startsWith("cube") ? 6 : 1];
    const texture = this.#texture({
      size, format, dimension, usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST });
    const layout = { bytesPerRow: size[0] * 4, rowsPerImage: size[1] };
    this.device.queue.writeTexture({ texture }, pattern(size), layout, size);
    return texture.createView(view);
  }
}

/** Returns group → entries of all stages; a binding of both is visible to both. */
function merged(stages) {
  const groups = new Map();
  for (const { group, entries } of stages.flatMap(stage => stage.bindGroups)) {
    const known = groups.get(group) ?? groups.set(group, new Map()).get(group);
    for (const entry of entries) {
      const other = known.get(entry.binding);
      known.set(entry.binding, other ? joined(other, entry) : { ...entry });
    }
  }
  return [...groups].map(([group, entries]) => [group, [...entries.values()]]);
}

function joined(one, other) {
  const both = { ...one, visibility: one.visibility | other.visibility };
  if (one.buffer && other.buffer)
    both.buffer = { ...one.buffer, minBindingSize: Math.max(one.buffer.minBindingSize, other.buffer.minBindingSize) };
  return both;
}

/** Returns the reflected block of a binding: a constant buffer, or push constants, which have no set. */
function blockOf(stages, from) {
  for (const { resources, pushConstants } of stages) {
    const block = from?.set === undefined ? pushConstants[0] :
      resources.find(resource => resource.set === from.set && resource.binding === from.binding && resource.kind === "uniform_buffer");
    if (block) return block;
  }
  return null;
}

/** Returns the pixels of the page's texture: soft checks with a tint that depends on the layer. */
function pattern([width, height, depth]) {
  const pixels = new Uint8Array(width * height * depth * 4);
  let at = 0;
  for (let z = 0; z < depth; z++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
    const check = (x >> 5 & 1) ^ (y >> 5 & 1), wave = Math.sin(x * 0.0982) * Math.sin(y * 0.0982);
    const light = (check ? 190 : 90) + wave * 50;
    pixels.set([light, light * (0.75 + 0.1 * (z % 3)), 60 + light * (x / width) * 0.7, 255], at);
    at += 4;
  }
  return pixels;
}
