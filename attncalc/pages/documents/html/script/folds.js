// Large matrices are folded; each can be shown in full.

const nameIn = (table) => matrixOf(table.querySelector("td[data-k]").dataset.k);

function offerUnfolding() {
  for (const table of main.querySelectorAll("table[role=grid]:has(td.gap)")) {
    if (!table.querySelector("td[data-k]") || !isComputed(table.querySelector("td[data-k]").dataset.k)) continue;
    const { shape, numbers } = problem.find(nameIn(table));
    const open = button("unfold", `Show all of it: ${numbers.length} entries, ${shape.join(" by ")}`, () => {
      unfold(table);
      open.remove();
    }, "Show all of it");
    table.closest(".display").append(open);
  }
}

// Show the whole matrix in place of its corners; rows and columns are numbered like the labels already there.
function unfold(table) {
  const matrix = problem.find(nameIn(table)), width = matrix.shape.at(-1);
  const hasRows = table.querySelector("tbody th") !== null, hasColumns = table.tHead !== null;
  const rows = [];
  for (const at of matrix.cells()) {
    if (at.at(-1) === 0) rows.push(make("tr", {}, ...(hasRows ? [headCell("row", at.slice(0, -1))] : [])));
    rows.at(-1).append(wholeCell(table, matrix, at));
  }
  if (hasColumns) table.tHead.rows[0].replaceChildren(...(hasRows ? [make("td")] : []), ...Array.from({ length: width }, (_, n) => headCell("col", [n])));
  table.tBodies[0].replaceChildren(...rows);
  renewTable(table);
  alignPoints(table);
  if (current) show(current, trail);
}

function headCell(scope, at) {
  const made = make("th", {}, at.map((index) => index + 1).join(","));
  made.scope = scope;
  return made;
}

// A cell of the whole matrix: one that is on the page already, or a new one.
function wholeCell(table, matrix, at) {
  const key = keyOf(matrix.name, at), known = (cells.get(key) ?? []).find((cell) => table.contains(cell));
  if (known) return known;
  const made = make("td", { tabIndex: -1 }, ...numberNodes(lines.shown.decimal(matrix.name, at).term));
  made.dataset.k = key;
  const before = problem.originally(matrix.name, at), isShaded = table.classList.contains("shaded");
  made.original = { nodes: [...make("td", {}, ...numberNodes(lines.shown.float(before).term)).childNodes], shade: isShaded ? `--w:${shadeOf(before)}` : "" };
  if (isShaded) shadeCell(made, matrix.at(at));
  made.classList.toggle("editable", isEditable(made));
  made.classList.toggle("changed", problem.isChanged(matrix.name, at));
  cells.set(key, [...(cells.get(key) ?? []), made]);
  return made;
}
