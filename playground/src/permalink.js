// The state of the page in the fragment of its address: JSON, deflated, in base64 for URLs.
import { DEFAULTS } from "./options.js";

const MOST_DRAWN = 1e6; // vertices or instances
const TOPOLOGIES = ["point-list", "line-list", "line-strip", "triangle-list", "triangle-strip"];
const PREFIX = "#1-"; // the format of what follows

/** Returns the fragment of a state. */
export async function encode(state) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(state)));
  const letters = Array.from(bytes, byte => String.fromCharCode(byte)).join("");
  return PREFIX + btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the state of a fragment, or null for an empty one; throws an Error for one that is damaged. */
export async function decode(fragment) {
  if (!fragment || fragment === "#") return null;
  try {
    if (!fragment.startsWith(PREFIX)) throw new Error();
    const letters = atob(fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(new DecompressionStream("deflate-raw"), Uint8Array.from(letters, letter => letter.charCodeAt(0)));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof state?.source !== "string") throw new Error();
    return checked(state);
  } catch {
    throw new Error("The link is damaged: part of its address is missing.");
  }
}

/** Returns a state without the parts that no page writes: links come from anywhere. */
function checked({ source, options, values, draw, tab }) {
  const pick = (object, fits) => Object.fromEntries(Object.entries(object ?? {}).filter(([name, value]) => fits(value, name)));
  const isNumbers = value => Array.isArray(value) && value.length <= 64 && value.every(Number.isFinite);
  return {
    source,
    options: pick(options, (value, name) => name in DEFAULTS && typeof value === "string"),
    values: pick(values, isNumbers),
    draw: pick(draw, value => TOPOLOGIES.includes(value) || (Number.isInteger(value) && value > 0 && value <= MOST_DRAWN)),
    tab: typeof tab === "string" ? tab : undefined,
  };
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
