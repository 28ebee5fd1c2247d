"use strict";
// The page is complete without this script; it adds sorting, filters and folding.
(() => {
  const SHOWN = 50;
  const number = (cell) => {
    const match = cell.textContent.replace(/[, ]/g, "").match(/-?[\d.]+/);
    return match ? parseFloat(match[0]) : -Infinity;
  };

  // Adds a field above a list that hides the items without the words in it, and those behind the first.
  function filterable(list, items, label) {
    const tools = document.createElement("div");
    tools.className = "tools";
    const input = document.createElement("input");
    input.type = "search";
    input.placeholder = "Filter";
    input.setAttribute("aria-label", `Filter: ${label}`);
    const status = document.createElement("output");
    const all = document.createElement("button");
    all.type = "button";
    tools.append(input, status, all);
    (list.closest(".scroll") || list).before(tools);
    let limit = SHOWN, before = SHOWN;
    const texts = new Map();
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let matches = 0;
      for (const item of items()) {
        if (words.length && !texts.has(item)) texts.set(item, item.textContent.toLowerCase());
        const fits = words.every((word) => texts.get(item).includes(word));
        matches += fits;
        item.hidden = !fits || matches > limit;
      }
      status.textContent = words.length ? `${matches} of ${items().length}` : "";
      all.textContent = `Show all ${matches}`;
      all.hidden = matches <= limit;
    };
    input.addEventListener("input", show);
    all.addEventListener("click", () => { limit = Infinity; show(); });
    list.reveal = () => { limit = Infinity; input.value = ""; show(); };
    list.refresh = show;
    addEventListener("beforeprint", () => { before = limit; limit = Infinity; show(); });
    addEventListener("afterprint", () => { limit = before; show(); });
    show();
  }

  function sortable(table) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      const isNumber = head.classList.contains("num");
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const up = before ? before === "descending" : !isNumber;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const order = isNumber
          ? (a, b) => a[0] - b[0]
          : (a, b) => a[0].localeCompare(b[0], "en", { numeric: true });
        const rows = [...body.rows].map((row) => {
          const cell = row.cells[column];
          return [isNumber ? number(cell) : cell.textContent, row];
        });
        rows.sort((a, b) => (up ? order(a, b) : order(b, a)));
        body.append(...rows.map((pair) => pair[1]));
        if (table.refresh) table.refresh();
      });
    });
  }

  // Opens what hides the target of a deep link.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      if (at.reveal && target.hidden) at.reveal();
    }
    target.scrollIntoView();
  }

  for (const table of document.querySelectorAll("table.data")) {
    sortable(table);
    if (table.classList.contains("filter")) {
      filterable(table, () => table.tBodies[0].rows, table.closest("section").querySelector("h2").textContent);
    }
  }
  for (const list of document.querySelectorAll(".items.filter")) {
    filterable(list, () => list.children, list.closest("section").querySelector("h2").textContent);
  }
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of opened) details.open = false; });
})();
