// A box that scrolls sideways can be reached with Tab, unless something inside it can.

const SCROLLING = ".box, .formula, .line, .line > span, pre, .roster, #picture";
let measuring = 0;

function offerScrolling() {
  for (const box of document.querySelectorAll(`:is(${SCROLLING}):not([aria-hidden] *)`)) {
    const isCut = box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === "auto";
    if (isCut && !box.querySelector("a, button, input, summary, [tabindex='0']")) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

const watchScrolling = new ResizeObserver(() => {
  clearTimeout(measuring);
  measuring = setTimeout(offerScrolling, 100);
});
