// The box of a written number: all values that round to it, as in the checker.

// In place of the number of decimals: a number without a point, and one that must be equal.
const INTEGER = -1e6, EXACT = -1e6 - 1;
const PLAIN_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(?:e([+-]?\d{1,3}))?(\s*%)?$/i;

// Parse a typed result: its value, its decimals, and the width of a quotient of decimals.
function readTold(text) {
  if (parseNumber(text) === -Infinity) return { number: -Infinity, places: EXACT, width: 0 };
  if (/^[+-]?\.?nan$/i.test(plainText(text))) return { number: NaN, places: EXACT, width: 0 };
  const parts = plainText(text).split("/").map(readPlain);
  if (parts.length > 2 || parts.includes(null)) return null;
  return parts.length === 1 ? parts[0] : quotientOf(...parts);
}

function readPlain(text) {
  const [all, figures, exponent, percent] = PLAIN_NUMBER.exec(text.trim()) ?? [];
  if (all === undefined) return null;
  const places = (figures.split(".")[1]?.length ?? 0) - Number(exponent ?? 0) + (percent ? 2 : 0);
  const number = Number(text.replace("%", "")) / (percent ? 100 : 1);
  return Number.isFinite(number) ? { number, places: places > 0 ? places : INTEGER, width: 0 } : null;
}

function quotientOf(over, under) {
  const [low, high] = overEnds(...[over, under].map(({ number, places }) => {
    const half = places > INTEGER ? 10 ** -places / 2 : 0;
    return [number - half, number + half];
  }));
  if (!Number.isFinite(high - low)) return null;
  const isExact = over.places === INTEGER && under.places === INTEGER;
  return { number: over.number / under.number, places: EXACT, width: isExact ? 0 : high - low };
}

// What numbers show of the whole numbers beside them: the places and digits of decimals, and whether one is a fraction.
function besideOf(told) {
  const some = told.filter(({ number }) => number);
  const decimals = some.filter(({ places }) => places > 0);
  const known = decimals.map(significantDigits).filter((digits) => digits >= MARKING.fewestDigits);
  const least = (counts) => (counts.length ? Math.min(...counts) : null);
  const isExact = some.some(({ number, places, width }) => places === EXACT && !width && Number.isFinite(number) && !Number.isInteger(number));
  return { places: least(decimals.map(({ places }) => places)), digits: least(known), isExact };
}

const topOf = (number) => (number ? Math.floor(Math.log10(Math.abs(number)) + 1e-12) : 0);
const significantDigits = ({ number, places }) => topOf(number) + places + 1;

// The power of ten to which a whole number is rounded, as the decimals beside it suggest.
function lastOf(number, { places, digits }) {
  const last = digits !== null && number ? Math.max(-places, topOf(number) - digits + 1) : -places;
  return Math.max(last, zerosAtEnd(number) || last);
}

// The number of zeros at the end of a large integer that may come from rounding: 1020, 2500, 12300.
function zerosAtEnd(number) {
  let power = topOf(number) - MARKING.fewestDigits + 1;
  while (power > 0 && number % 10 ** power !== 0) power -= 1;
  return Math.max(power, 0);
}

// The places of a number, those asked for if it was rounded to them: programs print 0.8 for 0.80, and 1 for 1.00.
function placesOf({ number, places }, right) {
  const { asked } = problem.data;
  const isAsked = asked !== null && places < asked && Math.abs(number - right) <= ((1 + 1e-9) * 10 ** -asked) / 2;
  return isAsked ? asked : places;
}

// The box of one number among others: [low, high], and its unit; without a unit it must be equal.
function boxOf(told, step, beside, right) {
  const { number, width } = told, size = Math.abs(number);
  if (number === -Infinity || (right === -Infinity && number <= MARKING.practicallyHidden)) return boxAround(-Infinity, 0, 0);
  if (told.places === EXACT) return boxAround(number, width / 2, width);
  const places = placesOf(told, right), isWhole = places === INTEGER;
  if (isWhole && (step.isWhole || beside.isExact)) return boxAround(number, 0, 0);
  if (isWhole && beside.places === null) return wholeBox(number, step, right);
  const written = isWhole ? lastOf(number, beside) : -places;
  const asked = problem.data.asked, last = asked === null ? written : Math.max(written, -asked);
  const unit = 10 ** last, digits = size ? topOf(number) - last + 1 : 0, nothing = MARKING.nothing * step.largest;
  // It counts as the 0 that is expected, whatever its digits are.
  if (size < nothing && Math.abs(right) <= 3 * nothing) return boxAround(number, Math.max(unit / 2, size + nothing), unit);
  if (digits < MARKING.judgedDigits) return boxAround(number, unit / 2, unit);
  // Digits beyond those judged may round the last of them either way.
  const judged = 10 ** (last + digits - MARKING.judgedDigits);
  return { ...boxAround(number, judged, judged), isLong: true };
}

// The box of a whole number among whole numbers: right to all judged digits, or of too few digits.
function wholeBox(number, step, right) {
  const last = number ? 10 ** (topOf(number) - MARKING.judgedDigits + 1) : 2 * MARKING.nothing * step.largest;
  if (Math.abs(number - right) <= last / 2) return boxAround(number, last / 2, 0);
  const unit = 10 ** zerosAtEnd(number);
  if (step.isShort && unit === 1) return boxAround(number, 0, 0);
  return { ...boxAround(number, step.isWeights || !number ? unit / 2 : unit, unit), isFew: true };
}

function boxAround(number, reach, unit) {
  const out = reach + 1e-9 * Math.max(1, Math.abs(number));
  return { number, unit, box: number === -Infinity ? [number, number] : [number - out, number + out] };
}
