// What if: mistakes that can be switched on; changed numbers stand beside the correct ones.

const switches = make("fieldset", { id: "switches" });

function drawSwitches() {
  if (!problem.data.switches.length) return;
  const boxes = problem.data.switches.map(({ code }) => {
    const box = make("input", { type: "checkbox", name: code });
    box.addEventListener("change", () => toggleMistake(code, box.checked));
    return make("label", {}, box, " ", sentenceOf(code));
  });
  switches.replaceChildren(make("legend", {}, "What if"), ...boxes);
}

// The sentence of a mistake, as the page has it.
function sentenceOf(code) {
  const markup = document.querySelector(`#names [data-if="${code}"]`);
  return make("span", {}, ...markup.cloneNode(true).childNodes);
}

function toggleMistake(code, isOn) {
  problem.mistakes[isOn ? "add" : "delete"](code);
  renew();
  writeAddress(true);
}

function showSwitches() {
  for (const box of switches.querySelectorAll("input")) box.checked = problem.mistakes.has(box.name);
  document.body.classList.toggle("mistaken", problem.mistakes.size > 0);
}

// The correct number beside one that a mistake has changed.
function besideIt(name, at) {
  if (!problem.mistakes.size || problem.given.has(name)) return [];
  return [make("br"), make("small", { className: "right" }, ...numberNodes(lines.shown.float(problem.originally(name, at)).term))];
}
