// The editor: CodeMirror with HLSL, diagnostics at their places, and fix-its as actions.
import { autocompletion, completeFromList, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { colours, hlsl, INTRINSICS, KEYWORDS, TYPES } from "./language.js";

const completions = [
  ...INTRINSICS.map(label => ({ label, type: "function" })), ...TYPES.map(label => ({ label, type: "type" })),
  ...KEYWORDS.split(/\s+/).map(label => ({ label, type: "keyword" })),
];

export class Editor {
  constructor(parent, onChange) {
    this.view = new EditorView({ parent, state: EditorState.create({ extensions: [
      lineNumbers(), lintGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(),
      highlightSelectionMatches(), indentUnit.of("    "), EditorState.tabSize.of(4), hlsl, colours,
      autocompletion({ override: [completeFromList(completions)], activateOnTyping: false }),
      keymap.of([...lintKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ "aria-label": "HLSL source", spellcheck: "false" }),
      EditorView.updateListener.of(update => update.docChanged && onChange()),
    ] }) });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  /** Shows diagnostics of a text; those of included files stand at the line that includes them. */
  show(diagnostics, file, source) {
    this.source = source;
    if (this.text !== source) return; // places in an older text
    const marks = diagnostics.filter(({ location }) => location).map(diagnostic => {
      const [from, to] = this.#range(diagnostic.location, file);
      return {
        from, to, severity: diagnostic.severity === "warning" ? "warning" : diagnostic.severity === "note" ? "info" : "error",
        source: diagnostic.code, message: diagnostic.message + (diagnostic.hint ? `\nhint: ${diagnostic.hint}` : ""),
        actions: diagnostic.fixes?.every(fix => fix.file === file) ? [this.#action(diagnostic)] : [],
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  /** Carries out the fix-its of a diagnostic, unless the text has changed since: their places are not in it. */
  apply({ fixes }) {
    if (this.text !== this.source) return;
    const changes = fixes.map(({ line, column, end_column, text }) => {
      const start = this.view.state.doc.line(line).from;
      return { from: start + column - 1, to: start + end_column - 1, insert: text };
    });
    this.view.dispatch({ changes });
  }

  /** Puts the cursor at a place of a diagnostic. */
  go(location, file) {
    const [from] = this.#range(location, file);
    this.view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.view.focus();
  }

  #action(diagnostic) {
    return { name: "Fix", apply: () => this.apply(diagnostic) };
  }

  #range(location, file) {
    const { doc } = this.view.state;
    const outer = location.file === file ? location : { line: location.included_from?.[0]?.line ?? 1 };
    const line = doc.line(Math.min(Math.max(outer.line, 1), doc.lines));
    if (!outer.column) return [line.from, line.to];
    const from = Math.min(line.from + outer.column - 1, line.to), to = line.from + (outer.end_column ?? outer.column + 1) - 1;
    return [from, Math.min(Math.max(to, from + 1), Math.max(line.to, from))];
  }
}
