// Colour targets of four components for shaders that write fewer, such as `float3 main() : SV_Target`: WebGPU refuses
// those, so an entry point with padded results calls the shader's.
const SCALARS = { f32: "f", i32: "i", u32: "u", f16: "h" }, LETTERS = "fiuh";

/** Returns code and name of an entry point whose results have four components; those of the shader where they have. */
export function padded(code, name) {
  const head = code.match(new RegExp(`@fragment\\s+fn ${name}\\(([^{]*?)\\)\\s*->\\s*([^{]+?)\\s*\\{`));
  if (!head) return { code, name };
  const [whole, parameters, result] = head, struct = code.match(new RegExp(`struct ${result} \\{([^}]*)\\}`));
  const members = struct ? parts(struct[1]).map(member) : [member(result)];
  if (members.every(({ type, wide }) => type === wide)) return { code, name };
  const inner = parts(parameters).map(text => text.replace(/@\w+(\([^)]*\))?\s*/g, "")), call = `${name}(${inner.map(nameOf).join(", ")})`;
  const outer = `${name}_padded`, value = struct ? ({ name }) => `result.${name}` : () => "result";
  const values = members.map(one => one.type === one.wide ? value(one) : pad(one, value(one))).join(", ");
  const plain = code.replace(whole, `fn ${name}(${inner.join(", ")}) -> ${struct ? result : members[0].type} {`);
  const type = struct ? `${result}_padded` : `${members[0].attributes}${members[0].wide}`;
  const declared = struct ? `struct ${type} { ${members.map(one => `${one.attributes}${one.name}: ${one.wide},`).join(" ")} }\n` : "";
  return { name: outer, code: `${plain}\n${declared}@fragment fn ${outer}(${parameters}) -> ${type} {
  let result = ${call};
  return ${struct ? `${type}(${values})` : values};
}\n` };
}

/** Returns the texts between commas that are in no parentheses. */
function parts(text) {
  return text.match(/(?:[^,()]|\([^)]*\))+/g)?.map(part => part.trim()).filter(Boolean) ?? [];
}

function nameOf(parameter) {
  return parameter.split(":")[0].trim();
}

/** Returns attributes, name, type and the type with four components of `@location(0) colour: vec3f`, or without a name. */
function member(text) {
  const attributes = text.match(/^(?:@\w+(?:\([^)]*\))?\s*)*/)[0], [first, second] = text.slice(attributes.length).split(":").map(part => part.trim());
  const type = second ?? first, letter = SCALARS[type] ?? type.match(/^vec[234]([fiuh])$/)?.[1];
  const isTarget = attributes.includes("@location") && letter;
  return { attributes, name: second === undefined ? "" : first, type, wide: isTarget ? `vec4${letter}` : type, letter };
}

/** Returns a value with zeros, and one in the last component. */
function pad({ type, wide, letter }, value) {
  const count = type in SCALARS ? 1 : Number(type[3]), scalar = Object.keys(SCALARS)[LETTERS.indexOf(letter)];
  return `${wide}(${[value, ...Array(3 - count).fill(`${scalar}(0)`), `${scalar}(1)`].join(", ")})`;
}
