// Lists of rows: search, open, correct.

import { $, ask, attempt, fail, make, makeButton, onClick, when, who } from "./server.js";
import { content, facts, highlighted } from "./row.js";
import {
  current, markLabel, page, refreshNext, setWaiting, show, showCounts, showTyped,
} from "./label.js";

let start = 0; // of the part of the list that is shown
let request = 0; // the last one; answers to earlier ones are not shown
let shownFrom = null; // row to come back to
let isComputing = false; // whether doubtful rows are being searched
let timer = 0;

export function setMode(mode) {
  page.mode = mode;
  page.typing.press("Escape");
  showTyped();
  const isList = mode === "list";
  $("review").hidden = !isList;
  for (const id of ["card", "facts"]) $(id).hidden = isList;
  document.querySelector("footer").hidden = isList;
  $("details").hidden = $("skip").hidden = mode !== "label";
  $("prediction").hidden = mode !== "label" || !$("prediction").textContent;
  $("back").hidden = mode !== "row";
  $("final-choice").hidden = mode !== "row" || !page.mayDecide;
  $("undo-word").textContent = mode === "row" ? "Undo yours" : "Undo";
  $("to-review").setAttribute("aria-pressed", `${mode !== "label"}`);
  $("error").hidden = true;
}

export async function toggleReview() {
  if (page.mode !== "label") return leave();
  start = 0;
  setMode("list");
  await attempt(search);
  focusList();
}

/** Go one step back: to the list, or to labelling. */
export function goBack() {
  if (page.mode === "row") closeRow();
  else if (page.mode === "list") leave();
}

async function leave() {
  page.opened = null;
  setMode("label");
  setWaiting(page.busy);
  if (page.view) await show();
  $("card").focus();
}

/** Show the rows that the search finds. */
async function search(refresh = false) {
  const number = ++request;
  const body = Object.fromEntries(new FormData($("search")));
  const found = await ask("review", { ...body, start, refresh });
  if (number !== request || page.mode !== "list") return;
  const focused = document.activeElement?.closest("#list button")?.dataset.id;
  $("list").replaceChildren(...found.rows.map(listItem));
  if (focused) focusList(focused);
  isComputing = found.is_computing;
  $("found").textContent = describeFound(found, body.list);
  $("earlier").hidden = start === 0;
  $("later").hidden = start + found.rows.length >= found.n_rows;
  $("reopen").hidden = body.list !== "skipped" || !found.n_rows;
  $("again").hidden = body.list !== "doubtful" || isComputing;
}

const countRows = (n) => `${n} ${n === 1 ? "row" : "rows"}`;

function describeFound(found, list) {
  if (found.error) return found.error;
  if (found.is_computing) {
    return "The model is searching for doubtful labels. You can go on meanwhile.";
  }
  const end = start + found.rows.length;
  const part = found.n_rows > found.rows.length ? `, ${start + 1} to ${end} are shown` : "";
  const from = list === "doubtful" ? `, found with ${found.n_labels} labels` : "";
  return `${countRows(found.n_rows)}${from}${part}`;
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
  return make("li", {}, makeButton(
    () => openRow(row.id), { "data-id": JSON.stringify(row.id) },
    make("span", { class: "label" }, label),
    make("span", { class: "excerpt", dir: "auto" }, ...highlighted(row.excerpt || `Row ${row.id}`)),
    make("span", { class: "about" }, about.join(" · "))));
}

const listButtons = () => [...$("list").querySelectorAll("button")];

export function focusList(id = shownFrom) {
  const buttons = listButtons();
  const button = buttons.find(({ dataset }) => dataset.id === id) ?? buttons[0];
  (button ?? $("search").elements.text).focus();
}

export function pressInList(event, commands) {
  const { key } = event;
  const field = $("search").elements.text;
  if (key === "/" || ["*", "?", "!"].includes(key)) {
    event.preventDefault();
    if (key === "/") field.focus();
    else commands[key]();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  const buttons = listButtons();
  const at = buttons.indexOf(document.activeElement);
  if (!step || at < 0) return;
  event.preventDefault();
  if (at + step < 0) field.focus();
  else buttons[Math.min(at + step, buttons.length - 1)].focus();
}

async function openRow(id) {
  const row = await attempt(() => ask("open", { id }));
  if (!row || page.mode !== "list") return;
  shownFrom = JSON.stringify(id);
  setMode("row");
  $("final").checked = false;
  $("last").textContent = "Another label replaces this one";
  page.opened = row;
  showCounts(row);
  showFacts(row);
  const shown = await content(row);
  if (page.opened?.id !== id) return; // an image came late
  $("card").replaceChildren(shown);
  scrollTo(0, 0);
  $("card").focus();
}

/** Show the answers to the opened row, and its notes. */
function showFacts(row) {
  $("facts").replaceChildren(...facts(row, true));
  markLabel(row.label ?? row.answers.find((answer) => answer.who === who)?.label ?? null);
}

/** Show what other people have changed meanwhile. */
export async function followChanges({ row }) {
  if (page.mode === "list") return search();
  if (page.mode === "label") {
    if (page.view && !page.view.row) return refreshNext();
    if (row && current()?.id === row.id) {
      page.view.row = { ...page.view.row, notes: row.notes };
      $("facts").replaceChildren(...facts(row, row.state !== "open"));
    }
  } else if (row && page.opened?.id === row.id) {
    page.opened = row;
    showFacts(row);
  }
}

export const isSearching = () => page.mode === "list" && isComputing;

async function closeRow(words = "") {
  page.opened = null;
  setMode("list");
  await attempt(search);
  if (words) $("found").textContent = `${words}. ${$("found").textContent}`;
  focusList();
}

/** Let the next class be the final decision, where that is possible. */
export function toggleFinal() {
  if (!page.mayDecide) {
    return fail(new Error(
      "A final decision needs rows with several votes, and your name in the address: ?who=NAME"));
  }
  $("final").checked = !$("final").checked;
  $("last").textContent = $("final").checked
    ? "The next class decides for all" : "Another label replaces this one";
}

/** Give the opened row a label, and come back to the list. */
export async function correct(label) {
  const { id } = page.opened;
  const isFinal = $("final").checked;
  const row = await attempt(() => ask("correct", { id, label, final: isFinal }));
  if (!row) return;
  showCounts(row);
  if (page.opened?.id === id) await closeRow(`Row ${id}: ${label}${isFinal ? ", decided" : ""}`);
}

export async function withdraw() {
  const { id } = page.opened;
  $("last").textContent = "Undoing; the model may have to be trained";
  const row = await attempt(() => ask("withdraw", { id }));
  if (!row) return;
  showCounts(row);
  if (page.opened?.id === id) await closeRow(`Row ${id}: answer undone`);
  refreshNext(); // the row comes first again
}

async function reopenAll() {
  $("found").textContent = "Undoing; the model may have to be trained";
  const done = await attempt(() => ask("reopen"));
  if (!done) return;
  showCounts(done);
  await attempt(search);
  $("found").textContent = `${countRows(done.n_rows)} will be shown again`;
  refreshNext();
}

async function turn(step) {
  start = Math.max(0, start + step * 20);
  shownFrom = null;
  await attempt(search);
  focusList();
  scrollTo(0, 0);
}

$("search").addEventListener("input", () => {
  start = 0;
  clearTimeout(timer);
  timer = setTimeout(() => attempt(search), 200);
});
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(search).then(() => focusList());
});
onClick({
  earlier: () => turn(-1),
  later: () => turn(1),
  reopen: reopenAll,
  again: () => attempt(() => search(true)),
  leave,
  back: goBack,
  "to-review": toggleReview,
});
