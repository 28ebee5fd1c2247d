// The page: what the reader types is compiled, drawn and shown.
import { Compiler } from "./compiler.js";
import { showControls } from "./controls.js";
import { find } from "./dom.js";
import { Editor } from "./editor.js";
import { commandLine, DEFAULTS, passesText } from "./options.js";
import { decode, encode } from "./permalink.js";
import { Picture } from "./picture.js";
import { showProblems } from "./problems.js";
import { Tabs } from "./tabs.js";
import { Stage } from "./stage.js";
import { first, manifest, headers, samples } from "./generated.js";

const FILE = "shader.hlsl";
const FIELDS = Object.keys(DEFAULTS);

class Playground {
  constructor() {
    this.options = { ...DEFAULTS };
    this.chosen = {};
    this.draw = {};
    this.sample = "";
    this.showing = Promise.resolve();
    this.editor = new Editor(find("editor"), () => this.changed());
    this.compiler = new Compiler({ manifest, headers, onProgress: progress => showProgress(progress) });
    this.tabs = new Tabs((view, stage) => this.view(view, stage), () => this.saveSoon());
    this.stage = new Stage(new Picture(find("picture")), text => this.pictureProblem(text));
  }

  async start() {
    find("samples").append(...samples.map(({ name, title }) => new Option(title, name)));
    find("samples").onchange = event => this.openSample(event.target.value);
    for (const name of FIELDS) find(`option-${name}`).oninput = event => {
      this.options[name] = event.target.value;
      this.changed();
    };
    find("share").onclick = () => this.share();
    addEventListener("hashchange", () => this.open());
    await this.open();
    this.stage.start();
    this.showFirst();
    try {
      await this.compiler.load();
    } catch (error) {
      return showFailure(`The compiler could not be loaded: ${error.message}`);
    }
    this.isLoaded = true;
    find("loading").hidden = true;
    document.body.dataset.ready = "compiler";
    this.changed();
  }

  /** Shows the first sample, which was compiled when the page was built, while the compiler loads. */
  showFirst() {
    if (this.editor.text !== first.source || !sameWords(this.lines, first.stages)) return;
    this.showing = this.show(structuredClone(first.reply), first.source, performance.now(), true)
      .catch(error => say(`The page failed: ${error.message}`));
  }

  /** Returns one view of the last result; before the first reply of the compiler that of the first sample. */
  view(view, stage) {
    return this.isCompiled ? this.compiler.view({ view, stage }) : Promise.resolve(first.views[view]);
  }

  /** The command lines of the stages. */
  get lines() {
    const lines = { main: commandLine(this.options, "main") };
    if (this.options.vertex && this.options.profile.startsWith("ps")) lines.vertex = commandLine(this.options, "vertex");
    return lines;
  }

  /** Opens the state of the address, else the first sample. */
  async open() {
    if (location.hash === this.written) return;
    let state = null;
    try {
      state = await decode(location.hash);
    } catch (error) {
      say(error.message);
    }
    if (!state) return this.openSample(samples[0].name);
    this.sample = "";
    find("samples").value = "";
    this.take({ ...state, options: { ...DEFAULTS, ...state.options } });
  }

  openSample(name) {
    const sample = samples.find(one => one.name === name);
    if (!sample) return;
    this.sample = name;
    find("samples").value = name;
    this.take({ source: sample.source, options: { ...DEFAULTS, ...sample.options }, values: {}, draw: sample.draw ?? {} });
  }

  take({ source, options, values, draw, tab }) {
    Object.assign(this, { options, chosen: values ?? {}, draw: draw ?? {} });
    for (const name of FIELDS) find(`option-${name}`).value = options[name];
    this.stage.restart();
    this.isTaking = true; // one compilation for all
    this.editor.text = source;
    if (tab) this.tabs.select(tab);
    this.isTaking = false;
    this.changed();
  }

  get state() {
    const options = Object.fromEntries(FIELDS.filter(name => this.options[name] !== DEFAULTS[name]).map(name => [name, this.options[name]]));
    return { source: this.editor.text, options, values: this.chosen, draw: this.draw, tab: this.tabs.selected };
  }

  async changed() {
    if (this.isTaking) return;
    this.saveSoon();
    const { lines } = this;
    find("command").textContent = `hlsl2spirv ${lines.main.map(word => /\s/.test(word) ? `"${word}"` : word).join(" ")} ${FILE}`;
    if (!this.isLoaded) return void (find("status").textContent = document.body.dataset.first ? "waits for the compiler" : "");
    const start = performance.now(), source = this.editor.text;
    document.body.dataset.busy = "true";
    let reply;
    try {
      reply = await this.compiler.compile({ source, stages: lines });
    } catch (error) {
      reply = { main: { ok: false, problem: error.message, diagnostics: [] } };
    }
    if (!reply) return;
    this.newest = reply;
    await (this.showing = this.showing.then(() => this.newest === reply && this.show(reply, source, start)).catch(error => {
      say(`The page failed: ${error.message}`); // and goes on with the next text
      document.body.dataset.busy = "false";
    }));
  }

  /** Shows a reply of the compiler: diagnostics, the picture, the views; `isFirst` marks that of the first sample. */
  async show(reply, source, start, isFirst = false) {
    const compiled = performance.now() - start;
    this.isCompiled ||= !isFirst;
    const all = Object.values(reply), diagnostics = distinct(all.flatMap(part => part.diagnostics));
    reply.main.title = this.options.entry;
    if (reply.vertex) reply.vertex.title = this.options.vertex;
    this.editor.show(diagnostics, FILE, source);
    showProblems(diagnostics, all.map(part => part.problem).find(Boolean), FILE, this.editor);
    const isGood = all.every(part => part.ok);
    document.body.dataset.ok = isGood;
    if (isGood && !this.isDrawn(reply, source)) await this.stage.use(reply, source, this.draw, this.chosen);
    if (isGood) showControls(find("uniforms"), this.stage.members, this.chosen, () => (this.stage.redraw(), this.saveSoon()));
    const drawn = performance.now() - start;
    this.times = { compiled, drawn };
    find("status").textContent = isFirst ? "compiled with the page" : isGood ? `compiled in ${compiled.toFixed(0)} ms, drawn after ${drawn.toFixed(0)} ms`
      : `${errorCount(diagnostics)}; the picture is of the last good text`;
    await this.tabs.use(reply, passesText(this.options));
    document.body.dataset[isFirst ? "first" : "shown"] = String(Number(document.body.dataset.shown ?? 0) + 1);
    document.body.dataset.busy = String(this.compiler.running !== null);
  }

  /** Returns whether the picture is that of a text: the compiler gives the first one again when it is loaded. */
  isDrawn(reply, source) {
    const key = JSON.stringify([source, this.draw, ...Object.values(reply).map(part => [part.wgsl, part.bind_groups])]);
    const isSame = key === this.drawn && document.body.dataset.picture === "drawn";
    this.drawn = key;
    return isSame;
  }

  pictureProblem(text) {
    find("picture-problem").textContent = text;
    find("picture-problem").hidden = !text;
    document.body.dataset.picture = text ? "problem" : "drawn";
  }

  saveSoon() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.save(), 400);
  }

  async save() {
    const sample = samples.find(({ name }) => name === this.sample), state = this.state;
    const isPlain = sample && sample.source === state.source && !location.hash && !Object.keys(state.values).length && state.tab === "spirv";
    this.written = isPlain ? "" : await encode(state);
    if (this.written) history.replaceState(null, "", this.written);
  }

  async share() {
    clearTimeout(this.saving);
    this.written = await encode(this.state);
    history.replaceState(null, "", this.written);
    await navigator.clipboard.writeText(location.href).then(() => say("The link is in the clipboard."),
      () => say("The address of the page is the link: copy it from there."));
  }
}

function sameWords(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

function errorCount(diagnostics) {
  const count = diagnostics.filter(({ severity }) => severity !== "warning").length || 1;
  return count === 1 ? "1 error" : `${count} errors`;
}

function distinct(diagnostics) {
  const seen = new Set();
  return diagnostics.filter(one => {
    const key = JSON.stringify([one.code, one.message, one.location]);
    return !seen.has(key) && seen.add(key);
  });
}

function showProgress({ step, done, total }) {
  const bar = find("progress");
  find("loading-text").textContent = total ? `${step} ${(done / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB` : `${step} …`;
  if (total) bar.value = done / total;
  else bar.removeAttribute("value");
}

function showFailure(text) {
  find("loading").hidden = false;
  find("loading").classList.add("failed");
  find("progress").hidden = true;
  find("loading-text").textContent = text;
  document.body.dataset.ready = "failed";
}

function say(text) {
  find("said").textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (find("said").textContent = ""), 6000);
}

globalThis.playground = new Playground();
globalThis.playground.start();
