// Draws the compiled shaders with WebGPU: resources by the bind group layouts of the WGSL, numbers by the reflection.
import { fill } from "./blocks.js";
import { mesh } from "./mesh.js";
import { blitShader, fullScreenVertex, Resources } from "./resources.js";
import { padded } from "./targets.js";

const DEPTH = "depth24plus", EXTRA_TARGETS = { float: "rgba16float", int: "rgba32sint", uint: "rgba32uint" };
const SMALL = { width: 512, height: 288 }; // pixels take their time on a CPU
const LIMITS = ["maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxStorageBuffersPerShaderStage", "maxStorageTexturesPerShaderStage"];

export class Picture {
  constructor(canvas) {
    this.canvas = canvas;
    this.program = null;
  }

  /** Opens the device; returns why there is none, or an empty text. `onLost` gets the reason if it goes away. */
  async start(onLost) {
    if (!navigator.gpu) return "This browser has no WebGPU.";
    const adapter = await navigator.gpu.requestAdapter().catch(() => null);
    if (!adapter) return "WebGPU has no adapter on this machine.";
    const features = ["float32-filterable", "dual-source-blending", "clip-distances"].filter(f => adapter.features.has(f));
    const limits = Object.fromEntries(LIMITS.map(name => [name, adapter.limits[name]]));
    this.device = await adapter.requestDevice({ requiredFeatures: features, requiredLimits: limits });
    this.device.lost.then(({ message, reason }) => reason !== "destroyed" && onLost(message || "The GPU stopped."));
    this.isSoftware = adapter.info.isFallbackAdapter; // some cannot present to a canvas: Chromium's ends with its process
    if (this.isSoftware) Object.assign(this.canvas, SMALL);
    this.format = this.isSoftware ? "rgba8unorm" : navigator.gpu.getPreferredCanvasFormat();
    this.context = this.canvas.getContext(this.isSoftware ? "2d" : "webgpu");
    if (!this.isSoftware) this.context.configure({ device: this.device, format: this.format, alphaMode: "opaque" });
    return "";
  }

  /** Shows one frame; the promise is kept when the GPU has drawn it. */
  async show(values) {
    if (!this.program) return;
    if (this.isSoftware) return this.context.putImageData(await this.read(values), 0, 0);
    this.draw(values, this.context.getCurrentTexture());
    await this.device.queue.onSubmittedWorkDone();
  }

  /** Takes compiled stages (`main`, perhaps `vertex`); throws an Error that says why they cannot be drawn. */
  async use(stages, draw) {
    const { device } = this;
    device.pushErrorScope("validation");
    let program, failure;
    try {
      program = await (stages.main.model === "GLCompute" ? this.#compute(stages) : this.#render(stages, draw));
    } catch (error) {
      failure = error;
    }
    const problem = await device.popErrorScope();
    if (problem || failure) {
      program?.resources.destroy();
      throw new Error(problem?.message ?? failure.message);
    }
    this.program?.resources.destroy();
    this.program = program;
  }

  /** Draws one frame into a texture; `values` has a list of numbers for each path of a member of each block. */
  draw(values, target) {
    const { device, program } = this, { resources } = program;
    for (const { buffer, data, type, name } of resources.uniforms) {
      fill(new DataView(data), type, values[name] ?? {}, "", 0);
      device.queue.writeBuffer(buffer, 0, data);
    }
    const encoder = device.createCommandEncoder();
    const view = target.createView();
    if (program.dispatch) this.#dispatch(encoder, program);
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view, loadOp: "clear", storeOp: "store", clearValue: program.clear },
        ...resources.targets.map(texture => texture && { view: texture.createView(), loadOp: "clear", storeOp: "store" })],
      depthStencilAttachment: program.depth && {
        view: program.depth.createView(), depthLoadOp: "clear", depthClearValue: 1, depthStoreOp: "discard" },
    });
    pass.setPipeline(program.pipeline);
    if (program.dispatch) {
      pass.setBindGroup(0, program.blit);
      pass.draw(3);
    } else {
      resources.groups.forEach((group, index) => pass.setBindGroup(index, group));
      this.#geometry(pass, program);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  /** Returns a frame as `ImageData`. */
  async read(values) {
    const { width, height } = this.canvas, row = Math.ceil(width / 64) * 256, { device } = this;
    const usage = GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC;
    const texture = device.createTexture({ size: [width, height], format: this.format, usage });
    this.draw(values, texture);
    const buffer = device.createBuffer({ size: row * height, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    const copy = device.createCommandEncoder();
    copy.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: row }, [width, height]);
    device.queue.submit([copy.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const pixels = new Uint8Array(buffer.getMappedRange()), image = new ImageData(width, height);
    for (let y = 0; y < height; y++) image.data.set(pixels.subarray(y * row, y * row + width * 4), y * width * 4);
    const swapped = this.format.startsWith("bgra");
    for (let k = 0; k < image.data.length; k += 4) {
      if (swapped) [image.data[k], image.data[k + 2]] = [image.data[k + 2], image.data[k]];
      image.data[k + 3] = 255;
    }
    buffer.destroy();
    texture.destroy();
    return image;
  }

  #layouts(stages) {
    return new Resources(this.device, stages, this.canvas);
  }

  async #compute({ main }) {
    const { device } = this, resources = this.#layouts([main]);
    const module = device.createShaderModule({ code: main.wgsl });
    const layout = device.createPipelineLayout({ bindGroupLayouts: resources.layouts });
    const compute = await device.createComputePipelineAsync({ layout, compute: { module, entryPoint: main.name } });
    const image = resources.image;
    if (!image) throw new Error("The shader writes no image: give it a RWTexture2D<float4> to draw into.");
    const blitModule = device.createShaderModule({ code: blitShader });
    const pipeline = await device.createRenderPipelineAsync({
      layout: "auto", vertex: { module: blitModule }, fragment: { module: blitModule, targets: [{ format: this.format }] } });
    const blit = device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: image.createView() }] });
    const size = main.workgroup, { width, height } = this.canvas;
    const dispatch = { compute, count: [Math.ceil(width / size[0]), Math.ceil(height / size[1]), 1] };
    return { resources, pipeline, blit, dispatch, clear: [0, 0, 0, 1] };
  }

  #dispatch(encoder, { resources, dispatch }) {
    const pass = encoder.beginComputePass();
    pass.setPipeline(dispatch.compute);
    resources.groups.forEach((group, index) => pass.setBindGroup(index, group));
    pass.dispatchWorkgroups(...dispatch.count);
    pass.end();
  }

  async #render({ main, vertex }, draw) {
    if (main.model !== "Fragment") throw new Error("The picture needs a pixel shader, or a compute shader that writes an image.");
    const { device, canvas } = this;
    const resources = this.#layouts(vertex ? [main, vertex] : [main]);
    const targets = extraTargets(main.outputs);
    resources.addTargets(targets);
    const shape = vertex && vertex.inputs.some(input => input.location !== undefined) ? mesh(device, vertex.inputs) : null;
    const code = vertex ? vertex.wgsl : fullScreenVertex(main.inputs), pixel = padded(main.wgsl, main.name);
    const depth = device.createTexture({
      size: [canvas.width, canvas.height], format: DEPTH, usage: GPUTextureUsage.RENDER_ATTACHMENT });
    resources.owned.push(depth);
    const pipeline = await device.createRenderPipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: resources.layouts }),
      vertex: {
        module: device.createShaderModule({ code }), entryPoint: vertex ? vertex.name : "vertex",
        buffers: shape ? shape.layouts : [],
      },
      fragment: {
        module: device.createShaderModule({ code: pixel.code }), entryPoint: pixel.name,
        targets: [{ format: this.format }, ...targets],
      },
      primitive: { topology: draw.topology ?? "triangle-list" },
      depthStencil: { format: DEPTH, depthWriteEnabled: true, depthCompare: "less" },
    });
    if (shape) resources.owned.push(...shape.buffers, shape.index);
    const size = vertex ? { vertices: draw.vertices ?? 3, instances: draw.instances ?? 1 } : { vertices: 3, instances: 1 };
    return { resources, pipeline, depth, shape, ...size, clear: [0.07, 0.08, 0.1, 1] };
  }

  #geometry(pass, { shape, vertices, instances }) {
    if (!shape) return pass.draw(vertices, instances);
    shape.buffers.forEach((buffer, slot) => pass.setVertexBuffer(slot, buffer));
    pass.setIndexBuffer(shape.index, "uint32");
    pass.drawIndexed(shape.count, instances);
  }
}

/** Returns the formats of the targets behind the first, by their locations; null where the shader has none. */
function extraTargets(outputs) {
  const component = ({ type }) => type.component ?? type.kind;
  const colours = outputs.filter(({ location }) => location !== undefined), first = colours.find(({ location }) => location === 0);
  if (!first) throw new Error("the picture needs a colour: the shader has no output SV_Target.");
  if (component(first) !== "float") throw new Error(`the picture needs colours of floats, and SV_Target is ${first.type.name}.`);
  const targets = Array(Math.max(...colours.map(({ location }) => location))).fill(null);
  for (const output of colours) if (output.location > 0) targets[output.location - 1] = { format: EXTRA_TARGETS[component(output)] };
  return targets;
}
