// Worked lines as a teacher writes them on the board: names, then numbers, then the value.

// The most characters of an exact side, of an entry in a line, and of a line.
const LONGEST_SIDE = 72, LONGEST_ENTRY = 32, LONGEST_LINE = 200, MOST_LEAVES = 200;

// How the numbers of a problem are shown: exactly if they follow from the unchanged problem file.
class Shown {
  constructor(problem) {
    this.problem = problem;
    this.rounding = problem.data;
  }

  // The term of a cell that is known exactly and not changed.
  exact(name, at) {
    const terms = this.problem.data.exact[name];
    return terms && !this.problem.isChanged(name, at) ? terms[this.problem.find(name).position(at)] : null;
  }

  isKnown(name, at) {
    return Boolean(this.problem.data.exact[name]) && !this.problem.isChanged(name, at);
  }

  // A cell as a decimal, and whether that is all of it.
  decimal(name, at) {
    const number = this.problem.find(name).at(at);
    if (!this.isKnown(name, at) || !Number.isFinite(number)) return this.float(number);
    const exact = this.exact(name, at), isShort = exact !== null && isRational(exact);
    const found = this.float(isShort ? asFloat(exact) : number, isShort);
    return { ...found, isExact: isShort && isFraction(exact, found.term) };
  }

  // A float as a decimal.
  float(number, known = undefined) {
    if (!Number.isFinite(number)) return { term: number < 0 ? "-inf" : number > 0 ? "inf" : "nan", isExact: true };
    const decimal = decimalOf(number), isFull = known ?? isInFull(decimal);
    const found = roundedAs(decimal, this.rounding, isFull);
    return { term: spell(found), isExact: isFull && areEqual(found, decimal) };
  }

  // A cell inside a worked line, if it can be written exactly and does not fill the line.
  entry(name, at, isCertain) {
    const exact = this.exact(name, at);
    if (exact !== null && lengthOf(exact) <= LONGEST_ENTRY && !(kindOf(exact) === "/" && kindOf(exact[2]) === "+")) return literal(exact);
    const { term, isExact } = this.decimal(name, at);
    return isExact && isCertain ? term : null;
  }

  // A cell inside a line of decimals; fractions and integers stay what they are.
  roundedEntry(name, at) {
    const exact = this.exact(name, at);
    return exact !== null && isRational(exact) ? literal(exact) : this.decimal(name, at).term;
  }
}

// Of such an angle the square of the sine is a whole number of quarters, or no fraction at all.
const isPartOfPi = (term) => (isEntry(term) ? term[1] === "pi" : kindOf(term) === "/" ? isPartOfPi(term[1]) && isNumber(term[2]) : members(term).some(isPartOfPi) && members(term).every((part) => isRational(part) || isPartOfPi(part)));

const isRational = (term) => fractionOf(term) !== null;

// A whole number or a fraction as the text of one; null for any other term.
function fractionOf(term) {
  if (isNumber(term)) return String(term);
  if (kindOf(term) === "-") return fractionOf(term[1]) && `-${fractionOf(term[1])}`;
  return kindOf(term) === "/" && isNumber(term[1]) && isNumber(term[2]) ? `${term[1]}/${term[2]}` : null;
}

// A fraction as the float nearest to it, without rounding errors.
function asFloat(term) {
  const [over, under = 1] = fractionOf(term).split("/").map(Number);
  return over / under;
}

// A negative number as one piece, which is put in brackets inside a sum or product.
const literal = (term) => (kindOf(term) === "-" && isNumber(term[1]) ? `-${term[1]}` : term);

// Whether a decimal is a fraction.
function isFraction(term, decimal) {
  const [over, under = "1"] = fractionOf(term).split("/");
  const { sign: way, figures, last } = parseDecimal(decimal);
  if (over.includes("inf") || over.includes(".") || last > 0) return Number(over) === Number(decimal);
  return BigInt(over) * 10n ** BigInt(-last) === BigInt(way) * figures * BigInt(under);
}

// Which floats are exact: e^(−1229) is not 0, though it looks so.
class Certainty {
  constructor(problem, shown) {
    Object.assign(this, { problem, shown, cells: new Map() });
  }

  holds(name, at) {
    if (this.problem.isPlain(name) || this.shown.isKnown(name, at)) return true;
    const key = keyOf(name, at);
    if (!this.cells.has(key)) this.cells.set(key, this.isCertain(this.problem.rule(name, at, true), at.slice(0, -2)));
    return this.cells.get(key);
  }

  isCertain(term, batch) {
    if (isNumber(term)) return true;
    if (isEntry(term)) return term.length === 2 || this.holds(term[1], this.problem.find(term[1]).inBatch(integersOf(term), batch));
    if (isFunction(term) && !PLAIN_FUNCTIONS.includes(kindOf(term))) {
      const value = this.problem.value(term[1], batch);
      return !Number.isFinite(value) || value === 0;
    }
    if (runsAlong(term)) return false;
    if ((kindOf(term) === "*" || kindOf(term) === "/") && this.problem.value(term[1], batch) === 0 && this.isCertain(term[1], batch)) return true;
    return members(term).every((part) => this.isCertain(part, batch));
  }
}

const keyOf = (name, at) => `${name}:${at.join(",")}`;

function parseKey(key) {
  const cut = key.lastIndexOf(":");
  return [key.slice(0, cut), key.slice(cut + 1).split(",").map(Number)];
}

class Lines {
  constructor(problem, notation) {
    Object.assign(this, { problem, notation });
    this.renew();
  }

  // Forget what was computed from numbers that have changed.
  renew() {
    this.shown = new Shown(this.problem);
    this.certainty = new Certainty(this.problem, this.shown);
  }

  // The sides of a cell's line, as full as they fit.
  sides(name, at) {
    let found;
    for (const version of this.versions(name, at)) {
      found = this.withoutRepeats(version);
      const length = found.reduce((all, [, term]) => all + 3 + lengthOf(term, false), 2 + lengthOf(this.left(name, at), false));
      if (length <= LONGEST_LINE) break;
    }
    return found;
  }

  *versions(name, at) {
    const batch = at.slice(0, -2);
    const rule = (expand) => this.asTaken(this.inBatch(this.problem.rule(name, at, expand), batch), batch);
    const short = rule(false);
    if (countLeaves(short) <= MOST_LEAVES) {
      const whole = rule(true);
      if (lengthOf(whole) <= LONGEST_LINE) yield this.both(whole, whole, name, at);
      yield this.both(short, whole, name, at);
    }
    yield this.both(short, short, name, at);
    yield this.both(short, null, name, at);
    yield this.both(null, null, name, at);
    yield [this.ending(name, at)];
  }

  // A rule in names and in numbers, if they are wanted, and its value.
  both(named, worked, name, at) {
    const known = this.shown.exact(name, at), ending = this.ending(name, at);
    const exact = known !== null && lengthOf(known) <= LONGEST_SIDE ? known : null;
    const names = named === null ? [] : [["=", named]];
    const written = exact === null ? [] : [["=", exact]];
    const [inFull, values] = worked === null ? [[], []] : this.working(worked, at.slice(0, -2));
    if ((exact !== null && isNumber(literal(exact))) || [...inFull, ...values].every(([relation]) => relation === "=")) {
      return [...names, ...inFull, ...values, ...written, ending];
    }
    if (inFull.length && inFull[0][0] === "=") return [...names, ...inFull, ...written, ...values, ending];
    return [...names, ...written, ...inFull, ...values, ending];
  }

  // A rule with numbers in place of its names, then with the values of functions that are looked up.
  working(rule, batch) {
    const numbers = this.withNumbers(rule, batch, true, false);
    const inFull = numbers === null ? [["≈", this.withNumbers(rule, batch, false, false)]] : [["=", numbers]];
    if (!members(rule).some((part) => this.takesLookedUp(part) && takesEntries(part))) return [inFull, []];
    const exact = numbers === null ? null : this.withNumbers(rule, batch, true, true);
    if (exact !== null && !this.takesLookedUp(exact)) return [inFull, [["=", exact]]];
    return [inFull, [["≈", this.withNumbers(rule, batch, false, true)]]];
  }

  isLookedUp(term) {
    return this.problem.data.lookedUp.includes(kindOf(term)) && takesEntries(term);
  }

  takesLookedUp(term) {
    return this.problem.data.lookedUp.includes(kindOf(term)) || members(term).some((member) => this.takesLookedUp(member));
  }

  // A rule with numbers in place of its names; null if they are to be exact, and one of them is not.
  withNumbers(rule, batch, isExact, isValued) {
    let isMissing = false;
    const put = (term) => {
      if (runsAlong(term) || (isFunction(term) && isValued && this.isLookedUp(term))) {
        const known = isExact ? this.knownTurn(term, batch) : null;
        if (known !== null) return known;
        const found = this.shown.float(this.problem.value(term, batch));
        isMissing ||= isExact && !(found.isExact && (kindOf(term) === "max" || this.certainty.isCertain(term, batch)));
        return found.term;
      }
      if (!isEntry(term)) return mapped(term, put);
      const number = this.number(term, batch, isExact);
      isMissing ||= number === null;
      return number === null || isNumber(number) || term.length > 2 ? ["=", term, number] : number;
    };
    const written = put(rule);
    return isMissing ? null : written;
  }

  // The sine or cosine of a fraction of π with a well-known value: ±√0/2 to ±√4/2.
  knownTurn([kind, angle], batch) {
    if (!["sin", "cos"].includes(kind) || !isEntry(angle) || angle.length === 2) return null;
    const exact = this.shown.exact(angle[1], this.problem.find(angle[1]).inBatch(integersOf(angle), batch));
    const value = this.problem.value([kind, angle], batch), quarters = Math.round(4 * value ** 2);
    if (exact === null || !isPartOfPi(exact) || Math.abs(4 * value ** 2 - quarters) > 1e-9) return null;
    const size = [0, ["/", 1, 2], ["/", ["sqrt", 2], 2], ["/", ["sqrt", 3], 2], 1][quarters];
    return value < 0 && quarters ? literal(["-", size]) : size;
  }

  number(entry, batch, isExact) {
    const [, name, ...indices] = entry;
    if (!indices.length) return this.problem.find(name)?.numbers[0] ?? entry;
    const at = this.problem.find(name).inBatch(integersOf(entry), batch);
    return isExact ? this.shown.entry(name, at, this.certainty.holds(name, at)) : this.shown.roundedEntry(name, at);
  }

  ending(name, at) {
    const { term, isExact } = this.shown.decimal(name, at);
    return [isExact && this.certainty.holds(name, at) ? "=" : "≈", term];
  }

  // A term with 0 for the −∞ of a hidden key, and 1 for a total of 0.
  asTaken(term, batch) {
    const isSilent = this.problem.data.silent.includes(kindOf(term)) && ![...entriesOf(term)].some(isRunning);
    if (!isSilent) return mapped(term, (member) => this.asTaken(member, batch));
    const [before, after] = [term[1], term].map((part) => this.problem.value(part, batch));
    return before === after ? term : after;
  }

  // A term with the batch of a cell in front of its indices, if the matrices have one.
  inBatch(term, batch) {
    if (!isEntry(term)) return mapped(term, (member) => this.inBatch(member, batch));
    const missing = term.length > 2 ? this.problem.find(term[1]).shape.length - (term.length - 2) : 0;
    return missing ? [...term.slice(0, 2), ...batch.slice(batch.length - missing), ...term.slice(2)] : term;
  }

  // The sides of a chain, none of which reads like the one before it.
  withoutRepeats(sides) {
    const texts = sides.map(([, term]) => JSON.stringify(this.bare(term)));
    return sides.filter((_, n) => n === 0 || texts[n] !== texts[n - 1]);
  }

  // A term without what is not written: the entries behind numbers, and silent functions.
  bare(term) {
    if (isNumber(term)) return bareNumber(String(term));
    if (kindOf(term) === "=") return this.bare(term[2]);
    if (this.problem.data.silent.includes(kindOf(term))) return this.bare(term[1]);
    if (kindOf(term) === "-" && isNumber(unlinked(term[1]))) return this.bare(`-${unlinked(term[1])}`);
    return mapped(term, (member) => this.bare(member));
  }

  // The name of a cell; the one row or column of a vector is not counted.
  left(name, at) {
    const axes = this.problem.rules.get(name)?.axes;
    return ["@", name, ...at.slice(0, -2), ...at.slice(-2).map((index, n) => (axes && !axes[n][0] ? "" : index))];
  }
}

// A number written in one way.
function bareNumber(text) {
  const [over, under] = text.split("/");
  if (under) return ["/", bareNumber(over), bareNumber(under)];
  return SPELT.test(text) ? spell(parseDecimal(text)) : text;
}
