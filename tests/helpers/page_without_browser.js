// Runs the scripts of a page in node, with stubs in place of a browser, and prints how it judges answers.
const { readFileSync } = require("fs"), vm = require("vm");
const { html, answers } = JSON.parse(readFileSync(0, "utf8"));
const scripts = [...html.matchAll(/<script([^>]*)>([\s\S]*?)<\/script>/g)];
const [model, code] = [true, false].map((wanted) => scripts.filter(([, kind]) => /json/.test(kind) === wanted).map(([, , text]) => text).join("\n"));

// An element, a list or a function: it takes everything and holds nothing.
const NOTHING = { then: undefined, length: 0, size: 0, textContent: "", filter: () => [], map: () => [], flatMap: () => [], [Symbol.toPrimitive]: () => "", [Symbol.iterator]: function* () {} };
const stub = () => new Proxy(function () {}, { get: (_, key) => (key in NOTHING ? NOTHING[key] : stub()), set: () => true, apply: stub, construct: stub });

const document = new Proxy({}, {
  get: (_, key) => ({ title: "page", getElementById: (id) => (id === "model" ? { textContent: model } : stub()), querySelectorAll: () => [] })[key] ?? stub(),
});
const names = ["location", "history", "localStorage", "matchMedia", "ResizeObserver", "CSS", "getComputedStyle", "navigator"];
const page = vm.createContext({ document, addEventListener: () => {}, setTimeout: () => 0, URL, ...Object.fromEntries(names.map((name) => [name, stub()])) });
vm.runInContext(code, page);
console.log(JSON.stringify(answers.map((one) => page.attncalc.judge(one))));
