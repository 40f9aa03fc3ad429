// Play: a row walked entry by entry.

const PAUSE = 1400;
let playing = 0;

function playControl() {
  return make("p", { className: "play" }, button("play", playing ? "Stop" : "Play the row, entry by entry", togglePlay, playing ? "■ Stop" : "▶ Play the row"));
}

function togglePlay() {
  if (playing) return stopPlay();
  playing = setInterval(playOn, PAUSE);
  show(current, trail);
}

function stopPlay() {
  clearInterval(playing);
  playing = 0;
  if (current) show(current, trail);
}

// To the next entry of the row; at its end it stops.
function playOn() {
  const [name, at] = parseKey(current);
  const next = [...at.slice(0, -1), at.at(-1) + 1];
  if (!hasCell(name, next)) return stopPlay();
  const cell = nearest(keyOf(name, next));
  show(keyOf(name, next));
  if (cell) uncover(cell);
  writeAddress();
}
