// Constant buffers by their reflection: the members as a flat list of paths, and their bytes.

/** Returns the members of a struct that hold numbers: path, type, shape (rows and columns); HLSL's bools are marked. */
export function leaves(type, path = "", spelled = "") {
  if (type.kind === "struct")
    return type.members.flatMap(({ name, type, hlsl }) => leaves(type, path ? `${path}.${name}` : name, hlsl?.type));
  if (type.kind === "array")
    return Array.from({ length: type.count ?? 0 }, (_, index) => leaves(type.element, `${path}[${index}]`, spelled)).flat();
  const component = spelled?.startsWith("bool") ? "bool" : type.component ?? type.kind;
  return [{ path, type, component, rows: type.rows ?? 1, columns: type.columns ?? 1 }];
}

/** Writes the values (path → list of numbers, matrices row by row) into a block. */
export function fill(view, type, values, path, offset) {
  if (type.kind === "struct") {
    for (const member of type.members)
      fill(view, member.type, values, path ? `${path}.${member.name}` : member.name, offset + member.offset);
  } else if (type.kind === "array") {
    for (let index = 0; index < (type.count ?? 0); index++)
      fill(view, type.element, values, `${path}[${index}]`, offset + index * type.stride);
  } else {
    const numbers = values[path];
    if (numbers) numbers.forEach((number, index) => write(view, type, number, offset + place(type, index)));
  }
}

function place(type, index) {
  if (type.kind !== "matrix") return index * (type.bits ?? 32) / 8;
  const row = Math.floor(index / type.columns), column = index % type.columns;
  const [major, minor] = type.majorness === "column_major" ? [column, row] : [row, column];
  return major * type.stride + minor * 4;
}

function write(view, type, number, at) {
  const component = type.component ?? type.kind;
  if (component === "float") view.setFloat32(at, number, true);
  else if (component === "uint" || component === "bool") view.setUint32(at, number, true);
  else view.setInt32(at, number, true);
}
