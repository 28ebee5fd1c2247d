// The results: a tab for each view of the compiled module, filled when it is looked at.
import { element, find } from "./dom.js";

const NAMES = ["spirv", "wgsl", "layout", "bindings", "structs", "rust", "csharp"];

export class Tabs {
  /** `fetchView(view, stage)` returns one view of the last compilation. */
  constructor(fetchView, onSelect) {
    Object.assign(this, { fetchView, onSelect, selected: "spirv", stage: "main", stages: null, options: {} });
    this.buttons = NAMES.map(name => find(`tab-${name}`));
    for (const button of this.buttons) {
      button.onclick = () => this.select(button.id.slice(4));
      button.onkeydown = event => this.#move(event);
    }
    find("stage").onchange = event => {
      this.stage = event.target.value;
      this.refresh();
    };
  }

  select(name) {
    this.selected = NAMES.includes(name) ? name : "spirv";
    for (const button of this.buttons) {
      const isSelected = button.id === `tab-${this.selected}`;
      button.setAttribute("aria-selected", isSelected);
      button.tabIndex = isSelected ? 0 : -1;
    }
    find("view").setAttribute("aria-labelledby", `tab-${this.selected}`);
    this.onSelect();
    this.refresh();
  }

  /** Takes the stages of a compilation; `note` says which passes ran. */
  use(stages, note) {
    this.stages = stages;
    this.note = note;
    if (!stages[this.stage]) this.stage = "main";
    const choice = find("stage");
    choice.replaceChildren(...Object.keys(stages).map(stage => element("option", { value: stage, selected: stage === this.stage }, stages[stage].title)));
    choice.parentElement.hidden = choice.options.length < 2;
    return this.refresh();
  }

  async refresh() {
    const turn = this.turn = (this.turn ?? 0) + 1;
    const part = this.stages?.[this.stage], view = find("view"), at = [view.scrollLeft, view.scrollTop], asked = this.selected;
    if (!part) return;
    if (!part.ok) return view.replaceChildren(element("p", { class: "note" }, "The shader has errors: there is no module to show."));
    const shown = asked === "wgsl" ? this.#wgsl(part) : this.#shown(asked, await this.fetchView(asked, this.stage), part);
    if (turn !== this.turn) return;
    view.replaceChildren(...shown);
    [view.scrollLeft, view.scrollTop] = at;
  }

  #wgsl(part) {
    if (part.wgsl !== null) return [code(part.wgsl)];
    return [element("p", { class: "note problem" }, `WGSL cannot express this shader: ${part.wgsl_problem}`)];
  }

  #shown(view, content, part) {
    if (content === null) return [];
    if (view === "bindings") return [bindingTable(content.bindings)];
    if (view === "layout" && !content) return [element("p", { class: "note" }, "The shader has no constant or storage buffers.")];
    if (view === "spirv") return [element("p", { class: "note" },
      `${part.size.toLocaleString("en")} bytes. ${this.note} SPIRV-Tools do not run in browsers: spirv-opt did not optimise this module, and spirv-val did not validate it.`), code(content)];
    return [code(content)];
  }

  #move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const index = NAMES.indexOf(this.selected), name = NAMES[(index + step + NAMES.length) % NAMES.length];
    this.select(name);
    find(`tab-${name}`).focus();
  }
}

function code(text) {
  return element("pre", {}, text);
}

const COLUMNS = ["set", "binding", "resource", "type", "register", "rule", "count", "descriptor", "place"];

function bindingTable(rows) {
  if (!rows.length) return element("p", { class: "note" }, "The shader has no resources.");
  const cell = (row, column) => column === "place" && !row.used ? `${row[column] ?? ""} (unused)` : String(row[column] ?? "");
  return element("table", {},
    element("thead", {}, element("tr", {}, ...COLUMNS.map(name => element("th", { scope: "col" }, name)))),
    element("tbody", {}, ...rows.map(row => element("tr", {}, ...COLUMNS.map(name => element("td", {}, cell(row, name)))))));
}
