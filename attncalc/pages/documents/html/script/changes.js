// Given numbers that are changed in place, and the update of the page.

const DENSEST = 0.7;
let editing = null;

const isEditable = (cell) => Boolean(problem?.given.has(matrixOf(cell.dataset.k)));
const isMask = (cell) => problem.given.get(matrixOf(cell.dataset.k)).stage === "mask";

// Typed text with the signs of a keyboard.
const plainText = (text) => text.trim().replaceAll("−", "-").replace(",", ".");

// Parse a typed number: 3, -0.5, 1/3, −∞; null if it is none.
function parseNumber(text) {
  const plain = plainText(text);
  if (/^-(inf(inity)?|∞)$/i.test(plain)) return -Infinity;
  const parts = plain.split("/");
  if (parts.length > 2 || !parts.every((part) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(part.trim()))) return null;
  const number = parts.length === 2 ? Number(parts[0]) / Number(parts[1]) : Number(plain);
  // Adding 0 turns −0 into 0.
  return Number.isFinite(number) ? number + 0 : null;
}

// The matrices in which −∞ hides a key.
const HIDING = ["mask", "scores"];

// Parse a number typed into a given cell.
function parseGiven(text, name) {
  const number = parseNumber(text);
  return number === -Infinity && !HIDING.includes(problem.given.get(name).stage) ? null : number;
}

const spellNumber = (number) => (number === -Infinity ? "-inf" : String(number));

// The current changes: [key, number] of every given cell that differs from the problem file.
function changes() {
  return [...(problem?.given.keys() ?? [])].flatMap((name) => {
    const matrix = problem.find(name);
    return [...matrix.cells()].filter((at) => problem.isChanged(name, at)).map((at) => [keyOf(name, at), matrix.at(at)]);
  });
}

function change(key, number, isNew = false) {
  problem.set(...parseKey(key), number);
  renew();
  writeAddress(isNew);
}

function resetAll() {
  for (const [key] of changes()) problem.reset(...parseKey(key));
  problem.mistakes.clear();
  renew();
  writeAddress(true);
}

function reset(key) {
  problem.reset(...parseKey(key));
  renew();
  writeAddress(true);
}

// Update everything that depends on the numbers: steps, matrices, shades, lines, the panel.
function renew() {
  problem.work();
  lines.renew();
  const changed = changes();
  document.body.classList.toggle("moved", changed.length + problem.mistakes.size > 0);
  showSwitches();
  for (const table of main.querySelectorAll("table[role=grid]")) renewTable(table);
  rewriteLines();
  drawPictures();
  tellChanges(changed);
  if (isTrying) markAll();
  if (current) {
    const focus = document.activeElement;
    show(current, trail);
    if (focus?.isConnected) quietly(() => focus.focus({ preventScroll: true }));
  }
}

// Matrices

function renewTable(table) {
  const computed = [...table.querySelectorAll("td[data-k]")].filter((cell) => isComputed(cell.dataset.k));
  const stale = computed.filter(isStale);
  if (!stale.length) return;
  const moved = new Set(computed.filter((cell) => problem.isChanged(...parseKey(cell.dataset.k))));
  for (const cell of stale) renewCell(cell, moved.has(cell));
  alignPoints(table);
  const display = table.closest(".display");
  display?.classList.toggle("moved", moved.size > 0 && display.querySelectorAll(".eq").length > 1);
  renewRelation(table, moved.size > 0);
}

// Whether a cell shows an outdated number, or may show the correct one beside it.
function isStale(cell) {
  const [name, at] = parseKey(cell.dataset.k), number = problem.find(name).at(at);
  return problem.mistakes.size > 0 || !Object.is(cell.drawn ?? problem.originally(name, at), number) || isAsked(cell.dataset.k);
}

function renewCell(cell, isMoved) {
  remember(cell);
  cell.classList.toggle("changed", isMoved && !isAsked(cell.dataset.k));
  if (cell === editing?.cell || isAsked(cell.dataset.k)) return;
  const [name, at] = parseKey(cell.dataset.k);
  cell.drawn = problem.mistakes.size ? NaN : problem.find(name).at(at);
  cell.replaceChildren(...(isMoved ? [...numberNodes(termIn(cell)), ...besideIt(name, at)] : cell.original.nodes.map((node) => node.cloneNode(true))));
  if (cell.closest(".map")) cell.classList.toggle("hidden", isHidden(name, at));
  if (cell.closest(".shaded")) shadeCell(cell, isMoved ? problem.find(name).at(at) : null);
}

// A cell as a decimal: in a map with two places, else as everywhere.
function termIn(cell) {
  const [name, at] = parseKey(cell.dataset.k);
  return cell.closest(".map") ? problem.find(name).at(at).toFixed(2).replace("NaN", "nan") : lines.shown.decimal(name, at).term;
}

// Remember a cell before any change.
function remember(cell) {
  cell.original ??= { nodes: [...cell.childNodes].map((node) => node.cloneNode(true)), shade: cell.getAttribute("style") };
}

function shadeCell(cell, weight) {
  if (weight === null) cell.setAttribute("style", cell.original.shade ?? "");
  else cell.style.setProperty("--w", shadeOf(weight));
}

const shadeOf = (weight) => (DENSEST * Math.min(1, Math.max(0, weight || 0))).toPrecision(3);

// The nodes of a number in a matrix.
function numberNodes(term) {
  const text = String(term), before = text.startsWith("-") ? "−" : "";
  if (text.endsWith("inf")) return [`${before}∞`];
  if (text === "nan") return [make("abbr", { title: "undefined: something is divided by zero" }, "–")];
  const [plain, exponent] = digitsOf(parseDecimal(text));
  if (exponent === null) return [before + plain];
  return [`${before}${plain}×10`, make("sup", {}, String(exponent).replace("-", "−"))];
}

// Align decimal points: invisible zeros fill up shorter numbers.
function alignPoints(table) {
  if (!table.classList.contains("plain")) return;
  const rows = [...table.tBodies[0].rows];
  for (const column of rows[0].cells.length ? [...rows[0].cells].keys() : []) {
    const texts = rows.map((line) => [line.cells[column], ownText(line.cells[column])]).filter(([cell]) => cell?.dataset.k);
    const room = Math.max(...texts.map(([, text]) => countDecimals(text)));
    for (const [cell, text] of texts) fillUp(cell, text, room);
  }
}

const ownText = (cell) => [...(cell?.childNodes ?? [])].filter((node) => node.localName !== "i" && node.localName !== "small").map((node) => node.textContent).join("");
const countDecimals = (text) => (/^[−\d.]+$/.test(text) ? text.split(".")[1]?.length ?? 0 : 0);

function fillUp(cell, text, room) {
  if (cell === editing?.cell || !/^[−\d.]+$/.test(text)) return;
  const missing = room - countDecimals(text);
  cell.querySelector("i:not(.cross)")?.remove();
  const zeros = make("i", {}, (text.includes(".") ? "" : ".") + "0".repeat(missing));
  if (missing > 0) cell.insertBefore(zeros, cell.querySelector("br, small"));
}

// = if all shown decimals are exact, else ≈.
function renewRelation(table, isMoved) {
  const relation = table.closest(".eq")?.querySelector(":scope > span:not(.name)");
  if (!relation) return;
  relation.original ??= relation.textContent;
  const shown = [...table.querySelectorAll("td[data-k]")].map((cell) => parseKey(cell.dataset.k));
  const isExact = ([name, at]) => lines.shown.decimal(name, at).isExact && lines.certainty.holds(name, at);
  relation.textContent = !isMoved ? relation.original : shown.every(isExact) ? "=" : "≈";
}

// The list of changes at the top of the page

const told = make("div", { id: "changes", hidden: true });
told.setAttribute("role", "status");

function tellChanges(changed) {
  const mistakes = problem.data.switches.filter((one) => problem.mistakes.has(one.code));
  told.hidden = !changed.length && !mistakes.length;
  const chips = changed.map(([key, number]) => {
    const [name, at] = parseKey(key);
    const was = lines.shown.float(problem.originally(name, at)).term;
    return make("span", { className: "chip" }, cellName(name, at), " ", maths(sign("=", { form: "infix" }), ...notation.number(Number.isFinite(number) ? spell(decimalOf(number)) : spellNumber(number))[0]),
      " ", make("small", {}, "was ", maths(...notation.number(was)[0])), button("undo", "Set back", () => reset(key), "↺"));
  });
  const note = Object.keys(problem.data.exact).length ? "Exact forms give way to decimals." : "";
  const fault = faultNow();
  const wrong = mistakes.map(({ code }) => make("strong", { className: "what-if" }, "What if: ", sentenceOf(code)));
  const words = [...wrong, ...(changed.length ? ["Changed: ", ...chips] : []), fault, make("small", {}, note), button("reset", "Set all back", resetAll, "Set all back")];
  told.replaceChildren(...(told.hidden ? [] : words));
}

// Why some step cannot be computed with the current numbers; empty if all can.
function faultNow() {
  const isLost = (number) => Number.isNaN(number) || number === Infinity;
  const step = problem.data.rules.find((rule) => problem.find(rule.name).numbers.some(isLost));
  if (!step) return "";
  const isNone = problem.find(step.name).numbers.some(Number.isNaN);
  return make("strong", {}, maths(nameOf(step.name)), isNone ? " divides by zero with these numbers. " : " is too large to compute with. ");
}

// What the panel offers for a given number that is changed.
function controls(key) {
  if (!problem || !isComputed(key)) return [];
  const [name, at] = parseKey(key);
  if (!problem.given.has(name)) return isTrying ? [] : [playControl()];
  if (!problem.isChanged(name, at)) return [make("p", { className: "note" }, isMask({ dataset: { k: key } }) ? "Click to switch between 0 and −∞." : "Click the number, or type, to change it.")];
  const was = lines.shown.float(problem.originally(name, at)).term;
  return [make("p", { className: "note" }, "Changed; it was ", maths(...notation.number(was)[0]), ". ", button("undo", "Set back", () => reset(key), "Set back"))];
}

// Editing in place

// A given number as it is written in the problem file: a fraction as one.
function spelling(name, at) {
  const exact = lines.shown.exact(name, at);
  return (exact !== null && fractionOf(exact)) || spellNumber(problem.find(name).at(at));
}

function edit(cell, text = null) {
  const key = cell.dataset.k, [name, at] = parseKey(key), before = problem.find(name).at(at);
  if (isMask(cell)) {
    change(key, before === -Infinity ? 0 : -Infinity, true);
    return;
  }
  remember(cell);
  const input = make("input", { type: "text", value: text ?? spelling(name, at), autocomplete: "off" });
  input.setAttribute("aria-label", `${name}, ${at.map((index) => index + 1).join(", ")}`);
  input.size = Math.max(2, input.value.length);
  editing = { cell, before, isFirst: true };
  cell.replaceChildren(input);
  input.addEventListener("input", () => takeTyped(key, input));
  input.addEventListener("keydown", (event) => pressIn(event, key, input));
  input.addEventListener("blur", () => finish(cell));
  input.focus();
  if (text === null) input.select();
  else takeTyped(key, input);
}

function takeTyped(key, input) {
  const number = parseGiven(input.value, matrixOf(key));
  input.size = Math.max(2, input.value.length);
  input.setAttribute("aria-invalid", String(number === null));
  if (number === null) return;
  change(key, number, editing.isFirst);
  editing.isFirst = false;
}

function finish(cell) {
  if (editing?.cell !== cell) return;
  editing = null;
  const [name, at] = parseKey(cell.dataset.k);
  renewCell(cell, problem.isChanged(name, at));
  alignPoints(cell.closest("table"));
}

function pressIn(event, key, input) {
  const { cell, before } = editing;
  const act = {
    Enter: () => enter(cell),
    Escape: () => {
      change(key, before);
      enter(cell);
    },
    ArrowUp: () => stepDigit(key, input, 1),
    ArrowDown: () => stepDigit(key, input, -1),
  }[event.key];
  if (!act) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

// One more or less in the last digit.
function stepDigit(key, input, way) {
  const number = parseNumber(input.value), plain = /^-?\d+(?:\.(\d+))?$/.exec(plainText(input.value));
  if (number === null || !plain) return;
  const places = plain[1]?.length ?? 0;
  input.value = (number + way * 10 ** -places).toFixed(places);
  takeTyped(key, input);
}

// A digit or a sign typed at a given cell begins its change.
function typeOver(event, cell) {
  if (!cell || !isEditable(cell) || isMask(cell) || !/^[\d.+−-]$/.test(event.key)) return;
  event.preventDefault();
  edit(cell, event.key);
}
