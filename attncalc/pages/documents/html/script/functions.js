// The functions of one number, by the names that rules have for them.

// The error function: a series near 0, a continued fraction further out.
function erf(x) {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x);
  return size < 2.5 ? erfSeries(x) : Math.sign(x) * (1 - erfcFraction(size));
}

function erfSeries(x) {
  let term = x, total = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(total); n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    total += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * total;
}

function erfcFraction(x) {
  let under = x;
  for (let n = 60; n > 0; n -= 1) under = x + n / 2 / under;
  return Math.exp(-x * x) / (under * Math.sqrt(Math.PI));
}

// The sine or cosine, with 0 for values that are only the rounding error of the angle.
function turning(wave) {
  return (x) => (Math.abs(wave(x)) < 1e-15 * Math.abs(x) ? 0 : wave(x));
}

const FUNCTIONS = {
  exp: Math.exp,
  ln: Math.log,
  sqrt: Math.sqrt,
  tanh: Math.tanh,
  bend: (x) => (x === -Infinity ? x : Math.tanh(x)),
  sin: turning(Math.sin),
  cos: turning(Math.cos),
  erf,
  abs: Math.abs,
  relu: (x) => Math.max(x, 0),
  elu: (x) => (x > 0 ? x : Math.expm1(x)),
  step: (x) => (x > 0 ? 1 : 0),
  visible: (x) => (x === -Infinity ? 0 : x),
  seen: (x) => (x === -Infinity ? 0 : 1),
  nonzero: (x) => (x === 0 ? 1 : x),
};
