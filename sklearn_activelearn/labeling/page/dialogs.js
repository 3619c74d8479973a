// Dialogs: help, guide, people, notes and reasons.

import { $, ask, attempt, make, onClick, settings, who } from "./server.js";
import { content, facts, getKeywords, setKeywords } from "./row.js";
import { current, page, send } from "./label.js";

const KEYS = {
  "letters": "of a class, until one is left; or its key. Enter ends a name or number",
  "/": "before a name that begins with s, u or a sign; in the list: search",
  "s": "skips the row; S (with Shift) asks why",
  "u": "undoes your last answer and shows that row again",
  "*": "rows that were answered: search, open and correct them; Esc comes back",
  "=": "in an opened row with several votes: the next class decides for all",
  "#": "a note on this row",
  "!": "the guide",
  "+ −": "the size of an image; the arrow keys move it",
  "Esc": "one step back",
};
const SIZES = [87.5, 100, 112.5, 125, 150, 175, 200];
let size = Number(settings.get("size")) || 100;
let guide = "";
let isReason = false; // whether the text is the reason of a skip
let noted = null; // row that the dialog was opened for

function showText(title, text) {
  $("text-title").textContent = title;
  $("text-body").textContent = text;
  $("text").showModal();
}

export function setGuide(text) {
  guide = text;
  $("to-guide").hidden = !text;
}

export function openGuide() {
  if (guide) showText("Guide", guide);
}

async function openPeople() {
  const found = await attempt(() => ask("people"));
  if (found) showText("People", found.lines.join("\n"));
}

export function openHelp() {
  $("keywords").value = getKeywords();
  $("help").showModal();
}

export const openNote = () => askText(false);

export function skipWithReason() {
  if (page.mode === "label") askText(true);
}

function askText(forSkip) {
  const row = current();
  if (!row || page.busy) return;
  noted = row;
  isReason = forSkip;
  $("note-title").textContent = isReason ? "Skip" : "Note";
  $("note-label").textContent = isReason ? "Why do you skip this row?" : "Your note on this row";
  $("note-save").textContent = isReason ? "Skip" : "Save";
  const own = row.notes.find((note) => note.who === who);
  $("note-text").value = isReason ? "" : own?.text ?? "";
  $("note").showModal();
  $("note-text").focus();
}

$("note-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const row = noted;
  const text = $("note-text").value.trim();
  $("note").close();
  if (isReason) return send("skip", { id: row.id, reason: text }, "Skipped");
  const found = await attempt(() => ask("note", { id: row.id, text }));
  if (!found || current()?.id !== row.id) return;
  current().notes = found.notes;
  $("facts").replaceChildren(...facts(current(), page.mode === "row"));
  $("last").textContent = text ? "The note is saved" : "The note is removed";
});

function setSize(to) {
  size = to;
  document.documentElement.style.fontSize = `${size}%`;
  $("size").textContent = `${size} %`;
  settings.set("size", `${size}`);
}

function stepSize(by) {
  const at = SIZES.findIndex((each) => each >= size);
  setSize(SIZES[Math.min(SIZES.length - 1, Math.max(0, at + by))]);
}

for (const button of document.querySelectorAll("dialog .close")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
$("keywords").addEventListener("change", () => setKeywords($("keywords").value));
$("help").addEventListener("close", async () => {
  const row = current();
  if (row && row.kind !== "image") $("card").replaceChildren(await content(row));
});
onClick({
  smaller: () => stepSize(-1),
  larger: () => stepSize(1),
  "to-guide": openGuide,
  "to-people": openPeople,
  "to-help": openHelp,
  "to-note": openNote,
});
$("keys").append(...Object.entries(KEYS).flatMap(([key, words]) => [
  make("dt", {}, make("kbd", {}, key)), make("dd", {}, words),
]));
setSize(size);
