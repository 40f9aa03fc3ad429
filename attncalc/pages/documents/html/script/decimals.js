// Decimals as they are written: a sign, the figures as one integer, and the power of ten of the last of them.

const USUAL_PLACES = 4, LEAST_DIGITS = 3, LARGEST_PLAIN = 12, SMALLEST_PLAIN = -5;
// A float is correct to about fifteen digits; one with more digits than these was probably rounded.
const TRUSTED_DIGITS = 14, KNOWN_DIGITS = 11, MOST_FLOATS = 32;

const SPELT = /^([-−]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/;

function parseDecimal(text) {
  const [, sign, whole, fraction, exponent] = SPELT.exec(text);
  return { sign: sign ? -1 : 1, figures: BigInt(whole + fraction || "0"), last: Number(exponent ?? 0) - fraction.length };
}

// The reliable digits of a float, without zeros at the end; more than noise is rounded only once.
function decimalOf(number) {
  const written = parseDecimal(String(number));
  const spacing = 2 ** (Math.floor(Math.log2(Math.abs(number))) - 52);
  const isNoise = !number || Math.abs(Number(number.toPrecision(TRUSTED_DIGITS)) - number) <= MOST_FLOATS * spacing;
  return shortened(isNoise ? significant(written, TRUSTED_DIGITS) : written);
}

const countFigures = ({ figures }) => String(figures).length;

// The power of ten of the first figure.
const magnitude = (decimal) => decimal.last + countFigures(decimal) - 1;

// Without zeros at the end.
function shortened({ sign, figures, last }) {
  if (!figures) return { sign: 1, figures, last: 0 };
  while (figures % 10n === 0n) {
    figures /= 10n;
    last += 1;
  }
  return { sign, figures, last };
}

// With its last figure at a power of ten, rounded half to even or filled up with zeros.
function roundedAt({ sign, figures, last }, wanted) {
  if (wanted <= last) return { sign, figures: figures * 10n ** BigInt(last - wanted), last: wanted };
  const unit = 10n ** BigInt(wanted - last);
  const whole = figures / unit, twice = 2n * (figures % unit);
  const isUp = twice > unit || (twice === unit && whole % 2n === 1n);
  return { sign, figures: isUp ? whole + 1n : whole, last: wanted };
}

function significant(decimal, digits) {
  if (countFigures(decimal) <= digits) return decimal;
  const found = roundedAt(decimal, magnitude(decimal) - digits + 1);
  return countFigures(found) > digits ? { ...found, figures: found.figures / 10n, last: found.last + 1 } : found;
}

// A decimal to the places or digits that a problem asks for, or to the default.
function roundedAs(decimal, { places, digits }, isInFull) {
  if (!decimal.figures) return { sign: 1, figures: 0n, last: 0 };
  if (digits) return significant(decimal, digits);
  if (places !== null) {
    const found = roundedAt(decimal, -places);
    return found.figures ? found : { ...found, sign: 1 };
  }
  const size = magnitude(decimal);
  if (size < SMALLEST_PLAIN || size >= LARGEST_PLAIN) return significant(decimal, size < 0 ? LEAST_DIGITS : USUAL_PLACES + 1);
  const found = roundedAt(decimal, -Math.max(USUAL_PLACES, LEAST_DIGITS - 1 - size));
  if (!isInFull || !areEqual(found, decimal)) return found;
  const short = shortened(found);
  return short.last > 0 ? roundedAt(short, 0) : short;
}

function areEqual(one, other) {
  const [a, b] = [shortened(one), shortened(other)];
  return a.sign === b.sign && a.figures === b.figures && a.last === b.last;
}

const isInFull = (decimal) => countFigures(decimal) <= KNOWN_DIGITS;

// The parts of a written decimal: its digits without a sign, and the power of ten, if any.
function digitsOf(decimal) {
  const text = String(decimal.figures), size = magnitude(decimal);
  if (decimal.figures && (size <= -6 || size >= 13 || decimal.last > 0)) {
    return [text.length > 1 ? `${text[0]}.${text.slice(1)}` : text, size];
  }
  if (decimal.last >= 0) return [text, null];
  const filled = text.padStart(1 - decimal.last, "0");
  return [`${filled.slice(0, decimal.last)}.${filled.slice(decimal.last)}`, null];
}

// A decimal as the text of a number in a term.
const spell = ({ sign, figures, last }) => `${sign < 0 ? "-" : ""}${figures}e${last}`;
