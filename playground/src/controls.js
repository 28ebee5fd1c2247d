// The controls of the uniforms: a slider, colour field or check box for each member that does not follow the page.
import { element } from "./dom.js";
import { fromHex, numbersOf, toHex } from "./uniforms.js";

const MOST = 64; // numbers; more would be a spreadsheet

/** Fills the container; `chosen` is read and written, `onChange` is called after each change. */
export function showControls(container, members, chosen, onChange) {
  const shown = members.filter(member => !member.followed);
  const focused = document.activeElement?.id;
  const rows = [];
  let count = 0;
  for (const member of shown) {
    count += member.rows * member.columns;
    if (count > MOST) break;
    rows.push(control(member, chosen, onChange));
  }
  const followed = members.filter(member => member.followed).map(member => member.name);
  const note = followed.length ? `The page sets ${[...new Set(followed)].join(", ")}.` : members.length ? "" : "The shader has no constant buffers.";
  container.replaceChildren(...rows, element("p", { class: "note" }, note));
  if (focused) document.getElementById(focused)?.focus();
}

function control(member, chosen, onChange) {
  const key = `${member.block}.${member.path}`, current = () => numbersOf(member, chosen);
  const set = (index, number) => {
    const numbers = current();
    numbers[index] = number;
    chosen[key] = numbers;
    onChange();
  };
  const id = `uniform-${key.replace(/[^\w-]/g, "_")}`;
  if (member.isColour) return colour(member, id, current, numbers => { chosen[key] = numbers; onChange(); });
  if (member.component === "bool") return row(member, checks(member, id, current, set));
  return row(member, sliders(member, id, current, set));
}

function row(member, parts) {
  return element("div", { class: "uniform", role: "group", "aria-label": member.path },
    element("span", { class: "name", title: `${member.type.name} ${member.block}.${member.path}` }, member.path),
    element("div", { class: "numbers" }, ...parts));
}

function colour(member, id, current, set) {
  const field = element("input", { type: "color", id, value: toHex(current()), "aria-label": member.path });
  field.oninput = () => set([...fromHex(field.value).slice(0, 3), ...current().slice(3)]);
  return row(member, [field]);
}

function checks(member, id, current, set) {
  return current().map((number, index) => {
    const box = element("input", { type: "checkbox", id: `${id}-${index}`, "aria-label": label(member, index) });
    box.checked = number !== 0;
    box.onchange = () => set(index, Number(box.checked));
    return box;
  });
}

function sliders(member, id, current, set) {
  const step = member.component === "float" ? (member.high - member.low) / 200 : 1;
  return current().map((number, index) => {
    const output = element("output", {}, text(number));
    const slider = element("input", {
      type: "range", id: `${id}-${index}`, min: member.low, max: member.high, step, value: number, "aria-label": label(member, index) });
    slider.oninput = () => {
      output.textContent = text(slider.valueAsNumber);
      set(index, slider.valueAsNumber);
    };
    return element("span", { class: "slider" }, slider, output);
  });
}

const text = number => String(Math.round(number * 1000) / 1000);

function label(member, index) {
  if (member.rows > 1) return `${member.path}, row ${Math.floor(index / member.columns)}, column ${index % member.columns}`;
  return member.columns === 1 ? member.path : `${member.path}.${"xyzw"[index]}`;
}
