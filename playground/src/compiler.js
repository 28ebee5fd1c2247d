// The page's side of the compiler: one request at a time, and only the newest of those that wait.
import { folder, loadAssets, startWorker } from "./assets.js";

const PATIENCE_MS = 8000; // a compilation that takes longer is ended if there is a newer text

export class Compiler {
  constructor({ manifest, headers, onProgress }) {
    Object.assign(this, { manifest, headers, onProgress, running: null, waiting: null, number: 0, replies: new Map() });
  }

  /** Loads Python and the compiler; rejects with an Error for the reader of the page. */
  async load() {
    this.assets ??= await loadAssets(this.manifest.assets, (done, total) =>
      this.onProgress({ step: "Loading", done, total }));
    this.worker = await startWorker();
    this.worker.onmessage = ({ data }) => this.#receive(data);
    this.worker.onerror = event => this.#fail(new Error(event.message || "the compiler's worker did not start"));
    await this.#post({ kind: "load", assets: this.assets, headers: this.headers, lock: this.manifest.lock, folder });
  }

  /** Returns the reply to a request, or null if a newer request took its place. */
  compile(request) {
    this.waiting?.resolve(null);
    return new Promise((resolve, reject) => {
      this.waiting = { request, resolve, reject };
      this.#next();
    });
  }

  /** Returns one view of the last result. */
  view(request) {
    return this.#post({ kind: "view", request: JSON.stringify(request) });
  }

  async #next() {
    if (this.running) return this.#endIfSlow();
    const job = this.running = this.waiting;
    this.waiting = null;
    if (!job) return;
    job.start = performance.now();
    try {
      const reply = await this.#post({ kind: "compile", request: JSON.stringify(job.request) });
      job.resolve(this.waiting ? null : reply);
    } catch (error) {
      job.reject(error);
    }
    if (this.running !== job) return; // it was ended, and the compiler starts again
    this.running = null;
    this.#next();
  }

  #endIfSlow() {
    const job = this.running, { start } = job;
    setTimeout(async () => {
      if (this.running !== job || !this.waiting) return;
      this.worker.terminate();
      this.running = { start: performance.now() };
      for (const { reject } of this.replies.values()) reject(new Error("the compilation took too long and was ended"));
      this.replies.clear();
      await this.load();
      this.running = null;
      this.#next();
    }, Math.max(0, start + PATIENCE_MS - performance.now()));
  }

  #post(message) {
    const id = ++this.number;
    return new Promise((resolve, reject) => {
      this.replies.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }

  #receive({ id, reply, error, step }) {
    if (step) return this.onProgress({ step });
    const promise = this.replies.get(id);
    this.replies.delete(id);
    if (error !== undefined) promise?.reject(new Error(error));
    else promise?.resolve(reply);
  }

  #fail(error) {
    for (const { reject } of this.replies.values()) reject(error);
    this.replies.clear();
  }
}
