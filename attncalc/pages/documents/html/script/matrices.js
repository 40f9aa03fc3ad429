// The matrices of a problem: those that are given, which may be changed, and those that follow from them.

// Functions whose values are exact.
const PLAIN_FUNCTIONS = ["relu", "sqrt"];
// Beyond these scores, the largest score of a row is subtracted before exponentials are taken.
// The relative error that floats may gather.
const LOST = 1e-12;
const LARGEST_EXPONENT = 700, SMALLEST_MAXIMUM = -600;

class Matrix {
  constructor(name, shape, numbers) {
    Object.assign(this, { name, shape, numbers });
  }

  // The index of a cell among the numbers; a batch has further indices before those of its cells.
  position(at) {
    return at.reduce((position, index, n) => position * this.shape[n] + index, 0);
  }

  // The number of a cell, in the batch of the requesting cell if this matrix has batches.
  at(at, batch = []) {
    return this.numbers[this.position(this.inBatch(at, batch))];
  }

  inBatch(at, batch) {
    const missing = this.shape.length - at.length;
    if (!missing) return at;
    const lead = batch.slice(batch.length - missing);
    return [...lead.map((index, n) => (this.shape[n] === 1 ? 0 : index)), ...at];
  }

  *cells() {
    const at = this.shape.map(() => 0);
    for (let n = 0; n < this.numbers.length; n += 1) {
      yield [...at];
      for (let axis = at.length - 1; axis >= 0 && ++at[axis] === this.shape[axis]; axis -= 1) at[axis] = 0;
    }
  }

  rows() {
    const width = this.shape.at(-1);
    return Array.from({ length: this.numbers.length / width }, (_, n) => this.numbers.slice(n * width, (n + 1) * width));
  }
}

class Problem {
  constructor(data) {
    this.data = data;
    this.matrices = new Map();
    for (const [name, size] of Object.entries(data.sizes)) this.matrices.set(name, new Matrix(name, [], [size]));
    for (const { name, shape, numbers } of data.given) {
      this.matrices.set(name, new Matrix(name, shape, numbers.map((x) => x ?? -Infinity)));
    }
    this.given = new Map(data.given.map((given) => [given.name, given]));
    this.rules = new Map(data.rules.map((rule) => [rule.name, rule]));
    for (const rule of data.rules) this.matrices.set(rule.name, new Matrix(rule.name, rule.shape, []));
    this.find = (name) => this.matrices.get(name);
    this.runs = new Map();
    this.plain = new Map();
    this.mistakes = new Set();
    this.work();
    this.original = new Map([...this.matrices].map(([name, matrix]) => [name, [...matrix.numbers]]));
  }

  // Evaluate every step again, in order.
  work() {
    for (const rule of this.data.rules) this.find(rule.name).numbers = this.step(rule);
  }

  step(rule) {
    const matrix = new Matrix(rule.name, rule.shape, []);
    matrix.numbers = new Array(rule.shape.reduce((product, size) => product * size, 1));
    const pieces = this.prepared(this.piecesOf(rule));
    for (const batch of batches(rule.shape.slice(0, -2))) {
      for (const piece of pieces) fillPiece(matrix, batch, piece);
    }
    return matrix.numbers;
  }

  // The rules of a step as it is carried out on these numbers, and with the mistakes that are switched on.
  piecesOf(rule) {
    const mistaken = this.data.switches.find((one) => this.mistakes.has(one.code) && one.pieces[rule.name]);
    if (mistaken) return mistaken.pieces[rule.name];
    return rule.shifted && this.isBeyond(rule) ? rule.shifted : rule.pieces;
  }

  // The names that the rule of a step takes entries from; none of what is given.
  inputsOf(name) {
    const pieces = this.rules.has(name) ? this.piecesOf(this.rules.get(name)) : [];
    return [...new Set(pieces.flatMap(([, term]) => [...entriesOf(term)].map(([, source]) => source)))];
  }

  // Exponentials are shifted by the largest score of a row, or its sink; totals are shifted with them.
  isBeyond(rule) {
    const [, name] = entriesOf(rule.pieces[0][1]).next().value, made = this.rules.get(name);
    if (made && made.shifted) return this.isBeyond(made);
    const sinks = [...entriesOf(rule.shifted[0][1])].filter((entry) => entry[1] !== name);
    const beside = sinks.map((entry) => this.value(entry));
    const tops = this.find(name).rows().map((row) => Math.max(...row, ...beside));
    return tops.some((top) => top !== -Infinity && (top > LARGEST_EXPONENT || top < SMALLEST_MAXIMUM));
  }

  // Whether a matrix is given, or computed from such by sums, products and functions with exact values.
  isPlain(name) {
    if (!this.rules.has(name)) return true;
    const pieces = this.piecesOf(this.rules.get(name));
    if (!this.plain.has(pieces)) this.plain.set(pieces, pieces.every(([, rule]) => this.isPlainTerm(rule)));
    return this.plain.get(pieces);
  }

  isPlainTerm(term) {
    if (isEntry(term)) return this.isPlain(term[1]);
    const isOdd = kindOf(term) === "max" || (isFunction(term) && !PLAIN_FUNCTIONS.includes(kindOf(term)));
    return !isOdd && members(term).every((member) => this.isPlainTerm(member));
  }

  prepared(pieces) {
    if (!this.runs.has(pieces)) this.runs.set(pieces, pieces.map(([axes, rule]) => [axes, prepare(rule, this.find)]));
    return this.runs.get(pieces);
  }

  // The rule of one cell, and the values of its letters.
  ruleAt(name, at) {
    for (const [axes, rule] of this.piecesOf(this.rules.get(name))) {
      const where = whereIn(axes, at.slice(-2));
      if (where) return [rule, where];
    }
    return null;
  }

  // The same with integers.
  rule(name, at, expand) {
    const found = this.ruleAt(name, at);
    return found && placed(...found, expand);
  }

  value(term, batch) {
    return prepare(term, this.find)([], batch);
  }

  set(name, at, number) {
    const matrix = this.find(name);
    matrix.numbers[matrix.position(at)] = number;
  }

  reset(name, at) {
    this.set(name, at, this.originally(name, at));
  }

  originally(name, at) {
    return this.original.get(name)[this.find(name).position(at)];
  }

  // Whether a cell differs from its value in the problem file; for a result, by more than rounding errors.
  isChanged(name, at) {
    if (!this.matrices.has(name)) return false;
    const [now, before] = [this.find(name).at(at), this.originally(name, at)];
    if (Object.is(now, before) || this.given.has(name)) return !Object.is(now, before);
    return !(Math.abs(now - before) <= LOST * Math.max(Math.abs(now), Math.abs(before)));
  }
}

// One block of a matrix, cell by cell.
function fillPiece(matrix, batch, [[rows, columns], run]) {
  const where = [], [rowSlot, columnSlot] = [slotOf(rows[0]), slotOf(columns[0])];
  const begin = matrix.position([...batch, 0, 0]), width = matrix.shape.at(-1);
  for (let i = 0; i < rows[1]; i += 1) {
    for (let j = 0; j < columns[1]; j += 1) {
      where[rowSlot] = i;
      where[columnSlot] = j;
      matrix.numbers[begin + (rows[2] + rows[3] * i) * width + columns[2] + columns[3] * j] = run(where, batch);
    }
  }
}

function* batches(sizes) {
  const all = new Matrix("", sizes, new Array(sizes.reduce((product, size) => product * size, 1)).fill(0));
  yield* all.cells();
}

// The values of the letters of a block at a cell; null if it is outside.
function whereIn(axes, at) {
  const where = {};
  for (const [n, [letter, size, first, step]] of axes.entries()) {
    const number = (at[n] - first) / step;
    if (!Number.isInteger(number) || number < 0 || number >= size) return null;
    where[letter] = number;
  }
  return where;
}
