// naga (npm `naga-wasm`, found at NODE_MODULES_AT) as a command line: node naga.mjs IN.spv OUT.wgsl
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const need = createRequire(pathToFileURL((process.env.NODE_MODULES_AT ?? process.cwd()) + '/'));
const naga = await import(pathToFileURL(need.resolve('naga-wasm')));
const [input, output] = process.argv.slice(2);
try {
  const module = naga.parseSpirv(readFileSync(input));
  writeFileSync(output, naga.writeWgsl(module, naga.validate(module), {}));
} catch (error) {
  console.error(String(error.formatted ?? error.message ?? error));
  process.exitCode = 1;
}
