// Lists of rows: search, open, correct.

import {
  $, ask, attempt, describeLabel, fail, make, makeButton, onClick, when, who,
} from "./server.js";
import { content, facts } from "./row.js";
import { current, markLabels, page, send, show, showCounts, showTags, showTyped } from "./screen.js";

const PAGE = 20; // rows of a list that the server sends
const UNDOING = "Undoing; the model may have to be trained";
const field = $("search").elements.text;
let start = 0; // of the part of the list that is shown
let request = 0; // the last one; answers to earlier ones are not shown
let newest = null; // search that ends with the list of the last request on the screen
let shownFrom = null; // row to come back to
let isComputing = false; // whether doubtful rows are being searched
let done = ""; // last change that was made from the list
let timer = 0;

export function setMode(mode) {
  page.mode = document.body.dataset.mode = mode; // the style sheet hides the rest
  page.typing.press("Escape");
  showTyped();
  $("final-choice").hidden = !page.mayDecide;
  $("undo-word").textContent = mode === "row" ? "Undo yours" : "Undo";
  $("to-review").setAttribute("aria-pressed", `${mode !== "label"}`);
  $("error").hidden = true;
}

export function toggleReview() {
  if (page.mode !== "label") return leave();
  start = 0;
  closeRow();
}

/** Go one step back: to the list, or to labelling. */
export function goBack() {
  if (page.mode === "row") closeRow();
  else if (page.mode === "list") leave();
}

async function leave() {
  page.opened = null;
  setMode("label");
  if (page.view) await show();
  $("card").focus();
}

/** Show the rows that the search finds, or the reason why there are none. */
function search(refresh = false) {
  newest = showFound(++request, refresh);
  return newest;
}

async function showFound(number, refresh) {
  const body = Object.fromEntries(new FormData($("search")));
  const found = await ask("review", { ...body, start, refresh }).catch(
    (error) => ({ rows: [], n_rows: 0, error: error.message }));
  if (number !== request) return newest; // the focus waits for the list that is shown
  if (page.mode !== "list") return;
  const focused = document.activeElement?.closest("#list button")?.dataset.id;
  $("list").replaceChildren(...found.rows.map(listItem));
  if (focused) focusList(focused);
  isComputing = Boolean(found.is_computing);
  $("found").textContent = done + describeFound(found, body.list);
  $("earlier").hidden = start === 0;
  $("later").hidden = start + found.rows.length >= found.n_rows;
  $("reopen").hidden = body.list !== "skipped" || !found.n_rows;
  $("again").hidden = body.list !== "doubtful" || isComputing;
}

const countRows = (n) => `${n} ${n === 1 ? "row" : "rows"}`;

function describeFound(found, list) {
  if (found.error) return found.error;
  if (isComputing) {
    return "The model is searching for doubtful labels. You can go on meanwhile.";
  }
  const end = start + found.rows.length;
  const part = found.n_rows > found.rows.length ? `, ${start + 1} to ${end} are shown` : "";
  const from = list === "doubtful" ? `, found with ${found.n_labels} labels` : "";
  return `${countRows(found.n_rows)}${from}${part}`;
}

function listItem({ id, title, about, at, excerpt }) {
  return make("li", {}, makeButton(
    () => openRow(id), { "data-id": JSON.stringify(id) },
    make("span", { class: "label" }, title),
    make("span", { class: "excerpt", dir: "auto" }, excerpt || `Row ${id}`),
    make("span", { class: "about" }, [...(at ? [when(at)] : []), ...about].join(" · "))));
}

/** Move the focus to a row of the list, or else to the search. */
export function focusList(id = shownFrom) {
  const buttons = [...$("list").querySelectorAll("button")];
  const button = buttons.find(({ dataset }) => dataset.id === id) ?? buttons[0];
  (button ?? field).focus();
}

export function pressInList(event, commands) {
  const { key } = event;
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  const stops = [field, ...$("review").querySelectorAll("#list button, .row button:not([hidden])")];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (key === "/") { field.focus(); field.select(); }
  else if (["*", "?", "!"].includes(key)) commands[key]();
  else if (next && stops.includes(document.activeElement)) next.focus();
  else return;
  event.preventDefault();
}

async function openRow(id) {
  const found = await attempt(() => ask("changes", { id }));
  if (!found || page.mode !== "list") return;
  shownFrom = JSON.stringify(id);
  setMode("row");
  setFinal(false);
  showCounts(found);
  showOpened(found.row, true);
  const shown = await content(found.row);
  if (page.opened?.id !== id) return; // an image came late
  $("card").replaceChildren(shown);
  scrollTo(0, 0);
  $("card").focus();
}

/** Show the answers to the opened row, and its notes. */
function showOpened(row, isNew) {
  page.opened = row;
  $("facts").replaceChildren(...facts(row, true));
  const own = row.answers.find((answer) => answer.who === who);
  if (isNew) showTags(own?.tags ?? []);
  if (isNew || !page.typing.several) markLabels([row.label ?? own?.label ?? []].flat());
}

/** Show what other people have changed meanwhile, and doubtful rows that were found. */
export async function followChanges({ version, row, ...progress }) {
  if (page.busy) return;
  const isNew = version !== page.version;
  if (isNew) showCounts(progress);
  page.version = version;
  if (page.mode === "list" && (isNew || isComputing)) return search();
  if (page.mode === "label" && isNew && page.view && !page.view.row) return send("next");
  if (!row || current()?.id !== row.id) return;
  if (page.mode === "row") return showOpened(row, false);
  page.view.row.notes = row.notes;
  $("facts").replaceChildren(...facts(row, row.state !== "open"));
}

async function closeRow(words = "") {
  page.opened = null;
  done = words;
  setMode("list");
  await search();
  focusList();
}

function setFinal(is) {
  $("final").checked = is;
  $("last").textContent = is ? "The next class decides for all" : "The next class is your answer";
}

/** Let the next class be the final decision, where that is possible. */
export function toggleFinal() {
  if (page.mayDecide) return setFinal(!$("final").checked);
  fail(new Error(
    "A final decision needs rows with several votes, and your name in the address: ?who=NAME"));
}

/** Send a request about the opened row, and come back to the list. */
async function change(verb, body, words) {
  const { id } = page.opened;
  const found = await attempt(() => ask(verb, { id, ...body }));
  if (!found) return false;
  showCounts(found);
  if (page.opened?.id === id) await closeRow(`Row ${id}: ${words}. `);
  return true;
}

/** Give the opened row a label. */
export function correct(label) {
  const isFinal = $("final").checked;
  change("correct", { label, final: isFinal, tags: page.tags }, describeLabel(label) + (isFinal ? ", decided" : ""));
}

/** Store the chosen tags with the person's answer to the opened row. */
export async function storeTags() {
  const { id } = page.opened;
  const found = await attempt(() => ask("tag", { id, tags: page.tags }));
  if (!found || page.opened?.id !== id) return;
  showOpened(found.row, false);
  $("last").textContent = found.said;
}

export async function withdraw() {
  $("last").textContent = UNDOING;
  if (await change("withdraw", {}, "answer undone")) send("next"); // the row comes first again
}

async function reopenAll() {
  $("found").textContent = UNDOING;
  const found = await attempt(() => ask("reopen"));
  if (!found) return;
  showCounts(found);
  done = `${countRows(found.n_rows)} will be shown again. `;
  await search();
  send("next");
}

async function turn(step) {
  start = Math.max(0, start + step);
  shownFrom = null;
  await search();
  focusList();
  scrollTo(0, 0);
}

$("search").addEventListener("input", () => {
  start = 0;
  done = "";
  clearTimeout(timer);
  timer = setTimeout(search, 200);
});
$("search").addEventListener("submit", (event) => {
  event.preventDefault();
  search().then(() => focusList());
});
$("final").addEventListener("change", () => setFinal($("final").checked));
onClick({
  earlier: () => turn(-PAGE),
  later: () => turn(PAGE),
  reopen: reopenAll,
  again: () => search(true),
  leave,
  back: goBack,
  "to-review": toggleReview,
});
