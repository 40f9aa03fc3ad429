// Every state of the page has an address: #X[1,2]=5&S[2,1] is a changed number and a chosen cell.

const placeOf = (key) => {
  const [name, at] = parseKey(key);
  return `${name}[${at.map((index) => index + 1).join(",")}]`;
};

const PLACE = /^(.+)\[(\d+(?:,\d+)*)\](?:=(.+))?$/;

function addressNow() {
  const mistakes = [...(problem?.mistakes ?? [])].map((code) => `if:${code}`);
  const parts = [...mistakes, ...changes().map(([key, number]) => `${placeOf(key)}=${spellNumber(number)}`), ...(current ? [placeOf(current)] : [])];
  return parts.length ? `#${parts.join("&")}` : location.pathname + location.search;
}

// The decoded fragment of the address; empty if it is malformed.
function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
}

function writeAddress(isNew = false) {
  const address = addressNow();
  if (fragment() === (address.startsWith("#") ? address.slice(1) : "")) return;
  try {
    history[isNew ? "pushState" : "replaceState"]({ trail }, "", address);
  } catch {
    // Inside a notebook a page has no address.
  }
}

// Parse the address: changes by key, and the chosen cell.
function readAddress() {
  const found = { changes: new Map(), mistakes: [], chosen: null };
  for (const part of fragment().split("&")) {
    if (problem?.data.switches.some(({ code }) => part === `if:${code}`)) found.mistakes.push(part.slice(3));
    const [, name, indices, typed] = PLACE.exec(part) ?? [];
    if (!name) continue;
    const at = indices.split(",").map((index) => Number(index) - 1), key = keyOf(name, at);
    if (typed === undefined) found.chosen = hasCell(name, at) ? key : found.chosen;
    else if (problem?.given.has(name) && hasCell(name, at) && parseGiven(typed, name) !== null) found.changes.set(key, parseGiven(typed, name));
  }
  return found;
}

function hasCell(name, at) {
  const shape = problem?.find(name)?.shape;
  if (!shape) return written.has(keyOf(name, at));
  return at.length === shape.length && at.every((index, n) => index >= 0 && index < shape[n]);
}

// Bring the page into the state of its address; the address of a section changes nothing.
function obeyAddress() {
  if (document.getElementById(fragment())) return;
  const wanted = readAddress();
  if (problem && (wanted.changes.size + wanted.mistakes.length || changes().length + problem.mistakes.size)) {
    problem.mistakes = new Set(wanted.mistakes);
    for (const [key] of changes()) problem.reset(...parseKey(key));
    for (const [key, number] of wanted.changes) problem.set(...parseKey(key), number);
    renew();
  }
  if (!wanted.chosen) {
    if (current) close();
    return;
  }
  show(wanted.chosen, history.state?.trail ?? []);
  const cell = nearest(wanted.chosen);
  for (let fold = cell?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (cell) quietly(() => enter(cell));
}
