// The files of the compiler: fetched with progress from a server, or read from offline.js in a page opened from a disk,
// where browsers forbid fetching.
const FOLDER = new URL("assets/", document.baseURI).href;
const MODULE = { type: "module" };
const isFile = location.protocol === "file:";

/** The address of the assets, where a worker can fetch them; else null. */
export const folder = isFile ? null : FOLDER;

/** Returns name → bytes of all assets; `progress(done, total)` counts bytes. */
export async function loadAssets(list, progress) {
  const total = list.reduce((sum, { size }) => sum + size, 0);
  let done = 0, hasFailed = false;
  const report = size => hasFailed || progress(done += size, total);
  if (isFile) {
    const { assets } = await offline();
    return Object.fromEntries(list.map(({ name, size }) => (report(size), [name, decoded(assets[name])])));
  }
  const all = Promise.all(list.map(async asset => [asset.name, await fetched(asset, report)]));
  return Object.fromEntries(await all.catch(error => {
    hasFailed = true;
    throw error;
  }));
}

/** Returns the web worker of the compiler. */
export async function startWorker() {
  if (!isFile) return new Worker("worker.js", MODULE);
  const { worker } = await offline();
  return new Worker(`data:text/javascript;base64,${worker}`, MODULE); // Chromium takes no module from a blob here
}

async function fetched({ name, size }, report) {
  const response = await fetch(FOLDER + name).catch(() => { throw new Error(`${name} could not be loaded`); });
  if (!response.ok) throw new Error(`${name} could not be loaded: the server answered ${response.status}`);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const reader = response.body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (at + value.length > size) throw new Error(`${name} is not the file that this page was built with`);
    bytes.set(value, at);
    at += value.length;
    report(value.length);
  }
  if (at !== size) throw new Error(`${name} ended early: reload the page`);
  return bytes.buffer;
}

let script;
function offline() {
  return script ??= new Promise((resolve, reject) => {
    const element = document.createElement("script");
    element.src = "offline.js";
    element.onload = () => resolve(globalThis.PLAYGROUND_OFFLINE);
    element.onerror = () => reject(new Error("offline.js could not be loaded"));
    document.head.append(element);
  });
}

function decoded(base64) {
  return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0)).buffer;
}
