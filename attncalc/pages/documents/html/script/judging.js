// Try it, marked as in the checker: against the correct value, then against the student's own numbers.
// Ranges are wider here, and habits of rounding are not computed but allowed for: what the checker accepts is
// never called wrong.

const MARKING = problem?.data.marking;
// The error of single precision, as a share of the largest value: it loses at most half of its 24 bits.
const SINGLE_NOISE = 2 ** -12;
const meet = ([a, b], [c, d]) => a <= d && c <= b;
const widened = ([low, high], by) => [low - by, high + by];

// The verdicts on answers, by their keys.  Every cell has its range by the student's own numbers (`range`), its
// range with rounding on the way (`reach`), and the worst verdict of the cells it comes from.
function judged(answers) {
  const told = new Map([...answers].map(([key, text]) => [key, readTold(text)]).filter(([, number]) => number));
  const walk = { told, known: new Map(), verdicts: new Map(), doubted: [], scratch: told.size ? reachFromScratch() : null };
  for (const rule of problem.data.rules) {
    const keys = [...problem.find(rule.name).cells()].map((at) => keyOf(rule.name, at));
    for (const key of keys) walk.known.set(key, ownRange(walk.known, key, rule));
    const asked = keys.filter((key) => told.has(key));
    if (asked.length) judgeStep(rule, asked, walk);
  }
  return walk.verdicts;
}

const SOUND = 0, DOUBTFUL = 1, FAULTY = 2;

function judgeStep(rule, asked, walk) {
  const { told, known, verdicts, doubted } = walk, step = measuresOf(rule);
  const boxes = boxesOf(step, asked, walk), hidden = hiddenBefore(rule.name, told);
  const isNear = mayBeRounded(step, asked, boxes, walk), isOpen = doubted.some((other) => isSharing(hidden, other));
  for (const key of asked) {
    const verdict = verdictOn(key, boxes.get(key), step, walk);
    verdicts.set(key, verdict !== "wrong" ? verdict : isNear ? "near" : isOpen ? "open" : "wrong");
  }
  const isDoubtful = asked.some((key) => !["right", "own"].includes(verdicts.get(key)));
  // A mistake that the checker finds in a step without answers excuses the steps that follow from it.
  if (isDoubtful) doubted.push(hidden);
  // Nothing can be computed from NaN.
  for (const key of asked.filter((other) => !Number.isNaN(told.get(other).number))) {
    const own = isDoubtful ? coarser(boxes.get(key)) : finer(boxes.get(key), known.get(key).range, rightOf(key));
    // A student may have continued with what looks like a percentage as it is written.
    const all = [...own, ...(boxes.get(key).written ?? [])], range = [Math.min(...all), Math.max(...all)];
    known.set(key, { range, reach: range, worst: worstAfter(verdicts.get(key), known.get(key).worst) });
  }
}

const worstAfter = (verdict, before) => ({ right: SOUND, own: before, near: Math.max(before, DOUBTFUL) })[verdict] ?? FAULTY;
const rightOf = (key) => problem.find(matrixOf(key)).at(parseKey(key)[1]);

// The measures by which the answers of a step are judged.
function measuresOf({ name, stage, shape }) {
  const { numbers } = problem.find(name);
  const largest = Math.max(0, ...numbers.filter(Number.isFinite).map(Math.abs));
  const isDecimal = (places) => numbers.every((number) => number === -Infinity || Math.abs(number - Number(number.toFixed(places))) <= 1e-12 * largest);
  return { isWhole: isDecimal(0), isShort: isDecimal(MARKING.shortPlaces), largest, isWeights: stage === "weights", width: shape.at(-1) };
}

// The boxes of the answers of a step; weights that are correct only as percents are read as percents.
function boxesOf(step, asked, walk) {
  const beside = besideOf(asked.map((key) => walk.told.get(key)));
  const boxes = new Map(asked.map((key) => [key, boxOf(walk.told.get(key), step, beside, rightOf(key))]));
  const inPercent = new Map([...boxes].map(([key, { number, unit, box }]) => [key, { number: number / 100, unit: unit / 100, box: box.map((end) => end / 100), written: box }]));
  const isPercent = step.isWeights && !mayBeRounded(step, asked, boxes, walk) && mayBeRounded(step, asked, inPercent, walk);
  return isPercent ? inPercent : boxes;
}

// Whether a habit of rounding may explain all answers of a step: digits cut off, the last weight as the rest of
// its row, unanswered results rounded on the way; from earlier answers, or independent of them.
function mayBeRounded(step, asked, boxes, { known, scratch }) {
  const isRest = (key) => step.isWeights && parseKey(key)[1].at(-1) === step.width - 1;
  const slack = (key, { unit }) => unit * (isRest(key) ? step.width / 2 : unit < 0.002 ? 1 : 0);
  const isReached = (reach) => asked.every((key) => meet(widened(boxes.get(key).box, slack(key, boxes.get(key))), reach(key)));
  const isTainted = asked.some((key) => known.get(key).worst === FAULTY);
  return isReached((key) => known.get(key).reach) || (!isTainted && isReached((key) => scratch.get(key)));
}

function verdictOn(key, { box, isLong, isFew }, step, { known }) {
  const right = rightOf(key), { range, worst } = known.get(key);
  if (isFew) return meet(box, [right, right]) || meet(box, range) ? "near" : "wrong";
  if (meet(box, [right, right])) return "right";
  if (meet(box, range)) return worst === SOUND ? "right" : "own";
  return isLong && meet(widened(box, SINGLE_NOISE * step.largest), [Math.min(right, range[0]), Math.max(right, range[1])]) ? "near" : "wrong";
}

// The values that a student may have continued with: the written one, or a more precise one that rounds to it.
function finer({ number, unit, box }, range, right) {
  const slack = unit / MARKING.slack, [low, high] = widened(box, slack);
  const [from, to] = meet([low, high], range) ? range : [right, right];
  if (!unit) return box;
  return [Math.min(number, Math.max(from, low) - slack), Math.max(number, Math.min(to, high) + slack)];
}

// For a wrong answer, any value that rounds to it.
const coarser = ({ box, unit }) => widened(box, (2 * unit) / MARKING.slack);

// The steps without complete answers between a step and those with them.
function hiddenBefore(name, told) {
  const found = new Set(), wanted = [name];
  while (wanted.length) {
    for (const source of sourcesOf(wanted.pop())) {
      const isWhole = [...problem.find(source).cells()].every((at) => told.has(keyOf(source, at)));
      if (found.has(source) || isWhole) continue;
      found.add(source);
      wanted.push(source);
    }
  }
  return found;
}

const isSharing = (one, other) => [...one].some((name) => other.has(name));

// The steps that a step takes its entries from.
function sourcesOf(name) {
  return problem.inputsOf(name).filter((source) => problem.rules.has(source));
}

// The range of an entry by the student's own earlier numbers, as written and with rounding.
function ownRange(known, key, rule) {
  let worst = SOUND;
  const own = (kind) => (source) => {
    worst = Math.max(worst, known.get(source)?.worst ?? SOUND);
    return known.get(source)?.[kind];
  };
  return { range: rangeFrom(key, own("range")), reach: loosened(rule, rangeFrom(key, own("reach"))), worst };
}

// The range of an entry; `own(key)` is that of an earlier entry, if it is not given.
function rangeFrom(key, own) {
  const [name, at] = parseKey(key), batch = at.slice(0, -2);
  const [rule, where] = problem.ruleAt(name, at);
  const find = (source, place) => {
    if (source === "pi") return [Math.PI, Math.PI];
    const matrix = problem.find(source), whole = place.length ? matrix.inBatch(place, batch) : place;
    return own(keyOf(source, whole)) ?? givenRange(matrix, whole);
  };
  return rangeOf(rule, find, where);
}

// The range of a given number, whose decimals may be rounded.
function givenRange(matrix, at) {
  const number = matrix.at(at), half = problem.given.get(matrix.name)?.halves?.[matrix.position(at)] ?? 0;
  return [number - half, number + half];
}

// A range widened by all that rounding on the way may do.
function loosened(rule, [low, high]) {
  const off = MARKING.coarsest + rule.share * Math.max(Math.abs(low), Math.abs(high));
  return Number.isFinite(off) ? [low - off, high + off] : [low, high];
}

// The reach of every cell without any answers: computed once for the current numbers.
const reaches = new WeakMap();

function reachFromScratch() {
  const numbers = problem.find(problem.data.rules.at(-1).name).numbers;
  if (!reaches.has(numbers)) reaches.set(numbers, allReaches());
  return reaches.get(numbers);
}

function allReaches() {
  const reach = new Map();
  for (const rule of problem.data.rules) {
    for (const at of problem.find(rule.name).cells()) {
      const key = keyOf(rule.name, at);
      reach.set(key, loosened(rule, rangeFrom(key, (source) => reach.get(source))));
    }
  }
  return reach;
}
