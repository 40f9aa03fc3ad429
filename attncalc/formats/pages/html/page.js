"use strict";
// Cells, and the entries in worked lines, carry keys such as S:2,0.  Pointing at a cell shows its line
// in the panel and lights the cells whose keys the line holds; an entry in the panel leads on to its cell.
(() => {
  const main = document.querySelector("main");
  const panel = document.getElementById("working");
  const cells = new Map(), lines = new Map();
  let current = null, trail = [], lit = [], timer = 0, quiet = false;

  const keys = (element) => element.dataset.k.split(" ");
  const matrix = (key) => key.slice(0, key.lastIndexOf(":"));
  const cellAt = (target) => target instanceof Element ? target.closest("td[data-k]") : null;
  const held = () => panel.contains(document.activeElement) || cellAt(document.activeElement);

  function make(tag, properties, ...inside) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...inside);
    return element;
  }

  // The panel

  function show(key, path = []) {
    if (!lines.has(key)) return;
    clear();
    current = key;
    trail = path;
    const line = lines.get(key).cloneNode(true);
    line.removeAttribute("data-k");
    const entries = [...line.querySelectorAll("[data-k]")];
    const sources = [...new Set(entries.flatMap(keys))];
    const names = [...new Set(sources.map(matrix))];
    const hue = (source) => "f" + names.indexOf(matrix(source)) % 4;
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
    panel.replaceChildren(head(), line, copies(sources));
    panel.classList.add("open");
    dock();
  }

  function head() {
    const crumbs = trail.flatMap((key, n) => {
      const crumb = make("button", { type: "button", title: "Back to this entry" }, title(key));
      crumb.addEventListener("click", () => move(key, trail.slice(0, n)));
      return [crumb, "›"];
    });
    const back = make("button", { type: "button", className: "back", ariaLabel: "Back" }, "‹ Back");
    back.addEventListener("click", goBack);
    const shut = make("button", { type: "button", className: "close", ariaLabel: "Close" }, "×");
    shut.addEventListener("click", close);
    const path = make("nav", { className: "trail", ariaLabel: "Trail" });
    path.append(...(trail.length ? [back, ...crumbs, make("span", {}, title(current))] : [step(current)]));
    return make("div", { className: "bar-top" }, path, shut);
  }

  // The heading of the step that a cell belongs to.
  function step(key) {
    const places = [lines.get(key), ...(cells.get(key) ?? [])].map((place) => place.closest(".step"));
    const heading = places.find(Boolean)?.querySelector("h3");
    return make("span", {}, ...(heading?.cloneNode(true).childNodes ?? []));
  }

  const title = (key) => lines.get(key).querySelector("math").cloneNode(true);

  // The matrices that the line takes its entries from, with those entries lit.
  function copies(sources) {
    const found = new Set(sources.filter((key) => cells.has(key)).map((key) => cells.get(key)[0].closest(".box")));
    const pictures = [...found].map((box) => {
      const name = box.closest(".display").querySelector(".name").cloneNode(true);
      const copy = box.cloneNode(true);
      for (const cell of copy.querySelectorAll("[tabindex]")) cell.removeAttribute("tabindex");
      return make("div", { className: "eq" }, name, copy);
    });
    const all = make("div", { className: "sources" }, ...pictures);
    all.setAttribute("aria-hidden", "true");
    return all;
  }

  function close() {
    const cell = current && panel.contains(document.activeElement) ? nearest(current) : null;
    clear();
    current = null;
    trail = [];
    panel.classList.remove("open");
    panel.replaceChildren(hint.cloneNode(true));
    dock();
    quiet = true;
    cell?.focus({ preventScroll: true });
    quiet = false;
  }

  // A sheet at the bottom must not cover the cell that it explains; then it stands at the top.
  function dock(cell = null) {
    const sheet = getComputedStyle(panel).position === "fixed" && panel.classList.contains("open");
    const height = sheet ? panel.offsetHeight : 0;
    document.documentElement.style.setProperty("--sheet", `${height}px`);
    panel.classList.toggle("above", sheet && cell !== null && cell.getBoundingClientRect().bottom > innerHeight - height);
  }

  // Lights

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

  // Ways from cell to cell

  function nearest(key) {
    const copies = cells.get(key) ?? [];
    const seen = copies.filter((cell) => cell.offsetParent);
    const middle = innerHeight / 2;
    const away = (cell) => Math.abs(cell.getBoundingClientRect().top - middle);
    return seen.length ? seen.reduce((a, b) => (away(b) < away(a) ? b : a)) : copies[0] ?? null;
  }

  function move(key, path) {
    show(key, path);
    const cell = nearest(key);
    for (let fold = cell?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    if (cell) enter(cell);
    else (panel.querySelector("[role=link]") ?? panel.querySelector("button")).focus();
  }

  function enter(cell) {
    cell.focus({ preventScroll: true });
    uncover(cell);
  }

  function uncover(cell) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    cell.scrollIntoView({ block: "nearest", inline: "nearest", behavior: calm ? "auto" : "smooth" });
  }

  function goBack() {
    if (trail.length) move(trail.at(-1), trail.slice(0, -1));
  }

  function neighbour(cell, across, down) {
    const rows = cell.closest("tbody").rows;
    let row = cell.parentElement.sectionRowIndex, column = cell.cellIndex, next;
    do {
      row += down;
      column += across;
      next = rows[row]?.cells[column];
    } while (next && !next.dataset.k);
    return next;
  }

  // What the reader does

  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = cellAt(event.target);
    const entry = panel.contains(event.target) ? event.target.closest("[role=link]") : null;
    const act = {
      Escape: current && close,
      Backspace: current && trail.length && goBack,
      Enter: entry ? () => move(keys(entry)[0], [...trail, current]) : cell && (() => panel.querySelector("[role=link]")?.focus()),
      " ": entry && (() => move(keys(entry)[0], [...trail, current])),
    }[event.key] ?? (cell && arrows[event.key] && (() => walk(cell, ...arrows[event.key])));
    if (!act) return;
    event.preventDefault();
    act();
  }

  function walk(cell, across, down) {
    const next = neighbour(cell, across, down);
    if (next) enter(next);
  }

  main.addEventListener("pointerover", (event) => {
    clearTimeout(timer);
    const cell = cellAt(event.target);
    if (event.pointerType !== "mouse" || !cell || held() || cell.dataset.k === current) return;
    timer = setTimeout(() => {
      show(cell.dataset.k);
      dock(cell);
    }, 60);
  });
  main.addEventListener("focusin", (event) => {
    const cell = cellAt(event.target);
    if (!cell) return;
    for (const other of cell.closest("table").querySelectorAll("td[tabindex='0']")) other.tabIndex = -1;
    cell.tabIndex = 0;
    if (quiet || cell.dataset.k === current) return;
    show(cell.dataset.k);
    uncover(cell);
  });
  main.addEventListener("click", (event) => {
    const cell = cellAt(event.target);
    if (!cell) return;
    if (cell.dataset.k !== current) show(cell.dataset.k);
    enter(cell);
  });
  panel.addEventListener("click", (event) => {
    const entry = event.target.closest("[data-k]");
    if (entry) move(keys(entry)[0], [...trail, current]);
  });
  for (const kind of ["pointerover", "focusin"]) {
    panel.addEventListener(kind, (event) => stress(event.target.closest("[data-k]")));
  }
  panel.addEventListener("pointerleave", () => stress(null));
  document.addEventListener("keydown", press);

  // On paper everything is open.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const fold of folded) fold.open = true;
  });
  addEventListener("afterprint", () => {
    for (const fold of folded) fold.open = false;
  });

  for (const line of main.querySelectorAll(".line[data-k]")) {
    if (!lines.has(line.dataset.k)) lines.set(line.dataset.k, line);
  }
  for (const cell of main.querySelectorAll("td[data-k]")) {
    cell.tabIndex = cell.matches("tr:first-child > td:first-of-type") ? 0 : -1;
    cells.set(cell.dataset.k, [...(cells.get(cell.dataset.k) ?? []), cell]);
  }
  const hint = make("p", { className: "hint" }, "Point at an entry of any matrix, or tap it, to see where it comes from.");
  hint.append(make("small", {}, "Keys: Tab and arrows to an entry, Enter into its working, Backspace back, Esc closes."));
  if (cells.size) {
    document.body.classList.add("alive");
    panel.hidden = false;
    panel.append(hint.cloneNode(true));
    (main.querySelector(".step") ?? main.querySelector(".displays")).before(hint);
  }
})();
