/** Returns a new element with attributes and children (nodes or texts). */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
  node.append(...children);
  return node;
}

export const find = id => document.getElementById(id);
