// The computation at a glance: small shaded matrices from the given ones to the output, a row for each head.

// What is drawn of a computation, stage by stage; the first and the last are common to all heads.
const STAGES = { before: [["tokens"]], each: [["queries", "keys", "values"], ["scores"], ["weights"], ["output"]], after: [["combined"], ["projected"]] };
// The cells up to which a matrix has numbers in it, and the columns and rows; and up to which heads are drawn.
const MOST_NUMBERED = 100, WIDEST_NUMBERED = 9, TALLEST_NUMBERED = 12, MOST_DRAWN = 800;
// The smallest scale of the picture.
const SMALLEST = 0.8;

const picture = make("figure", { id: "picture" });
picture.setAttribute("aria-label", "The computation at a glance");

const described = () => [...problem.data.given, ...problem.data.rules];

// The matrices of a stage in a head, or for all heads together; heads of a group share their keys and values.
const staged = new Map();

function allAt(stage, head) {
  const key = `${stage} ${head}`;
  if (!staged.has(key)) staged.set(key, lookForStage(described().filter((one) => one.stage === stage), head));
  return staged.get(key);
}

function lookForStage(all, head) {
  const nearest = nearestAmong(all, head);
  if (nearest && nearest.head !== head) return [nearest];
  const own = all.filter((one) => one.head === head);
  return own.length ? own : all.filter((one) => one.head === null);
}

// Of some matrices, the one that the result of a head comes from, over the fewest steps.
function nearestAmong(all, head) {
  const result = ["output", "weights"].map((stage) => problem.data.rules.find((rule) => rule.stage === stage && rule.head === head)).find(Boolean);
  const names = new Set(head === null || !result ? [] : [result.name]);
  for (const name of names) {
    const found = all.find((one) => one.name === name);
    if (found) return found;
    for (const source of problem.inputsOf(name)) names.add(source);
  }
  return null;
}

function headsOf() {
  const heads = [...new Set(problem.data.rules.filter((rule) => rule.stage === "weights").map((rule) => rule.head))];
  return heads.sort((a, b) => a - b);
}

function drawPicture() {
  const heads = headsOf(), isLit = picture.contains(document.activeElement);
  if (!heads.length || isLit) return;
  const own = (head) => STAGES.each.map((stages) => stages.flatMap((stage) => allAt(stage, head)));
  const common = (columns) => columns.map((stages) => stages.flatMap((stage) => allAt(stage, null))).filter((column) => column.length);
  const [before, after] = [common(STAGES.before), common(STAGES.after).slice(-1)];
  const rows = [];
  let cellsDrawn = 0;
  for (const head of heads) {
    if (cellsDrawn > MOST_DRAWN) break;
    cellsDrawn += own(head).flat().reduce((count, one) => count + problem.find(one.name).numbers.length, 0);
    rows.push(make("div", { className: "head" }, ...withArrows(own(head))));
  }
  const more = heads.length - rows.length;
  if (more > 0) rows.push(make("p", { className: "note" }, `and ${more} more heads`));
  picture.replaceChildren(...withArrows(before), ...arrowIf(before.length), make("div", { className: "heads" }, ...rows),
    ...after.flatMap((stage) => [arrow(), stageOf(stage)]));
  fitPicture(heads.length);
}

// Several heads have their Q, K and V beside each other where there is room; what is a little too wide becomes smaller.
function fitPicture(heads) {
  picture.style.zoom = 1;
  picture.classList.toggle("beside", heads > 1);
  const share = () => picture.clientWidth / picture.scrollWidth;
  if (share() < SMALLEST) picture.classList.remove("beside");
  // Widths that are rounded need a little more room; a thumb needs all there is.
  const isForThumbs = matchMedia("(pointer: coarse)").matches;
  if (share() < 1 && share() >= SMALLEST && !isForThumbs) picture.style.zoom = share() - 0.01;
}

const arrow = () => make("span", { className: "arrow", ariaHidden: "true" }, "→");
const arrowIf = (is) => (is ? [arrow()] : []);
const stageOf = (stage) => make("div", { className: "stage" }, ...stage.map(smallMatrix));

function withArrows(stages) {
  return stages.filter((stage) => stage.length).flatMap((stage, n) => [...arrowIf(n), stageOf(stage)]);
}

// One matrix, its name a link to where it is shown.
function smallMatrix({ name, stage, title }) {
  const matrix = problem.find(name), width = matrix.shape.at(-1);
  const { length } = matrix.numbers, isNumbered = length <= MOST_NUMBERED && width <= WIDEST_NUMBERED && length / width <= TALLEST_NUMBERED;
  const grid = make("div", { className: isNumbered ? "tiny" : "tiny bare", ariaHidden: "true" });
  grid.style.setProperty("--columns", width);
  // A weight is shaded as a share of 1, not relative to its row.
  const top = Math.max(...matrix.numbers.map((x) => (Number.isFinite(x) ? Math.abs(x) : 0)), stage === "weights" ? 1 : 1e-300);
  for (const at of matrix.cells()) grid.append(smallCell(name, at, top, isNumbered));
  const place = placeOfMatrix(matrix);
  const link = place ? make("a", { href: `#${place.id}`, ariaLabel: `${title ?? "Given"} ${nameOf(name).textContent}`, title: title ?? "Given" }, maths(nameOf(name))) : maths(nameOf(name));
  return make("div", { className: "small" }, link, grid);
}

// Where a matrix is shown, if only by some of its rows.
function placeOfMatrix(matrix) {
  const shown = [...matrix.cells()].map((at) => cells.get(keyOf(matrix.name, at))?.[0]).find(Boolean);
  return shown?.closest("[id]");
}

// Whether a mask or a decay hides a key: its score is −∞ or its factor 0, and its weight no small one.
function isHidden(name, at) {
  const { stage, head } = described().find((one) => one.name === name);
  if (stage !== "weights") return problem.find(name).at(at) === -Infinity;
  const [cell, batch] = [at.slice(-2), at.slice(0, -2)];
  const hiding = problem.data.rules.filter((rule) => rule.head === head && rule.hidesBy !== undefined);
  return hiding.some((rule) => problem.find(rule.name).at(cell, batch) === (rule.hidesBy ?? -Infinity));
}

function smallCell(name, at, top, isNumbered) {
  const number = problem.find(name).at(at);
  const cell = make("span", { className: isHidden(name, at) ? "hidden" : number < 0 ? "below" : "" }, isNumbered ? shortly(number) : "");
  cell.dataset.k = keyOf(name, at);
  cell.style.setProperty("--w", (DENSEST * Math.min(1, Math.abs(number) / top || 0)).toFixed(3));
  if (problem.isChanged(name, at)) cell.classList.add("changed");
  return cell;
}

// A number in very little room.
function shortly(number) {
  if (!Number.isFinite(number)) return number === -Infinity ? "−∞" : "–";
  // Beyond twelve digits there is only noise.
  if (String(number).length > 12) number = Number(number.toPrecision(12));
  const size = Math.abs(number);
  const isShort = Number.isInteger(number) && size < 1e4;
  const text = isShort ? String(number) : size >= 1e4 ? number.toExponential(0) : number.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
  return text.replace("-", "−").replace("e+", "e");
}

// All cells that a cell comes from, itself among them.
function ancestryOf(key) {
  const found = new Set([key]);
  for (const next of found) {
    const [name, at] = parseKey(next);
    if (!problem.rules.has(name)) continue;
    for (const entry of entriesOf(lines.inBatch(problem.rule(name, at, true), at.slice(0, -2)))) {
      for (const source of keysOf(entry, {})) found.add(source);
    }
  }
  return found;
}

function lightAncestry(key) {
  const kin = key ? ancestryOf(key) : new Set();
  picture.classList.toggle("lit", kin.size > 0);
  for (const cell of picture.querySelectorAll("[data-k]")) {
    cell.classList.toggle("kin", kin.has(cell.dataset.k));
    cell.classList.toggle("self", cell.dataset.k === key);
  }
}

picture.addEventListener("pointerover", (event) => lightAncestry(event.target.closest("[data-k]")?.dataset.k));
picture.addEventListener("pointerleave", () => lightAncestry(null));
picture.addEventListener("click", (event) => {
  const key = event.target.closest("[data-k]")?.dataset.k;
  if (!key) return;
  show(key);
  writeAddress(true);
});

function drawPictures() {
  drawPicture();
  drawArcs();
}
