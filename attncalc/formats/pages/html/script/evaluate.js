// What terms come to, in floats: a term is read once, into a function of where its letters stand.

// What is left of a sum that cancels, this small a part of what was added up, is rounding error.
const NOISE = 1e-15;

function numberOf(constant) {
  if (typeof constant === "number") return constant;
  if (constant.endsWith("inf")) return constant.startsWith("-") ? -Infinity : Infinity;
  const [over, under] = constant.split("/").map(Number);
  return under === undefined ? over : over / under;
}

function addUp(numbers) {
  let total = 0, size = 0;
  for (const number of numbers) {
    total += number;
    size += Math.abs(number);
  }
  return Math.abs(total) < NOISE * numbers.length * size && Number.isFinite(size) ? 0 : total;
}

const divide = (over, under) => (under === 0 ? NaN : over / under);

// A function of ({letter: integer}, batch) that gives the number of a term; `find(name)` gives a matrix.
function prepare(term, find) {
  if (isNumber(term)) {
    const number = numberOf(term);
    return () => number;
  }
  const read = (member) => prepare(member, find);
  const [kind] = term;
  if (kind === "@") return prepareEntry(term, find);
  if (kind === "#") return (where) => indexAt(term[1], where);
  if (runsAlong(term)) return prepareAlong(term, read);
  const inside = members(term).map(read);
  const [x, y] = inside;
  switch (kind) {
    case "+": return (where, batch) => addUp(inside.map((part) => part(where, batch)));
    case "*": return (where, batch) => inside.reduce((product, part) => product * part(where, batch), 1);
    case "-": return (where, batch) => -x(where, batch);
    case "/": return (where, batch) => divide(x(where, batch), y(where, batch));
    case "^": return (where, batch) => x(where, batch) ** y(where, batch);
    case "=": return x;
    default: return (where, batch) => FUNCTIONS[kind](x(where, batch));
  }
}

function prepareEntry([, name, ...indices], find) {
  if (!indices.length) return () => (name === "pi" ? Math.PI : find(name).numbers[0]);
  const reads = indices.map((index) => {
    const [letter, first, step] = Array.isArray(index) ? index : [index, 0, 1];
    if (typeof letter !== "string") return () => letter;
    return letter ? (where) => first + step * where[letter] : () => first;
  });
  return (where, batch) => find(name).at(reads.map((read) => read(where)), batch);
}

function prepareAlong([kind, [letter, size], term], read) {
  const inside = read(term);
  const gather = kind === "sum" ? addUp : (numbers) => Math.max(...numbers);
  return (where, batch) => {
    const numbers = [];
    for (let n = 0; n < size; n += 1) numbers.push(inside({ ...where, [letter]: n }, batch));
    return gather(numbers);
  };
}
