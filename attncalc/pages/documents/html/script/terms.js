// Terms as the page carries them: a number, a text that spells one, or [kind, ...what is inside]:
//   ["@", "Q", "i", 2] an entry, ["#", "i"] the number of an index, ["sum", ["d", 4], x] a sum along an axis,
//   ["+", x, y], ["*", x, y], ["/", x, y], ["^", x, y], ["-", x], ["exp", x];
//   ["=", entry, number] a number that stands for an entry.
// Indices count from 0: an integer, a letter, or [letter, first, step]; "" is the one row of a vector.

const isNumber = (term) => !Array.isArray(term);
const kindOf = (term) => (isNumber(term) ? "" : term[0]);
const isEntry = (term) => kindOf(term) === "@";
const runsAlong = (term) => kindOf(term) === "sum" || kindOf(term) === "max";
const isFunction = (term) => !isNumber(term) && Object.hasOwn(FUNCTIONS, term[0]);

function members(term) {
  if (isNumber(term) || isEntry(term) || kindOf(term) === "#") return [];
  return runsAlong(term) || kindOf(term) === "=" ? [term[2]] : term.slice(1);
}

function mapped(term, change) {
  if (!members(term).length) return term;
  if (runsAlong(term) || kindOf(term) === "=") return [term[0], term[1], change(term[2])];
  return [term[0], ...term.slice(1).map(change)];
}

function* entriesOf(term) {
  if (isEntry(term)) yield term;
  for (const member of members(term)) yield* entriesOf(member);
}

const letterOf = (index) => (Array.isArray(index) ? index[0] : typeof index === "string" ? index : "");

// Whether an entry stands for many cells.
const isRunning = (entry) => entry.slice(2).some(letterOf);

function indexAt(index, where) {
  const [letter, first, step] = Array.isArray(index) ? index : [index, 0, 1];
  return letter && Object.hasOwn(where, letter) ? first + step * where[letter] : index;
}

// The integers of an entry's indices; one that runs counts as its first.
const integersOf = (entry) =>
  entry.slice(2).map((index) => (Array.isArray(index) ? index[1] : typeof index === "string" ? 0 : index));

// A term with integers for its letters, its sums written out if `expand` is true.
function placed(term, where, expand) {
  if (isNumber(term)) return term;
  if (isEntry(term)) return [...term.slice(0, 2), ...term.slice(2).map((index) => indexAt(index, where))];
  if (kindOf(term) === "#") return ["#", indexAt(term[1], where)];
  if (kindOf(term) === "sum" && expand) {
    const [letter, size] = term[1];
    const parts = Array.from({ length: size }, (_, n) => placed(term[2], { ...where, [letter]: n }, expand));
    return joinedSum(parts);
  }
  if (runsAlong(term)) {
    const { [term[1][0]]: _, ...outside } = where;
    return mapped(term, (member) => placed(member, outside, expand));
  }
  const inside = mapped(term, (member) => placed(member, where, expand));
  return kindOf(term) === "+" ? joinedSum(inside.slice(1)) : inside;
}

// A sum in which sums are not nested.
const joinedSum = (terms) => ["+", ...terms.flatMap((term) => (kindOf(term) === "+" ? term.slice(1) : [term]))];

// The number of numbers and entries in a term, its sums written out.
function countLeaves(term) {
  const inside = members(term).reduce((count, member) => count + countLeaves(member), 0) || 1;
  return kindOf(term) === "sum" ? term[1][1] * inside : inside;
}

const takesEntries = (term) => [...entriesOf(term)].some((entry) => entry.length > 2);
