// The state of the page in the fragment of its address: JSON, deflated, in base64 for URLs.
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
    return state;
  } catch {
    throw new Error("The link is damaged: part of its address is missing.");
  }
}

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}
