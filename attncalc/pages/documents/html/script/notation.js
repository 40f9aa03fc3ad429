// Terms as MathML: one table of precedences decides which brackets are needed.

const SUM = 0, PRODUCT = 1, FACTOR = 2, POWER = 3, ATOM = 4;
const MATHML = "http://www.w3.org/1998/Math/MathML";
// The letter of pairs of columns, which are counted from 0.
const PAIR = "p";
// The characters of a numerator that fit on a phone.
const LONGEST_OVER = 48;

function element(tag, attributes, ...inside) {
  const made = document.createElementNS(MATHML, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...inside);
  return made;
}

const sign = (text, attributes = {}) => element("mo", attributes, text);
const digitsNode = (text) => element("mn", {}, text);
const letter = (text) => element("mi", {}, text);
const minus = () => sign("−", { form: "prefix" });
const row = (nodes) => (nodes.length === 1 ? nodes[0] : element("mrow", {}, ...nodes));
const isTall = (node) => node.localName === "mfrac" || node.localName === "munder" || node.querySelector("mfrac, munder");

function bracketed(nodes) {
  const kind = nodes.some(isTall) ? {} : { stretchy: "false" };
  return element("mrow", {}, sign("(", kind), ...nodes, sign(")", kind));
}

// Characters one by one: digits together, letters, signs.
const symbols = (text) =>
  (text.match(/\d+|./gu) ?? []).map((part) => (/\d/.test(part) ? digitsNode(part) : /\p{L}/u.test(part) ? letter(part) : sign(part)));

function indexText(index) {
  if (typeof index === "number") return String(index + 1);
  const [name, first, step] = Array.isArray(index) ? index : [index, 0, 1];
  if (step === 1 && name !== PAIR) return name + (first ? `+${first}` : "");
  return `${step > 1 ? step : ""}${name}+${first + 1}`;
}

function indicesText(indices) {
  const texts = indices.filter((index) => index !== "").map(indexText);
  return texts.join(texts.some((text) => text.length > 1) ? "," : "");
}

// An index as people count it.
const counted = (index) => (typeof index === "number" ? index + 1 : ["@", letterOf(index)]);

const isOne = (term) => isNumber(term) && numberOf(term) === 1;
const unlinked = (term) => (kindOf(term) === "=" ? term[2] : term);

class Notation {
  // `name` gives the markup of a name, `keys` the cells that an entry stands for; `silent` are functions
  // of which only the argument is written.
  constructor(name, keys, silent, isSmall = false) {
    Object.assign(this, { name, keys, silent, isSmall });
  }

  // The nodes of a term, and how tightly they hold together.
  write(term, sizes = {}) {
    if (isNumber(term)) return this.number(term);
    const [kind, x, y] = term;
    switch (kind) {
      case "@": return [[this.entry(term, sizes)], ATOM];
      case "=": return this.valued(x, y, sizes);
      case "#": return this.ordinal(x);
      case "-": return [[minus(), ...this.inside(x, PRODUCT, sizes)], SUM];
      case "+": return [this.addends(term, sizes).flatMap(([before, nodes]) => (before ? [sign(before), ...nodes] : nodes)), SUM];
      case "*": return [this.product(term.slice(1), sizes), PRODUCT];
      case "/": return this.fraction(x, y, sizes);
      case "^": return [[this.above(row(this.inside(x, ATOM, sizes)), y, sizes)], POWER];
      case "sum": return [this.along(sign("∑"), x, y, sizes), SUM];
      case "max": return [this.along(letter("max"), x, y, sizes), SUM];
      case "exp": return isOne(unlinked(x)) ? [[letter("e")], ATOM] : [[this.above(letter("e"), x, sizes)], POWER];
      case "sqrt": return [[element("msqrt", {}, row(this.write(x, sizes)[0]))], POWER];
      case "abs": return [[this.absolute(x, sizes)], ATOM];
      default:
        if (this.silent.includes(kind)) return this.write(x, sizes);
        return [[letter(kind), bracketed(this.write(x, sizes)[0])], ATOM];
    }
  }

  inside(term, least, sizes) {
    const [nodes, holds] = this.write(term, sizes);
    return holds >= least ? nodes : [bracketed(nodes)];
  }

  number(constant) {
    const text = String(constant), isNegative = text.startsWith("-");
    const [nodes, holds] = this.unsigned(isNegative ? text.slice(1) : text);
    return isNegative ? [[minus(), ...nodes], SUM] : [nodes, holds];
  }

  unsigned(text) {
    if (text === "nan") return [[element("mtext", {}, "undefined")], ATOM];
    if (text === "inf") return [[letter("∞")], ATOM];
    if (text.includes("/")) return this.bar(...text.split("/").map((part) => [digitsNode(part)]));
    const [plain, exponent] = digitsOf(parseDecimal(text));
    if (exponent === null) return [[digitsNode(plain)], ATOM];
    const power = element("msup", {}, digitsNode("10"), row(this.number(exponent)[0]));
    return [[digitsNode(plain), sign("×"), power], PRODUCT];
  }

  bar(over, under) {
    if (this.isSmall) return [[...over, sign("/", { lspace: "0", rspace: "0" }), ...under], PRODUCT];
    return [[element("mfrac", {}, row(over), row(under))], POWER];
  }

  fraction(over, under, sizes) {
    if (this.isSmall) return this.bar(this.inside(over, PRODUCT, sizes), this.inside(under, FACTOR, sizes));
    return this.bar(this.write(over, sizes)[0], this.write(under, sizes)[0]);
  }

  // An entry, or the number that stands for one, carries the keys of its cells.
  linked(node, entry, sizes) {
    const keys = this.keys(entry, sizes);
    if (keys.length) node.dataset.k = keys.join(" ");
    return node;
  }

  valued(entry, number, sizes) {
    const [nodes, holds] = this.write(number, sizes);
    return [[this.linked(row(nodes), entry, sizes)], holds];
  }

  entry(term, sizes) {
    const [, name, ...indices] = term;
    const base = this.name(name), below = indicesText(indices);
    if (!below) return this.linked(base, term, sizes);
    const isPlain = base.localName === "mi" || base.localName === "mn";
    return this.linked(element("msub", {}, isPlain ? base : bracketed([base]), row(symbols(below))), term, sizes);
  }

  // The number of an index counted from 0, where its letter counts from 1; pairs count from 0.
  ordinal(index) {
    if (typeof index === "number") return this.number(index);
    const name = letterOf(index);
    return name === PAIR ? [[letter(name)], ATOM] : [[letter(name), sign("−"), digitsNode("1")], SUM];
  }

  // The addends of a term, each with the sign before it; the first has none.  A long sum over a number is
  // written on the line, so that it can be broken, too.
  addends(term, sizes = {}) {
    if (kindOf(term) === "/" && kindOf(term[1]) === "+" && lengthOf(term[1]) > LONGEST_OVER) {
      const parts = this.addends(term[1], sizes);
      const under = this.inside(term[2], ATOM, sizes);
      parts[0] = ["", [sign("(", { stretchy: "false" }), ...parts[0][1]]];
      parts.at(-1)[1].push(sign(")", { stretchy: "false" }), sign("/", { lspace: "0", rspace: "0" }), ...under);
      return parts;
    }
    if (kindOf(term) !== "+") return [["", this.write(term, sizes)[0]]];
    const [first, ...rest] = countedFromOne(term.slice(1));
    const others = rest.map(withSignOutside).map((part) =>
      kindOf(part) === "-" ? ["−", this.inside(part[1], PRODUCT, sizes)] : ["+", this.inside(part, PRODUCT, sizes)]);
    return [["", this.inside(first, SUM, sizes)], ...others];
  }

  product(factors, sizes) {
    return factors.flatMap((factor, n) => {
      const isBeside = n > 0 && isNumber(unlinked(factors[n - 1])) && ["exp", "sqrt"].includes(kindOf(unlinked(factor)));
      return [...(n === 0 || isBeside ? [] : [sign("·")]), ...this.inside(factor, FACTOR, sizes)];
    });
  }

  above(base, exponent, sizes) {
    const small = new Notation(this.name, this.keys, this.silent, true);
    return element("msup", {}, base, row(small.write(exponent, sizes)[0]));
  }

  absolute(term, sizes) {
    const bar = () => sign("|", { fence: "true", stretchy: "false" });
    return element("mrow", {}, bar(), ...this.write(term, sizes)[0], bar());
  }

  along(mark, [name, size], term, sizes) {
    return [element("munder", {}, mark, letter(name)), ...this.inside(term, PRODUCT, { ...sizes, [name]: size })];
  }
}

// A part of a sum that stands for an entry, its sign before it.
function withSignOutside(part) {
  return kindOf(part) === "=" && kindOf(part[2]) === "-" ? ["-", ["=", part[1], part[2][1]]] : part;
}

// A sum in which the difference of two indices is that of their letters, which count from 1.
function countedFromOne(terms) {
  const [first, last] = [terms[0], terms.at(-1)];
  if (kindOf(first) !== "#" || kindOf(last) !== "-" || kindOf(last[1]) !== "#") return terms;
  return [counted(first[1]), ...terms.slice(1, -1), ["-", counted(last[1][1])]];
}
