// The list of diagnostics below the editor.
import { element, find } from "./dom.js";

/** Shows diagnostics; each leads to its place in the editor. */
export function showProblems(diagnostics, problem, file, editor) {
  const items = diagnostics.map(diagnostic => item(diagnostic, file, editor));
  if (problem) items.unshift(element("li", { class: "error" }, element("span", { class: "text" }, `options: ${problem}`)));
  find("problems").replaceChildren(...items);
}

function item(diagnostic, file, editor) {
  const { severity, code, message, hint, location, fixes, notes = [] } = diagnostic;
  const parts = [element("span", { class: "text" }, place(location, file), element("b", {}, `${severity}: `), message, " ", element("code", {}, code))];
  if (hint) parts.push(element("span", { class: "hint" }, `hint: ${hint}`));
  for (const note of notes) parts.push(element("span", { class: "hint" }, place(note.location, file), `note: ${note.message}`));
  const go = element("button", { type: "button", class: "go" }, ...parts);
  go.onclick = () => location && editor.go(location, file);
  const row = element("li", { class: severity }, go);
  if (fixes?.every(fix => fix.file === file)) {
    const fix = element("button", { type: "button", class: "fix", "aria-label": `Fix: ${hint ?? message}` }, "Fix");
    fix.onclick = () => editor.apply(diagnostic);
    row.append(fix);
  }
  return row;
}

function place(location, file) {
  if (!location?.line) return ""; // it concerns the whole text
  return `${location.file === file ? "" : location.file + ":"}${location.line}:${location.column} `;
}
