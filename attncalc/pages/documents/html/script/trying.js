// Try it: blanks in place of results; answers are marked when their row is full.

const MARKS = {
  right: ["✓", "right"],
  own: ["→", "right, from your own numbers"],
  near: ["~", "near: it may be right, but for rounding on the way"],
  open: ["?", "not from these numbers: fill in the steps before it, and it can be judged"],
  wrong: ["✗", "not this"],
};

let isTrying = false;
const answers = new Map();
const storeName = `attncalc ${document.title} ${fingerprintOf(carried?.textContent ?? "")}`;

// A hash that distinguishes problems: variants have the same title, and may have the same length.
function fingerprintOf(text) {
  return [...text].reduce((hash, char) => (Math.imul(hash, 31) + char.codePointAt(0)) | 0, 0);
}

const isAsked = (key) => isTrying && problem.rules.has(matrixOf(key));
const toolbar = make("p", { id: "try" });

function drawToolbar() {
  const begin = button("try", isTrying ? "Show the solution" : "Try it: hide the results and fill them in yourself", toggleTrying, isTrying ? "Show the solution" : "Try it");
  const save = button("save", "Save as answers: what is filled in, as a file", saveAnswers, "Save as answers");
  toolbar.replaceChildren(begin, ...(isTrying ? [save, make("small", {}, "A row is marked when it is full. What you type stays in this browser.")] : []));
}

function toggleTrying() {
  isTrying = !isTrying;
  close();
  if (isTrying && problem.mistakes.size) resetAll();
  document.body.classList.toggle("trying", isTrying);
  drawToolbar();
  for (const words of main.querySelectorAll(":scope > p:not(#try)")) words.hidden = isTrying && tellsResult(words.textContent);
  for (const table of askedTables()) for (const cell of table.querySelectorAll("td[data-k]")) isTrying ? blank(cell) : unblank(cell);
  if (isTrying) markAll();
  else renew();
}

// Whether a text by the author contains a result.
function tellsResult(text) {
  const results = problem.data.rules.flatMap(({ name }) => problem.find(name).numbers.map(Math.abs));
  const isResult = (told) => results.some((number) => number.toFixed(told.split(".")[1].length) === told);
  return (text.match(/\d+\.\d{2,}/g) ?? []).some(isResult);
}

// The tables with decimals of all shown steps.
function askedTables() {
  const tables = [...main.querySelectorAll(".display .eq:last-of-type table[role=grid], .map table[role=grid]")];
  return tables.filter((table) => problem.rules.has(matrixOf(table.querySelector("td[data-k]")?.dataset.k ?? ":")));
}

function blank(cell) {
  remember(cell);
  const [name, at] = parseKey(cell.dataset.k);
  const input = make("input", { type: "text", size: 5, autocomplete: "off", value: answers.get(cell.dataset.k) ?? "" });
  input.setAttribute("aria-label", `${name}, ${at.map((index) => index + 1).join(", ")}`);
  input.addEventListener("input", () => takeAnswer(cell.dataset.k, input.value));
  cell.replaceChildren(input);
}

function unblank(cell) {
  cell.classList.remove(...Object.keys(MARKS));
  cell.drawn = undefined;
  cell.replaceChildren(...cell.original.nodes.map((node) => node.cloneNode(true)));
}

function takeAnswer(key, text) {
  if (text.trim()) answers.set(key, text.trim());
  else answers.delete(key);
  for (const cell of cells.get(key) ?? []) {
    const input = cell.querySelector("input");
    if (input && input !== document.activeElement) input.value = text;
  }
  keepAnswers();
  markAll();
}

function keepAnswers() {
  try {
    localStorage.setItem(storeName, JSON.stringify([...answers]));
  } catch {
    // Without storage in the browser, answers are still marked.
  }
}

function recallAnswers() {
  try {
    for (const [key, text] of JSON.parse(localStorage.getItem(storeName) ?? "[]")) answers.set(String(key), String(text));
  } catch {
    answers.clear();
  }
}

// Marking

const toldNumber = (key) => (answers.has(key) ? readTold(answers.get(key)) : null);

function isFull(name, at) {
  const width = problem.find(name).shape.at(-1);
  return Array.from({ length: width }, (_, n) => keyOf(name, [...at.slice(0, -1), n])).every((key) => toldNumber(key) !== null);
}

function markAll() {
  const verdicts = judged(answers);
  for (const table of askedTables()) {
    for (const cell of table.querySelectorAll("td[data-k]")) {
      setMark(cell, isFull(...parseKey(cell.dataset.k)) ? verdicts.get(cell.dataset.k) : null);
    }
  }
}

function setMark(cell, mark) {
  cell.classList.remove(...Object.keys(MARKS));
  cell.querySelector(".mark")?.remove();
  if (!mark) return;
  const [sign, words] = MARKS[mark];
  const made = make("span", { className: "mark", title: words, ariaLabel: words }, sign);
  made.setAttribute("role", "img");
  cell.classList.add(mark);
  cell.append(made);
}

// A hint: the law, with the numbers that the student knows.

function hintFor(key) {
  const [name, at] = parseKey(key), batch = at.slice(0, -2);
  const rule = lines.inBatch(problem.rule(name, at, countLeaves(problem.rule(name, at, false)) <= MOST_LEAVES / 4), batch);
  let isKnown = true;
  const put = (term) => {
    if (!isEntry(term)) return mapped(term, put);
    const number = ownNumber(term, batch);
    isKnown &&= number !== null;
    return number === null ? term : ["=", term, number];
  };
  const numbers = put(rule);
  const line = make("div", { className: "line" }, cellName(name, at), " ", sideOf("=", rule));
  if (isKnown && JSON.stringify(numbers) !== JSON.stringify(rule)) line.append(sideOf("=", numbers));
  return line;
}

function ownNumber(entry, batch) {
  const [, name, ...indices] = entry;
  if (!indices.length) return problem.find(name)?.numbers[0] ?? null;
  if (isRunning(entry)) return null;
  const key = keyOf(name, problem.find(name).inBatch(integersOf(entry), batch));
  if (problem.given.has(name)) return lines.number(entry, batch, false);
  const told = toldNumber(key);
  return told && (/^-?\d+(\.\d+)?(\/\d+)?$/.test(plainText(answers.get(key))) ? plainText(answers.get(key)) : spellNumber(told.number));
}

// The panel's text for a blank: a hint on demand.
function tryWords(key) {
  const place = make("div", {});
  place.append(button("hint-button", "Hint: the law with your numbers", () => place.replaceChildren(hintFor(key)), "Hint"));
  return place;
}

// The answers as an answers file.
function answersText() {
  const rows = problem.data.rules.map(({ name }) => [name, problem.find(name)]).filter(([name]) => [...answers.keys()].some((key) => matrixOf(key) === name));
  const cell = (name, at) => (toldNumber(keyOf(name, at)) === null ? "_" : answers.get(keyOf(name, at)).replaceAll("−", "-"));
  const nest = (name, shape, at) => (at.length === shape.length ? cell(name, at) : `[${Array.from({ length: shape[at.length] }, (_, n) => nest(name, shape, [...at, n])).join(", ")}]`);
  return rows.map(([name, { shape }]) => `${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${nest(name, shape, [])}\n`).join("");
}

function saveAnswers() {
  const address = URL.createObjectURL(new Blob([answersText()], { type: "text/yaml" }));
  const link = make("a", { href: address, download: "answers.yaml" });
  link.click();
  URL.revokeObjectURL(address);
}
