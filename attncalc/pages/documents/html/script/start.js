// Event handlers, and what the page does first.

main.addEventListener("pointerover", point);
main.addEventListener("focusin", visit);
main.addEventListener("click", choose);
panel.addEventListener("click", (event) => {
  const entry = event.target.closest("[data-k]");
  if (entry) follow(entry);
});
for (const kind of ["pointerover", "focusin"]) {
  panel.addEventListener(kind, (event) => stress(event.target.closest("[data-k]")));
}
panel.addEventListener("pointerleave", () => stress(null));
document.addEventListener("keydown", press);
for (const kind of ["focusin", "focusout"]) document.addEventListener(kind, () => setTimeout(tellHeld));
main.addEventListener("toggle", (event) => event.target.matches(".lines:not(.fixed)") && event.target.open && writeLines(event.target), true);
addEventListener("popstate", obeyAddress);
for (const watched of [main, panel]) watchScrolling.observe(watched);

// On paper everything is open.
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const fold of folded) fold.open = true;
  rewriteLines();
});
addEventListener("afterprint", () => {
  for (const fold of folded) fold.open = false;
});

const hint = make("p", { className: "hint" }, "Point at an entry of any matrix, or tap it, to see where it comes from.");
if (problem) hint.append(" Change a given number, and all that follows changes with it.");
hint.append(make("small", {}, "Keys: Tab and arrows to an entry, Enter into its working, Backspace back, Esc closes."));
if (cells.size) {
  document.body.classList.add("alive");
  panel.hidden = false;
  panel.append(hint.cloneNode(true));
  const [first, second] = main.querySelectorAll(".step");
  const tools = [...(problem ? [picture, arcs, toolbar, switches] : []), hint, told];
  // Of one step in a notebook, the matrix is what was asked for.
  if (document.body.matches(".framed") && first && !second) first.after(...tools);
  else (first ?? main.querySelector(".displays")).before(...tools);
  for (const cell of main.querySelectorAll("td[data-k]")) cell.classList.toggle("editable", isEditable(cell));
  if (problem) rewriteLines();
  if (problem) drawPictures();
  if (problem) drawSwitches();
  if (problem) drawToolbar();
  if (problem) recallAnswers();
  if (problem) offerUnfolding();
  obeyAddress();
}

// Access to the numbers from other scripts.
if (problem) globalThis.attncalc = { numbers: (name) => [...problem.find(name).numbers], change: (place, number) => change(keyFor(place), number), line: (key) => lineFor(key).textContent, resetAll, answers: answersText, judge: (told) => Object.fromEntries(judged(new Map(Object.entries(told)))) };

function keyFor(place) {
  const [, name, indices] = PLACE.exec(place);
  return keyOf(name, indices.split(",").map((index) => Number(index) - 1));
}
