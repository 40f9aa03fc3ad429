// Moves from cell to cell: by links, by arrow keys, by the mouse.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Of the places where a cell is shown, the one nearest to the middle of the screen.
function nearest(key) {
  const places = cells.get(key) ?? [];
  const seen = places.filter((cell) => cell.offsetParent);
  const away = (cell) => Math.abs(cell.getBoundingClientRect().top - innerHeight / 2);
  return seen.length ? seen.reduce((a, b) => (away(b) < away(a) ? b : a)) : places[0] ?? null;
}

function move(key, path) {
  show(key, path);
  const cell = nearest(key);
  for (let fold = cell?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (cell) enter(cell);
  else (panel.querySelector("[role=link]") ?? panel.querySelector("button")).focus();
  writeAddress(true);
}

function enter(cell) {
  cell.focus({ preventScroll: true });
  uncover(cell);
}

function uncover(cell) {
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  cell.scrollIntoView({ block: "nearest", inline: "nearest", behavior: isCalm ? "auto" : "smooth" });
}

function goBack() {
  if (trail.length) move(trail.at(-1), trail.slice(0, -1));
}

function neighbour(cell, across, down) {
  const rows = cell.closest("tbody").rows;
  let line = cell.parentElement.sectionRowIndex, column = cell.cellIndex, next;
  do {
    line += down;
    column += across;
    next = rows[line]?.cells[column];
  } while (next && !next.dataset.k);
  return next;
}

function walk(cell, across, down) {
  const next = neighbour(cell, across, down);
  if (next) enter(next);
}

const follow = (entry) => move(keys(entry)[0], [...trail, current]);

function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input")) return;
  const cell = cellAt(event.target);
  const entry = panel.contains(event.target) ? event.target.closest("[role=link]") : null;
  const act = {
    Escape: current && close,
    Backspace: current && trail.length && goBack,
    Enter: entry ? () => follow(entry) : cell && (isEditable(cell) ? () => edit(cell) : () => panel.querySelector("[role=link]")?.focus()),
    " ": entry ? () => follow(entry) : cell && isEditable(cell) && (() => edit(cell)),
  }[event.key] ?? (cell && ARROWS[event.key] && (() => walk(cell, ...ARROWS[event.key])));
  if (!act) return typeOver(event, cell);
  event.preventDefault();
  act();
}

function point(event) {
  clearTimeout(timer);
  const cell = cellAt(event.target);
  if (event.pointerType !== "mouse" || !cell || isHeld() || cell.dataset.k === current) return;
  timer = setTimeout(() => {
    show(cell.dataset.k);
    dock(cell);
  }, 60);
}

// One cell of a matrix is in the order of Tab: the one last visited.
function visit(event) {
  const cell = cellAt(event.target);
  if (!cell) return;
  for (const other of cell.closest("table").querySelectorAll("td[tabindex='0']")) other.tabIndex = -1;
  cell.tabIndex = 0;
  // The click at the end of a press opens the panel: opened earlier, it would catch the click.
  const isPressed = event.target === cell && cell.matches(":active");
  if (isQuiet || isPressed || cell.dataset.k === current) return;
  show(cell.dataset.k);
  uncover(cell);
  writeAddress();
}

function choose(event) {
  const cell = cellAt(event.target);
  if (!cell || event.target.matches("input")) return;
  if (cell.dataset.k !== current) show(cell.dataset.k);
  enter(cell);
  writeAddress(true);
  if (isEditable(cell)) edit(cell);
}
