// The values of terms in intervals: [low, high].

// The ends of an interval, without the rounding errors of floats.
const around = (low, high) => [low - 1e-12 * Math.abs(low), high + 1e-12 * Math.abs(high)];
const ends = (numbers) => around(Math.min(...numbers), Math.max(...numbers));
const timesEnds = ([a, b], [c, d]) => ends([a * c, a * d, b * c, b * d].map((x) => (Number.isNaN(x) ? 0 : x)));
const EVERYTHING = [-Infinity, Infinity];

function overEnds(over, [c, d]) {
  return c <= 0 && d >= 0 ? EVERYTHING : timesEnds(over, [1 / d, 1 / c]);
}

function powerEnds([a, b], [exponent]) {
  const found = [a ** exponent, b ** exponent, ...(a <= 0 && b >= 0 ? [0] : [])];
  return found.some(Number.isNaN) ? EVERYTHING : ends(found);
}

// The range of a function with turning points, bounded by its slope.
function functionEnds(name, [a, b]) {
  if (name === "sin" || name === "cos") return around(FUNCTIONS[name]((a + b) / 2) - (b - a) / 2, FUNCTIONS[name]((a + b) / 2) + (b - a) / 2);
  const found = [FUNCTIONS[name](a), FUNCTIONS[name](b), ...(name === "abs" && a < 0 && b > 0 ? [0] : [])];
  return found.some(Number.isNaN) ? EVERYTHING : ends(found);
}

// The interval of a term with integers; `find(name, at)` returns that of an entry.
function rangeOf(term, find, where = {}) {
  if (isNumber(term)) return [numberOf(term), numberOf(term)];
  const read = (member) => rangeOf(member, find, where);
  const [kind, x, y] = term;
  switch (kind) {
    case "@": return term.length === 2 ? find(x, []) : find(x, integersOf(["@", x, ...term.slice(2).map((index) => indexAt(index, where))]));
    case "#": return [indexAt(x, where), indexAt(x, where)];
    case "+": return term.slice(1).map(read).reduce(([a, b], [c, d]) => [a + c, b + d]);
    case "-": return read(x).map((end) => -end).reverse();
    case "*": return term.slice(1).map(read).reduce(timesEnds);
    case "/": return overEnds(read(x), read(y));
    case "^": return powerEnds(read(x), read(y));
    case "sum": return rangesAlong(term, find, where).reduce(([a, b], [c, d]) => [a + c, b + d]);
    case "max": return rangesAlong(term, find, where).reduce(([a, b], [c, d]) => [Math.max(a, c), Math.max(b, d)]);
    default: return functionEnds(kind, read(x));
  }
}

const rangesAlong = ([, [letter, size], term], find, where) =>
  Array.from({ length: size }, (_, n) => rangeOf(term, find, { ...where, [letter]: n }));
