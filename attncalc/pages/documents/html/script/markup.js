// The content of the page: its cells by their keys, its model, and the lines written from it.

const main = document.querySelector("main");
const panel = document.getElementById("working");

function make(tag, properties, ...inside) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
}

const button = (className, name, act, ...inside) => {
  const made = make("button", { type: "button", className, ariaLabel: name, title: name }, ...inside);
  made.addEventListener("click", act);
  return made;
};

const carried = document.getElementById("model");
const problem = carried && new Problem(JSON.parse(carried.textContent));

// The markup of a name, as the page has it.
function nameOf(name) {
  const markup = document.querySelector(`#names [data-of="${CSS.escape(name)}"]`);
  return markup ? row([...markup.cloneNode(true).childNodes]) : letter(name);
}

// The keys of the cells that an entry stands for; letters run through as many values as `sizes` say.
function keysOf(entry, sizes) {
  const [, name, ...indices] = entry;
  if (!indices.length || !problem.find(name)) return [];
  const ranges = indices.map((index) => {
    const size = sizes[letterOf(index)] ?? 1;
    return Array.from({ length: size }, (_, n) => (letterOf(index) ? indexAt(index, { [letterOf(index)]: n }) : integersOf(["@", name, index])[0]));
  });
  return ranges.reduce((all, range) => all.flatMap((at) => range.map((index) => [...at, index])), [[]]).map((at) => keyOf(name, at));
}

const notation = problem && new Notation(nameOf, keysOf, problem.data.silent);
const lines = problem && new Lines(problem, notation);

const maths = (...nodes) => element("math", {}, ...nodes);

// The name of a cell, which leads nowhere.
function cellName(name, at) {
  const named = notation.entry(lines.left(name, at), {});
  delete named.dataset.k;
  return maths(named);
}

// One side of a line, its addends apart so that the line can break between them.
function sideOf(relation, term) {
  const parts = notation.addends(term).map(([before, nodes]) => make("span", {}, maths(sign(before || relation, { form: "infix" }), ...nodes)));
  return make("span", {}, ...parts.flatMap((part) => [part, " "]));
}

// The worked line of a cell.
function workedLine(name, at) {
  const line = make("div", { className: "line" }, cellName(name, at), " ");
  if (problem.rules.has(name)) line.append(...lines.sides(name, at).map(([relation, term]) => sideOf(relation, term)));
  else line.append(sideOf("=", lines.shown.exact(name, at) ?? lines.shown.decimal(name, at).term));
  if (problem.given.has(name)) line.append(" ", make("em", {}, "given"));
  line.dataset.k = keyOf(name, at);
  return line;
}

// The lines and cells that the page has from the beginning.
const written = new Map(), cells = new Map();
for (const line of main.querySelectorAll(".line[data-k]")) {
  if (!written.has(line.dataset.k)) written.set(line.dataset.k, line);
}
for (const cell of main.querySelectorAll("td[data-k]")) {
  cell.tabIndex = cell.matches("tr:first-child > td:first-of-type") ? 0 : -1;
  cells.set(cell.dataset.k, [...(cells.get(cell.dataset.k) ?? []), cell]);
}

const keys = (made) => made.dataset.k.split(" ");
const matrixOf = (key) => parseKey(key)[0];
const isComputed = (key) => Boolean(problem?.find(matrixOf(key)));
const hasLine = (key) => isComputed(key) || written.has(key);

function lineFor(key) {
  const line = isComputed(key) ? workedLine(...parseKey(key)) : written.get(key).cloneNode(true);
  line.removeAttribute("data-k");
  return line;
}

const titleOf = (key) => (isComputed(key) ? cellName(...parseKey(key)) : written.get(key).querySelector("math").cloneNode(true));

// The step that a cell belongs to, in words.
function stepOf(key) {
  const rule = problem?.rules.get(matrixOf(key));
  if (rule) return make("span", {}, `${rule.title} `, maths(nameOf(rule.name)));
  const places = [written.get(key), ...(cells.get(key) ?? [])].map((place) => place?.closest(".step"));
  const heading = places.find(Boolean)?.querySelector("h2, h3");
  return make("span", {}, ...(heading?.cloneNode(true).childNodes ?? []));
}

// Lists of worked lines are written when they are opened.
function writeLines(list) {
  for (const line of list.querySelectorAll(".line[data-k]")) {
    if (isComputed(line.dataset.k)) line.replaceChildren(...workedLine(...parseKey(line.dataset.k)).childNodes);
  }
}

function rewriteLines() {
  for (const list of main.querySelectorAll(".lines:not(.fixed)")) if (list.open ?? true) writeLines(list);
}
