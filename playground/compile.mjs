// Compiles the modules of a wheel for the Python of Pyodide, so that browsers need not: node compile.mjs WHEEL OUTPUT.zip
import { loadPyodide } from "pyodide";
import { readFileSync, writeFileSync } from "node:fs";

const [wheel, output] = process.argv.slice(2);
const pyodide = await loadPyodide();
pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)).buffer, "wheel", { extractDir: "/package" });
pyodide.runPython(`
import compileall, os, py_compile, zipfile

UNUSED = ("apps/lsp", "apps/server", "cli", "project", "scons")
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
