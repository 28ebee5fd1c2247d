// The picture over time: frames, the mouse, the camera, pause, and saving a picture.
import { find } from "./dom.js";
import { members, orbit, valuesOf } from "./uniforms.js";

const STEP = 0.1; // radians for an arrow key
const PATIENCE_MS = 3000; // a picture that takes longer is not waited for: the shader may have an endless loop
const START = { yaw: 0.6, pitch: 0.5, distance: 4 };

export class Stage {
  constructor(picture, report) {
    Object.assign(this, { picture, report, members: [], chosen: {}, problem: "", time: 0, number: 0, ...START });
    Object.assign(this, { mouse: [0, 0], pressed: false, last: 0, isPlaying: !matchMedia("(prefers-reduced-motion: reduce)").matches });
    this.#listen(picture.canvas);
  }

  /** Opens WebGPU; without it the page works but for the picture. */
  async start() {
    this.opening ??= this.picture.start(reason => this.#lost(reason)).catch(error => error.message);
    this.problem = await this.opening;
    if (this.problem) return this.report(`${this.problem} Everything but the picture works.`);
    if (this.request === undefined) this.#frame(performance.now());
  }

  /** Draws other shaders from now on: parts of a reply of the compiler. */
  async use(reply, source, draw, chosen) {
    await this.start();
    if (!reply.main.reflection.entry_points.length) return this.report("Not drawn: a library has no entry point that the page can call.");
    const stages = Object.fromEntries(Object.entries(reply).map(([name, part]) => [name, stageOf(part)]));
    this.members = members(Object.values(stages), source);
    this.chosen = chosen;
    if (this.problem) return;
    const missing = Object.values(reply).find(part => part.wgsl === null);
    this.newest = { stages, draw, problem: missing && `WGSL cannot express this shader: ${missing.wgsl_problem}` };
    this.taking ??= this.#take().finally(() => (this.taking = null, this.isStuck = false));
    if (!this.isStuck) this.isStuck = !await within(PATIENCE_MS, this.taking);
    if (this.isStuck) this.report("The GPU has not finished a picture yet. An endless loop may need a reload of the page.");
  }

  /** Draws the newest shaders; those that arrive meanwhile wait for the picture. */
  async #take() {
    while (this.newest) {
      const { stages, draw, problem } = this.newest;
      this.newest = null;
      try {
        if (problem) throw new Error(problem);
        await this.picture.use(stages, draw);
        this.number = 0; // buffers are empty again
        this.report("");
        await this.redraw();
      } catch (error) {
        this.report(`Not drawn: ${error.message}`);
      }
    }
  }

  /** Sets time and camera back. */
  restart() {
    Object.assign(this, { time: 0, number: 0, ...START });
  }

  /** Shows the present values; while frames run, the next one does. */
  redraw() {
    return this.waiting ??= this.#redraw().finally(() => (this.waiting = null));
  }

  async #redraw() {
    if (this.problem) return;
    if (this.isBusy) await this.drawing;
    this.waiting = null; // the values of later calls are not in this frame
    await this.#show(0);
  }

  /** Returns the present frame as `ImageData`; null without WebGPU or without a program. */
  async image() {
    return this.problem || !this.picture.program ? null : this.picture.read(this.#values(0));
  }

  async #show(delta) {
    this.isBusy = true;
    this.drawing = this.picture.show(this.#values(delta)).catch(error => this.report(`Not drawn: ${error.message}`));
    await this.drawing;
    this.isBusy = false;
  }

  #values(delta) {
    const { width, height } = this.picture.canvas, { time, number, mouse, pressed } = this;
    const camera = orbit(this.yaw, this.pitch, this.distance, width / height);
    return valuesOf(this.members, this.chosen, { time, delta, number, width, height, mouse, pressed, camera });
  }

  #frame(now) {
    this.request = requestAnimationFrame(next => this.#frame(next));
    if (!this.isPlaying || document.hidden || !this.picture.program) return void (this.last = now);
    if (this.isBusy) return; // the GPU has not finished the frame before: a queue of frames would only grow
    const delta = Math.min((now - this.last) / 1000, 0.1);
    this.last = now;
    this.time += delta;
    this.number++;
    this.#show(delta);
    find("time").textContent = `${this.time.toFixed(1)} s`;
  }

  #lost(reason) {
    cancelAnimationFrame(this.request);
    this.problem = reason;
    this.report(`The GPU stopped: ${reason} Reload the page to draw again.`);
  }

  #listen(canvas) {
    const play = find("play");
    const showPlay = () => (play.textContent = this.isPlaying ? "Pause" : "Play");
    play.onclick = () => {
      this.isPlaying = !this.isPlaying;
      showPlay();
    };
    showPlay();
    find("restart").onclick = () => {
      this.restart();
      this.redraw();
    };
    find("save").onclick = () => this.#save();
    canvas.onpointerdown = event => canvas.setPointerCapture(event.pointerId);
    canvas.onpointermove = event => this.#point(canvas, event);
    canvas.onpointerup = () => (this.pressed = false);
    canvas.onkeydown = event => this.#key(event);
  }

  #point(canvas, event) {
    const box = canvas.getBoundingClientRect();
    this.mouse = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    this.pressed = event.buttons !== 0;
    if (!this.pressed) return;
    this.#turn(event.movementX * 0.008, event.movementY * 0.008);
  }

  #key(event) {
    const turn = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
    if (!turn) return;
    event.preventDefault();
    this.#turn(...turn);
  }

  #turn(yaw, pitch) {
    this.yaw += yaw;
    this.pitch = Math.min(1.5, Math.max(-1.5, this.pitch + pitch));
    if (!this.isPlaying) this.redraw();
  }

  async #save() {
    const image = await this.image();
    if (!image) return;
    const flat = new OffscreenCanvas(image.width, image.height);
    flat.getContext("2d").putImageData(image, 0, 0);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await flat.convertToBlob());
    link.download = "shader.png";
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

/** Returns whether a promise is kept in so many milliseconds. */
function within(milliseconds, promise) {
  return Promise.race([promise.then(() => true), new Promise(resolve => setTimeout(() => resolve(false), milliseconds))]);
}

/** Returns what the picture needs of a compiled stage. */
function stageOf({ wgsl, bind_groups: bindGroups = [], reflection }) {
  const [{ name, model, inputs, outputs, workgroup_size: workgroup }] = reflection.entry_points;
  return { wgsl, bindGroups, name, model, inputs, outputs, workgroup, resources: reflection.resources, pushConstants: reflection.push_constants };
}
