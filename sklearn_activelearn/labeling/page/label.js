let classes = []; // each with label, keys and description
let view = null; // the row to label, as the server sent it
let opened = null; // a row of the list
let mode = "label"; // "label", "list", or "row": one that is opened
let busy = false; // a key pressed now would answer a row that nobody has seen
let votes = 1;

/** The row that an answer is for; none in the list. */
function current() {
  return { label: view?.row, row: opened }[mode] ?? null;
}

/** Send one answer and show what the server says: the next row, or why not. */
async function send(verb, body, words) {
  if (busy) return;
  busy = true;
  $("error").hidden = true;
  setWaiting(true);
  $("last").textContent = words; // shown before it is confirmed
  try {
    view = await ask(verb, body);
    if (view.waiting) {
      $("last").textContent = `${view.last}. The next row follows the training.`;
      view = await ask("next", { last: view.last });
    }
    await show();
    update().catch(fail);
  } catch (error) {
    $("last").textContent = view?.last ?? "";
    fail(error);
  }
  setWaiting(false);
  busy = false;
}

function setWaiting(is) {
  $("card").classList.toggle("waiting", is && mode === "label");
  $("card").setAttribute("aria-busy", `${is}`);
}

async function show() {
  showCounts(view);
  $("last").textContent = view.last ?? "";
  if (mode !== "label") return; // it is shown when the person comes back
  $("prediction").textContent = view.prediction ?? "";
  $("prediction").hidden = !view.prediction;
  $("facts").replaceChildren(...(view.row ? facts(view.row, false) : []));
  const { row, reason } = view;
  const shown = row ? await content(row) : make("p", {}, reason ?? "");
  if (mode !== "label" || view.row !== row) return; // an image came late
  $("card").replaceChildren(shown);
  mark(null);
  scrollTo(0, 0);
}

function showCounts({ counts, share }) {
  $("counts").textContent = counts;
  if (share !== undefined) $("share").value = share;
}

/** Show which class a row has. */
function mark(label) {
  for (const button of $("classes").children) {
    const isGiven = button.dataset.label === label;
    button.classList.toggle("given", isGiven);
    if (mode === "row") button.setAttribute("aria-pressed", `${isGiven}`);
    else button.removeAttribute("aria-pressed");
  }
}

function classButton({ label, keys, description }) {
  const attributes = { "aria-keyshortcuts": keys.join(" "), "data-label": label };
  if (description) Object.assign(attributes, { title: description, "aria-description": description });
  const button = make(
    "button", attributes, ...keys.flatMap((key) => [make("kbd", {}, key), " "]), label
  );
  button.addEventListener("click", () => answer(label));
  return button;
}

function answer(label) {
  const row = current();
  if (!row) return;
  if (mode === "row") correct(label);
  else send("label", { id: row.id, label }, label);
}

function skip() {
  if (mode === "label" && view?.row) send("skip", { id: view.row.id }, "Skipped");
}

function undo() {
  if (mode === "row") withdraw();
  else if (mode === "label") send("undo", {}, "Undoing");
}

/** Draw the curve on the rows put aside, and say what it means. */
async function update() {
  if (!$("details").open) return;
  const found = await ask("progress");
  $("advice").textContent = found.advice;
  $("plot").replaceChildren(...(found.curve.length ? [plot(found)] : []));
}

function plot({ curve, measure, constant }) {
  const [left, right, top, bottom] = [40, 310, 10, 110];
  const most = Math.max(1, ...curve.map(([labels]) => labels));
  const x = (labels) => left + (right - left) * labels / most;
  const y = (score) => bottom - (bottom - top) * score;
  const last = curve.at(-1);
  const words = (score) => `${Math.round(100 * score)} %`;
  const path = curve.map(([n, score], i) => `${i ? "L" : "M"}${x(n)} ${y(score)}`);
  const text = (at, anchor, words) =>
    make("text", { x: at[0], y: at[1], "text-anchor": anchor }, words);
  return make(
    "svg",
    {
      viewBox: "0 0 320 140", role: "img",
      "aria-label": `${measure} ${words(last[1])} after ${last[0]} labels, ` +
        `${words(constant)} for a constant answer`,
    },
    make("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` }),
    text([left - 6, top + 4], "end", "100 %"),
    text([left - 6, bottom + 4], "end", "0 %"),
    text([left, bottom + 16], "middle", "0"),
    text([left + 6, top + 4], "start", measure),
    make("path", { class: "constant", d: `M${left} ${y(constant)}H${right}` }),
    text([left + 6, y(constant) + 14], "start", "always the same answer"),
    text([right, bottom + 16], "end", `${most} labels`),
    make("path", { class: "curve", d: path.join("") }),
    make("circle", { class: "point", cx: x(last[0]), cy: y(last[1]), r: 3.5 }),
    text([x(last[0]), y(last[1]) + 18], "end", words(last[1]))
  );
}

$("skip").addEventListener("click", skip);
$("undo").addEventListener("click", undo);
$("details").addEventListener("toggle", () => update().catch(fail));
