// The lengths of terms on one line of text, as the program counts: in mathematical characters, or in ASCII.

const lengthOf = (term, isAscii = true) => measure(term, isAscii)[0];

// The length of a term, and how tightly it holds together.
function measure(term, isAscii) {
  if (isNumber(term)) return measureNumber(String(term));
  const whole = (member) => measure(member, isAscii)[0], inside = (member, least) => measureInside(member, least, isAscii);
  const [kind, x, y] = term;
  switch (kind) {
    case "@": return [entryLength(term, isAscii), ATOM];
    case "=": return measure(y, isAscii);
    case "#": return typeof x === "number" || letterOf(x) === PAIR ? [1, ATOM] : [5, SUM];
    case "-": return [1 + inside(x, PRODUCT), SUM];
    case "+": return [addendsLength(term.slice(1).map(unlinked), inside), SUM];
    case "*": return [factorsLength(term.slice(1).map(unlinked), inside), PRODUCT];
    case "/": return [inside(x, PRODUCT) + 1 + inside(y, FACTOR), PRODUCT];
    case "^": return [inside(x, ATOM) + 1 + exponentLength(y, isAscii), POWER];
    case "sum": return [(isAscii ? 6 : 4) + inside(y, PRODUCT), SUM];
    case "max": return [6 + inside(y, PRODUCT), SUM];
    case "exp": return isOne(unlinked(x)) ? [1, ATOM] : [2 + exponentLength(x, isAscii), POWER];
    case "sqrt": return isAscii ? [6 + whole(x), ATOM] : [1 + inside(x, ATOM), POWER];
    case "abs": return [whole(x) + (isAscii ? 5 : 2), ATOM];
    default: return problem.data.silent.includes(kind) ? measure(x, isAscii) : [kind.length + 2 + whole(x), ATOM];
  }
}

function measureInside(term, least, isAscii) {
  const [length, holds] = measure(term, isAscii);
  return holds >= least ? length : length + 2;
}

function measureNumber(text) {
  if (text.startsWith("-")) return [1 + measureNumber(text.slice(1))[0], SUM];
  if (text.includes("/")) return [text.length, PRODUCT];
  if (!SPELT.test(text)) return [text.length, ATOM];
  const [plain, exponent] = digitsOf(parseDecimal(text));
  return [plain.length + (exponent === null ? 0 : 1 + String(exponent).length), ATOM];
}

const addendsLength = ([first, ...others], inside) =>
  others.reduce((length, part) => length + 3 + inside(kindOf(part) === "-" ? part[1] : part, PRODUCT), inside(first, SUM));

function factorsLength(factors, inside) {
  const isBeside = (n) => isNumber(factors[n - 1]) && ["exp", "sqrt"].includes(kindOf(factors[n]));
  return factors.reduce((length, factor, n) => length + (n === 0 || isBeside(n) ? 0 : 1) + inside(factor, FACTOR), 0);
}

// A signed number or a name stands without brackets above.
function exponentLength(term, isAscii) {
  const bare = unlinked(term);
  if (isNumber(bare) && !String(bare).includes("/")) return measureNumber(String(bare))[0];
  const [length, holds] = measure(kindOf(bare) === "-" ? bare[1] : bare, isAscii);
  const isSigned = kindOf(bare) === "-" ? 1 : 0;
  return length + isSigned + (holds === ATOM ? 0 : 2);
}

function entryLength([, name, ...indices], isAscii) {
  const shown = indices.filter((index) => index !== "");
  if (isAscii) return name.length + (shown.length ? 1 + shown.reduce((length, index) => length + 1 + indexText(index).length, 0) : 0);
  const spelt = nameOf(name).textContent.length + (name.includes("_") ? 1 : 0);
  const hasLetters = shown.some(letterOf), isBracketed = shown.length && (/\d$/.test(name) || (hasLetters && name.includes("_")));
  return spelt + (isBracketed ? 2 : 0) + (hasLetters ? 1 : 0) + indicesText(indices).length;
}
