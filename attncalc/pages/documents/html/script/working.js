// The working of one cell, in the panel: its line, with the cells that it comes from highlighted.

let current = null, trail = [], lit = [], timer = 0, isQuiet = false;

const cellAt = (target) => (target instanceof Element ? target.closest("td[data-k]") : null);
const isHeld = () => panel.classList.contains("open") && (panel.contains(document.activeElement) || cellAt(document.activeElement) !== null);

function show(key, path = []) {
  if (!hasLine(key)) return;
  clear();
  current = key;
  trail = path;
  const line = isAsked(key) ? tryWords(key) : lineFor(key);
  const entries = [...line.querySelectorAll("[data-k]")];
  const sources = [...new Set(entries.flatMap(keys))];
  const names = [...new Set(sources.map(matrixOf))];
  const hue = (source) => `f${names.indexOf(matrixOf(source)) % 4}`;
  light(key, "on");
  for (const source of sources) light(source, "from", hue(source));
  const linked = new Set();
  for (const entry of entries) {
    const [first] = keys(entry);
    entry.classList.add(hue(first));
    if (linked.has(first)) continue;
    linked.add(first);
    entry.setAttribute("tabindex", "0");
    entry.setAttribute("role", "link");
  }
  // Elements inside mathematics can be focused only if it is not read as one element.
  for (const formula of line.querySelectorAll("math:has([role=link])")) formula.setAttribute("role", "group");
  panel.replaceChildren(head(), line, ...ownWords(key), ...controls(key), copies(sources, hue));
  panel.classList.add("open");
  dock();
}

function head() {
  const crumbs = trail.flatMap((key, n) => [button("", "Back to this entry", () => move(key, trail.slice(0, n)), titleOf(key)), "›"]);
  const path = make("nav", { className: "trail", ariaLabel: "Trail" });
  path.append(...(trail.length ? [button("back", "Back", goBack, "‹ Back"), ...crumbs, make("span", {}, titleOf(current))] : [stepOf(current)]));
  const pin = make("small", { className: "pin", title: "The panel stays with this entry until Esc, or until another is chosen." }, "pinned");
  return make("div", { className: "bar-top" }, path, pin, button("close", "Close", close, "×"));
}

// For a wrong entry: the student's number, and its explanation.
function ownWords(key) {
  const wrong = (cells.get(key) ?? []).find((cell) => cell.matches(".wrong"));
  if (!wrong) return [];
  const own = [...wrong.cloneNode(true).childNodes].filter((node) => !node.classList?.contains("cross"));
  const reasons = [...(wrong.closest(".step")?.querySelectorAll(".reason") ?? [])].map((reason) => reason.cloneNode(true));
  const said = wrong.dataset.said ? [make("p", { className: "own" }, wrong.dataset.said)] : [];
  return [make("p", { className: "own" }, "You have ", ...own, "."), ...reasons, ...said];
}

// The matrices that the line takes its entries from, with those entries highlighted.
function copies(sources, hue) {
  const pictures = [...new Set(sources.map(matrixOf))].map((name) => {
    const inside = sources.filter((key) => matrixOf(key) === name);
    const shown = inside.flatMap((key) => cells.get(key) ?? []);
    const box = (shown.find((cell) => cell.offsetParent) ?? shown[0])?.closest(".box");
    if (!box) return isComputed(inside[0]) ? make("div", { className: "eq" }, maths(nameOf(name)), " ", smallTable(name, inside, hue)) : null;
    const label = box.closest(".display").querySelector(".name").cloneNode(true);
    const copy = box.cloneNode(true);
    for (const cell of copy.querySelectorAll("[tabindex]")) cell.removeAttribute("tabindex");
    return make("div", { className: "eq" }, label, copy);
  });
  const all = make("div", { className: "sources" }, ...pictures.filter(Boolean));
  all.setAttribute("aria-hidden", "true");
  return all;
}

// A matrix that the page does not show: the entries that the line takes, row by row.
function smallTable(name, inside, hue) {
  const rows = new Map();
  for (const key of inside) {
    const at = parseKey(key)[1], lead = at.slice(0, -1).join();
    const cell = make("td", { className: `from ${hue(key)}` }, ...numberNodes(lines.shown.decimal(name, at).term));
    rows.set(lead, [...(rows.get(lead) ?? []), cell]);
  }
  const table = make("table", { className: "plain" }, make("tbody", {}, ...[...rows.values()].map((row) => make("tr", {}, ...row))));
  table.setAttribute("role", "grid");
  return make("div", { className: "box" }, table);
}

function close() {
  const cell = current && panel.contains(document.activeElement) ? nearest(current) : null;
  clear();
  current = null;
  trail = [];
  panel.classList.remove("open");
  panel.replaceChildren(hint.cloneNode(true));
  dock();
  quietly(() => cell?.focus({ preventScroll: true }));
  writeAddress();
}

function quietly(act) {
  isQuiet = true;
  act();
  isQuiet = false;
}

// A panel at the edge of the screen must not cover the cell that it explains: it moves to the other edge.
function dock(cell = cellAt(document.activeElement)) {
  const isSheet = getComputedStyle(panel).position === "fixed" && panel.classList.contains("open");
  const height = isSheet ? panel.offsetHeight : 0;
  const isAbove = isSheet && cell !== null && cell.getBoundingClientRect().bottom > innerHeight - height;
  panel.classList.toggle("above", isAbove);
  document.documentElement.style.setProperty("--sheet", `${height}px`);
  document.documentElement.style.setProperty("--above", `${isAbove ? height : 0}px`);
  document.documentElement.style.setProperty("--below", `${isAbove ? 0 : height}px`);
}

// The panel shows whether it stays while the mouse moves on.
function tellHeld() {
  panel.classList.toggle("held", isHeld());
}

function light(key, ...classes) {
  for (const cell of cells.get(key) ?? []) {
    cell.classList.add(...classes);
    lit.push([cell, classes]);
  }
}

function clear() {
  stress(null);
  for (const [cell, classes] of lit) cell.classList.remove(...classes);
  lit = [];
}

function stress(entry) {
  for (const other of document.querySelectorAll(".at")) other.classList.remove("at");
  if (!entry) return;
  const wanted = new Set(keys(entry));
  const alike = [...panel.querySelectorAll("[data-k]"), ...[...wanted].flatMap((key) => cells.get(key) ?? [])];
  for (const other of alike) if (keys(other).some((key) => wanted.has(key))) other.classList.add("at");
}
