// The options of the page and the command line that they stand for.

export const DEFAULTS = {
  profile: "ps_6_0", entry: "main", vertex: "", target: "vulkan1.1", optimise: "-O3", layout: "", matrices: "",
  version: "2021", words: "",
};

/** Returns the command line of the main stage, or of the vertex stage. */
export function commandLine(options, stage) {
  const model = options.profile.slice(3), isVertex = stage === "vertex";
  const words = ["-T", isVertex ? `vs_${model}` : options.profile, "-E", isVertex ? options.vertex : options.entry];
  if (options.target !== "vulkan1.0") words.push(`-fspv-target-env=${options.target}`);
  words.push(...[options.optimise, options.layout, options.matrices].filter(word => word && word !== "-O3"));
  if (options.version !== "2021") words.push("-HV", options.version);
  return [...words, ...split(options.words)];
}

/** Returns words as a shell would split them, with quotes. */
function split(text) {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c);
}

/** Returns what ran after code generation, for the reader. */
export function passesText({ optimise, words }) {
  const chosen = split(words).filter(word => /^-(O|fcgl)/.test(word)).at(-1) ?? optimise;
  if (chosen === "-fcgl") return "No pass ran: this is the module as it was generated.";
  if (/^-O[0d]$/.test(chosen)) return "Only the passes ran that make the module legal.";
  return "Our own passes ran: inlining, promotion of variables, folding, removal of what is unused.";
}
