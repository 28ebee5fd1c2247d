// The compiler in a web worker: Pyodide, our wheel and session.py. All files come by message, so that the worker is the
// same in a page from a server and in one from a disk.
import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import session from "../python/session.py";

const NAMES = { "pyodide.asm.wasm": "application/wasm", "python_stdlib.zip": "application/zip" };
let python;

async function load({ assets, headers, lock, folder }) {
  const fetchFromServer = self.fetch.bind(self);
  self.fetch = async url => {
    const name = String(url.url ?? url).split("/").pop();
    if (folder && name.endsWith(".wasm")) return fetchFromServer(folder + name); // browsers keep its machine code by address
    if (!(name in NAMES)) throw new Error(`the compiler asked for ${name}, which it does not have`);
    return new Response(assets[name], { headers: { "Content-Type": NAMES[name] } });
  };
  const step = text => postMessage({ step: text });
  step("Starting Python");
  const pyodide = await loadPyodide({
    indexURL: "https://playground.invalid/", stdLibURL: "https://playground.invalid/python_stdlib.zip",
    lockFileContents: lock, packageBaseUrl: "https://playground.invalid/", createPyodideModule,
  });
  step("Loading the compiler");
  const packages = pyodide.runPython("import site; site.getsitepackages()[0]");
  const wheel = Object.keys(assets).find(name => name.endsWith(".whl"));
  for (const [name, form] of [[wheel, "wheel"], ["compiled.zip", "zip"]])
    pyodide.unpackArchive(assets[name], form, { extractDir: packages });
  pyodide.FS.writeFile(`${packages}/session.py`, session);
  const { Session } = pyodide.pyimport("session");
  python = Session.callKwargs({ headers: pyodide.toPy(headers) });
  return python.compile(JSON.stringify({ source: "float4 main() : SV_Target { return 1; }\n",
                                         stages: { main: ["-T", "ps_6_0", "-E", "main"] } }));
}

const HANDLERS = {
  load,
  compile: ({ request }) => python.compile(request),
  view: ({ request }) => python.view(request),
};

self.onmessage = async ({ data }) => {
  try {
    const reply = await HANDLERS[data.kind](data);
    postMessage({ id: data.id, reply: JSON.parse(reply) });
  } catch (error) {
    postMessage({ id: data.id, error: String(error.message ?? error) });
  }
};
