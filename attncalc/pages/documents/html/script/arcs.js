// Attention as arcs over the tokens, if tokens are named: thicker is more.

const SVG = "http://www.w3.org/2000/svg";
const TOKEN_HEIGHT = 30, LETTER_WIDTH = 9, LEAST_WIDTH = 58, LONGEST_TOKEN = 16;

const arcs = make("figure", { id: "arcs" });

function drawn(tag, attributes, ...inside) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

// The weights of one head with the tokens of their rows and columns; null if these are not named.
function attended(rule) {
  const [queries, keys] = problem.data.tokens, [rows, columns] = rule.shape;
  if (rule.shape.length !== 2 || !queries.length || queries.length < rows || keys.length < columns) return null;
  return { rule, queries: queries.slice(queries.length - rows), keys: keys.slice(keys.length - columns), matrix: problem.find(rule.name) };
}

function drawArcs() {
  const found = problem.data.rules.filter((rule) => rule.stage === "weights").map(attended).filter(Boolean);
  arcs.replaceChildren(...found.map(arcsOf));
}

function arcsOf(attention) {
  const { rule, queries, keys } = attention;
  const isOneLine = queries.length === keys.length && queries.every((word, n) => word === keys[n]);
  const lengths = Array.from({ length: Math.max(queries.length, keys.length) }, (_, n) => Math.max(...[queries[n], keys[n]].map((word) => shortToken(word ?? "").length)));
  const widths = lengths.map((length) => Math.max(LEAST_WIDTH, LETTER_WIDTH * length + 20));
  const middles = widths.map((width, n) => widths.slice(0, n).reduce((sum, one) => sum + one, width / 2));
  const picture = isOneLine ? overOneLine(attention, middles) : betweenLines(attention, middles);
  const total = middles.at(-1) + widths.at(-1) / 2;
  const svg = drawn("svg", { viewBox: `0 0 ${total} ${picture.height}`, width: total, height: picture.height, role: "img" }, ...picture.nodes);
  svg.setAttribute("aria-label", `Who attends to whom, ${rule.name}`);
  svg.addEventListener("pointerover", (event) => stressToken(svg, event.target.closest("[data-query]")?.dataset.query));
  svg.addEventListener("pointerleave", () => stressToken(svg, undefined));
  return make("div", { className: "box" }, maths(nameOf(rule.name)), svg);
}

function shortToken(word) {
  const letters = [...word];
  return letters.length > LONGEST_TOKEN ? `${letters.slice(0, LONGEST_TOKEN - 1).join("")}…` : word;
}

function stressToken(svg, query) {
  svg.classList.toggle("lit", query !== undefined);
  for (const arc of svg.querySelectorAll("[data-query]")) arc.classList.toggle("kin", arc.dataset.query === query);
}

// One line of tokens: arcs to earlier tokens above it, to later ones below, to the token itself a circle.
function overOneLine({ keys, queries, matrix }, middles) {
  const reach = 18 * (keys.length - 1) + 24, line = reach + TOKEN_HEIGHT / 2;
  const hasAfter = queries.some((_, i) => keys.some((_, j) => j > i && matrix.at([i, j]) > 0));
  const paths = pairs(queries, keys).map(([i, j]) => {
    const way = j < i ? -1 : 1, edge = line + (way * TOKEN_HEIGHT) / 2, tall = 18 * Math.abs(i - j) + 14;
    const path = i === j
      ? `M ${middles[i] - 7} ${line - TOKEN_HEIGHT / 2} a 9 9 0 1 1 14 0`
      : `M ${middles[i]} ${edge} C ${middles[i]} ${edge + way * tall} ${middles[j]} ${edge + way * tall} ${middles[j]} ${edge}`;
    return arcOf(path, i, j, queries, keys, matrix);
  });
  return { height: line + TOKEN_HEIGHT / 2 + (hasAfter ? reach : 6), nodes: [...paths, ...keys.map((word, n) => tokenOf(word, middles[n], line, n))] };
}

// Queries above, keys below.
function betweenLines({ keys, queries, matrix }, middles) {
  const top = TOKEN_HEIGHT / 2, bottom = 110, at = (n) => middles[n];
  const paths = pairs(queries, keys).map(([i, j]) =>
    arcOf(`M ${at(i)} ${top + 14} C ${at(i)} 65 ${at(j)} 65 ${at(j)} ${bottom - 14}`, i, j, queries, keys, matrix));
  const words = [...queries.map((word, n) => tokenOf(word, at(n), top, n)), ...keys.map((word, n) => tokenOf(word, at(n), bottom))];
  return { height: bottom + TOKEN_HEIGHT / 2, nodes: [...paths, ...words] };
}

const pairs = (queries, keys) => queries.flatMap((_, i) => keys.map((_, j) => [i, j]));

function arcOf(path, i, j, queries, keys, matrix) {
  const weight = matrix.at([i, j]) || 0;
  const shade = Math.min(1, Math.max(0, weight));
  const title = drawn("title", {}, `${queries[i]} attends to ${keys[j]}: ${weight.toFixed(2)}`);
  return drawn("path", { d: path, "data-query": i, "stroke-width": (0.4 + 5 * shade).toFixed(2), "stroke-opacity": (shade && 0.12 + 0.8 * shade).toFixed(2) }, title);
}

function tokenOf(word, x, y, query) {
  return drawn("text", { x, y: y + 5, "text-anchor": "middle", ...(query === undefined ? {} : { "data-query": query }) }, shortToken(word));
}
