// The values of terms in floats: a term is compiled once, into a function of the values of its letters.

// A sum smaller than this part of its addends is rounding error.
const NOISE = 1e-15;

function numberOf(constant) {
  if (typeof constant === "number") return constant;
  if (constant.endsWith("inf")) return constant.startsWith("-") ? -Infinity : Infinity;
  const [over, under] = constant.split("/").map(Number);
  return under === undefined ? over : over / under;
}

function addUp(count, number) {
  let total = 0, size = 0;
  for (let n = 0; n < count; n += 1) {
    const part = number(n);
    total += part;
    size += Math.abs(part);
  }
  return Math.abs(total) < NOISE * count * size && size < Infinity ? 0 : total;
}

// Every letter has a slot, so that the values of all letters are a list of integers.
const slots = new Map();

function slotOf(letter) {
  if (!slots.has(letter)) slots.set(letter, slots.size);
  return slots.get(letter);
}

const divide = (over, under) => (under === 0 ? NaN : over / under);

// Compile a term into a function of the values of its letters and the batch; `find(name)` returns a matrix.
function prepare(term, find) {
  if (isNumber(term)) {
    const number = numberOf(term);
    return () => number;
  }
  const read = (member) => prepare(member, find);
  const [kind] = term;
  if (kind === "@") return prepareEntry(term, find);
  if (kind === "#") return prepareIndex(term[1]);
  if (runsAlong(term)) return prepareAlong(term, read);
  const inside = members(term).map(read);
  const [x, y] = inside;
  switch (kind) {
    case "+": return (where, batch) => addUp(inside.length, (n) => inside[n](where, batch));
    case "*": return (where, batch) => inside.reduce((product, part) => product * part(where, batch), 1);
    case "-": return (where, batch) => -x(where, batch);
    case "/": return (where, batch) => divide(x(where, batch), y(where, batch));
    case "^": return (where, batch) => x(where, batch) ** y(where, batch);
    case "=": return x;
    default: return (where, batch) => FUNCTIONS[kind](x(where, batch));
  }
}

function prepareIndex(index) {
  const [letter, first, step] = Array.isArray(index) ? index : [index, 0, 1];
  if (typeof letter !== "string") return () => letter;
  if (!letter) return () => first;
  const slot = slotOf(letter);
  return (where) => first + step * where[slot];
}

function prepareEntry([, name, ...indices], find) {
  if (name === "pi") return () => Math.PI;
  const matrix = find(name), reads = indices.map(prepareIndex), width = matrix.shape.at(-1);
  if (!indices.length) return () => matrix.numbers[0];
  const [row, column] = reads;
  if (matrix.shape.length === 2) return (where) => matrix.numbers[row(where) * width + column(where)];
  return (where, batch) => matrix.at(reads.map((read) => read(where)), batch);
}

function prepareAlong([kind, [letter, size], term], read) {
  const inside = read(term), slot = slotOf(letter);
  const at = (where, batch) => (n) => {
    where[slot] = n;
    return inside(where, batch);
  };
  if (kind === "sum") return (where, batch) => addUp(size, at(where, batch));
  return (where, batch) => Math.max(...Array.from({ length: size }, (_, n) => at(where, batch)(n)));
}
