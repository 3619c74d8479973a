let start = 0; // of the part of the list that is shown
let request = 0; // the last one: what an earlier one finds is not shown
let shownFrom = null; // the row to come back to
const LATER = 1000; // milliseconds between two questions whether rows were found

function setMode(name) {
  mode = name;
  typing.press("Escape");
  showTyped();
  const isList = name === "list";
  $("review").hidden = !isList;
  for (const id of ["card", "facts"]) $(id).hidden = isList;
  document.querySelector("footer").hidden = isList;
  $("details").hidden = $("skip").hidden = name !== "label";
  $("prediction").hidden = name !== "label" || !$("prediction").textContent;
  $("back").hidden = $("final-choice").hidden = name !== "row";
  $("final-choice").hidden ||= !who || votes < 2;
  $("undo-word").textContent = name === "row" ? "Take back" : "Undo";
  $("to-review").setAttribute("aria-pressed", `${name !== "label"}`);
  $("error").hidden = true;
}

function toggleReview() {
  if (mode === "label") openReview();
  else leave();
}

async function openReview() {
  start = 0;
  setMode("list");
  await attempt(() => search());
  focusList();
}

/** Go one step back: to the list, or to labelling. */
function goBack() {
  if (mode === "row") closeRow();
  else if (mode === "list") leave();
}

async function leave() {
  opened = null;
  setMode("label");
  setWaiting(busy);
  if (view) await show();
  $("card").focus();
}

/** Show the rows that are searched for. */
async function search(refresh = false) {
  const number = ++request;
  const form = new FormData($("search"));
  const body = Object.fromEntries(form);
  for (const [name, days] of [["since", 0], ["until", 1]]) {
    if (!body[name]) continue;
    const day = new Date(`${body[name]}T00:00`);
    day.setDate(day.getDate() + days); // up to the end of that day
    body[name] = day.toISOString();
  }
  const found = await ask("review", { ...body, start, refresh });
  if (number !== request || mode !== "list") return;
  const focused = document.activeElement?.closest("#list") !== null;
  $("list").replaceChildren(...found.rows.map(listItem));
  if (focused) focusList();
  fillPeople(found.people);
  $("found").textContent = foundWords(found, body.list);
  $("earlier").hidden = start === 0;
  $("later").hidden = start + found.rows.length >= found.n_rows;
  $("reopen").hidden = body.list !== "skipped" || !found.n_rows;
  $("again").hidden = body.list !== "doubtful" || found.is_computing;
  if (found.is_computing) {
    setTimeout(() => mode === "list" && number === request && attempt(() => search()), LATER);
  }
}

function rowsWords(n, after = "") {
  return `${n} ${n === 1 ? "row" : "rows"}${after && (n === 1 ? " is " : " are ")}${after}`;
}

function foundWords(found, list) {
  if (found.error) return found.error;
  if (found.is_computing) return "A model is trained to find doubtful labels; go on meanwhile.";
  const end = start + found.rows.length;
  const which = found.n_rows > found.rows.length ? `, ${start + 1} to ${end} are shown` : "";
  const from = list === "doubtful" ? `, found with ${found.n_labels} labels` : "";
  return `${rowsWords(found.n_rows)}${from}${which}`;
}

function fillPeople(people) {
  const select = $("search").elements.person;
  const names = ["", ...people];
  $("by").hidden = !people.length;
  if (select.options.length === names.length) return;
  const chosen = select.value;
  select.replaceChildren(...names.map((name) => make("option", { value: name }, name || "anybody")));
  select.value = chosen;
}

function listItem(row) {
  const votes = row.answers.map(({ label }) => label ?? "skip");
  const label = row.label ?? (row.state === "skipped" ? "skipped" : [...new Set(votes)].join(" / "));
  const last = row.answers.at(-1);
  const about = [
    row.predicted && `the model expects ${row.predicted}`,
    row.state === "disputed" && "disputed",
    [...new Set(row.answers.map((answer) => answer.who).filter(Boolean))].join(", "),
    last && when(last.at),
    ...row.answers.map(({ reason }) => reason),
    ...row.notes.map(({ text }) => `note: ${text}`),
  ].filter(Boolean);
  const button = make("button", { "data-id": JSON.stringify(row.id) },
    make("span", { class: "label" }, label),
    make("span", { class: "excerpt", dir: "auto" }, ...highlighted(row.excerpt || `Row ${row.id}`)),
    make("span", { class: "about" }, about.join(" · ")));
  button.addEventListener("click", () => openRow(row.id));
  return make("li", {}, button);
}

function focusList() {
  const buttons = [...$("list").querySelectorAll("button")];
  const button = buttons.find(({ dataset }) => dataset.id === shownFrom) ?? buttons[0];
  (button ?? $("search").elements.text).focus();
}

function listKey(event) {
  const { key } = event;
  if (key === "/") { event.preventDefault(); $("search").elements.text.focus(); return; }
  if (["*", "?", "!"].includes(key)) { event.preventDefault(); COMMANDS[key](); return; }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  const buttons = [...$("list").querySelectorAll("button")];
  const at = buttons.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  if (at + step < 0) $("search").elements.text.focus();
  else buttons[Math.min(at + step, buttons.length - 1)].focus();
}

async function openRow(id) {
  const row = await attempt(() => ask("open", { id }));
  if (!row || mode !== "list") return;
  shownFrom = JSON.stringify(id);
  setMode("row");
  $("final").checked = false;
  $("last").textContent = "Another label replaces this one";
  await showOpened(row);
  $("card").focus();
}

async function showOpened(row) {
  opened = row;
  showCounts(row);
  $("facts").replaceChildren(...facts(row, true));
  const shown = await content(row);
  if (opened !== row) return; // an image came late
  $("card").replaceChildren(shown);
  mark(row.label ?? row.answers.find((answer) => answer.who === who)?.label ?? null);
  scrollTo(0, 0);
}

async function closeRow() {
  opened = null;
  setMode("list");
  await attempt(() => search());
  focusList();
}

/** Give the opened row a label, and come back to the list. */
async function correct(label) {
  const { id } = opened;
  const row = await attempt(() => ask("correct", { id, label, final: $("final").checked }));
  if (!row) return;
  showCounts(row);
  if (opened?.id !== id) return; // the person has left
  await closeRow();
  $("found").textContent = `Row ${id}: ${label}. ${$("found").textContent}`;
}

async function withdraw() {
  const { id } = opened;
  $("last").textContent = "Taking back; the model may have to be trained";
  const row = await attempt(() => ask("withdraw", { id }));
  if (!row) return;
  showCounts(row);
  if (opened?.id === id) {
    await closeRow();
    $("found").textContent = `Row ${id}: taken back. ${$("found").textContent}`;
  }
  refreshNext();
}

/** Ask for the row to label once more: one that was taken back comes first. */
async function refreshNext() {
  if (busy) return;
  busy = true;
  setWaiting(true);
  const found = await attempt(() => ask("next", {}));
  if (found) {
    view = found;
    if (mode === "label") await show(); // the person has come back meanwhile
  }
  setWaiting(false);
  busy = false;
}

async function reopenAll() {
  $("found").textContent = "Taking back; the model may have to be trained";
  const done = await attempt(() => ask("reopen"));
  if (!done) return;
  showCounts(done);
  await attempt(() => search());
  $("found").textContent = rowsWords(done.n_rows, "shown again");
  refreshNext();
}

let timer = 0;
$("search").addEventListener("input", () => {
  start = 0;
  clearTimeout(timer);
  timer = setTimeout(() => attempt(() => search()), 200);
});
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(() => search()).then(focusList);
});
$("earlier").addEventListener("click", () => turn(-1));
$("later").addEventListener("click", () => turn(1));
$("reopen").addEventListener("click", reopenAll);
$("again").addEventListener("click", () => attempt(() => search(true)));
$("leave").addEventListener("click", leave);
$("back").addEventListener("click", goBack);
$("to-review").addEventListener("click", toggleReview);

async function turn(step) {
  start = Math.max(0, start + step * 20);
  shownFrom = null;
  await attempt(() => search());
  focusList();
  scrollTo(0, 0);
}
