(() => {
"use strict";
// A page in a notebook: it asks for style and script, which stand there once, and tells how high it is.
const tell = () => parent.postMessage({ attncalc: "height", height: document.body.getBoundingClientRect().height }, "*");
const ask = () => parent.postMessage({ attncalc: "assets" }, "*");
const asking = setInterval(ask, 500);

// The frame is as high as the page, so that the notebook scrolls: the working is shown where it is asked for.
const place = (event) => {
  const cell = event.target.closest?.("main [data-k]");
  if (cell) document.body.style.setProperty("--y", `${Math.round(cell.closest("table, p").getBoundingClientRect().bottom + scrollY + 6)}px`);
};

addEventListener("message", function dress({ data, source }) {
  if (source !== parent || typeof data?.style !== "string") return;
  clearInterval(asking);
  removeEventListener("message", dress);
  for (const kind of ["style", "script"]) {
    const element = document.createElement(kind);
    element.textContent = data[kind];
    document.head.append(element);
  }
  for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, place);
  new ResizeObserver(tell).observe(document.body);
  tell();
});
document.body.classList.add("framed");
ask();
})();
