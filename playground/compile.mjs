// Compiles, for browsers, the modules of a wheel for the Python of Pyodide, and the sample that the page shows first:
// node compile.mjs WHEEL OUTPUT.zip SAMPLE.json FIRST.json
import { loadPyodide } from "pyodide";
import { readFileSync, writeFileSync } from "node:fs";
import { commandLine, DEFAULTS } from "./src/options.js";

const VIEWS = ["spirv", "layout", "bindings", "structs", "rust", "csharp"];

const [wheel, output, sample, first] = process.argv.slice(2);
const pyodide = await loadPyodide();
pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)).buffer, "wheel", { extractDir: "/package" });
writeFileSync(first, JSON.stringify(compiled(JSON.parse(readFileSync(sample)))));

/** Returns the request for a sample, the reply of the compiler, and all views of the module. */
function compiled({ source, options, headers }) {
  const stages = { main: commandLine({ ...DEFAULTS, ...options }, "main") };
  pyodide.runPython("import sys; sys.path[:0] = ['/package', '/session']");
  pyodide.FS.mkdir("/session");
  pyodide.FS.writeFile("/session/session.py", readFileSync("python/session.py"));
  const session = pyodide.pyimport("session").Session.callKwargs({ headers: pyodide.toPy(headers) });
  const reply = JSON.parse(session.compile(JSON.stringify({ source, stages })));
  if (!reply.main.ok) throw new Error(`the first sample does not compile: ${JSON.stringify(reply.main)}`);
  delete reply.main.ms;
  const views = VIEWS.map(view => [view, JSON.parse(session.view(JSON.stringify({ view, stage: "main" })))]);
  return { source, stages, reply, views: Object.fromEntries(views) };
}

pyodide.runPython(`
import compileall, os, py_compile, zipfile

UNUSED = ("apps/lsp", "apps/server", "cli", "cross", "project", "scons")
os.chdir("/package")
for name in UNUSED:
    os.rename(f"hlsl_tool/{name}", f"/{os.path.basename(name)}")
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH  # valid whatever time the sources get when they are unpacked
compileall.compile_dir("hlsl_tool", quiet=2, invalidation_mode=mode)
with zipfile.ZipFile("/compiled.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for folder, _, files in sorted(os.walk("hlsl_tool")):
        for name in sorted(name for name in files if name.endswith(".pyc")):
            path = f"{folder}/{name}"
            with open(path, "rb") as file:
                archive.writestr(zipfile.ZipInfo(path), file.read(), zipfile.ZIP_DEFLATED)
`);
writeFileSync(output, pyodide.FS.readFile("/compiled.zip"));
