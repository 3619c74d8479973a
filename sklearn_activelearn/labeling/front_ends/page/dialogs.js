// Dialogs: help, guide, people, notes and reasons.

import { $, ask, attempt, make, onClick, who } from "./server.js";
import { facts } from "./row.js";
import { skip } from "./label.js";
import { current, page } from "./screen.js";

let isReason = false; // whether the text is the reason of a skip
let noted = null; // row that the dialog was opened for

/** Show a text; its lines that begin with # are headings. */
function showText(title, text) {
  $("text-title").textContent = title;
  $("text-body").replaceChildren(...text.split(/^#+ +(.*)$/m).map(
    (part, i) => (i % 2 ? make("strong", {}, part) : part)));
  $("text").showModal();
}

export function openGuide() {
  if (page.guide) showText("Guide", page.guide);
}

async function openPeople() {
  const found = await attempt(() => ask("people"));
  if (found) showText("People", found.lines.join("\n"));
}

export const openHelp = () => $("help").showModal();

export const openNote = () => askText(false);

export function skipWithReason() {
  if (page.mode === "label") askText(true);
}

function askText(forSkip) {
  noted = current();
  if (!noted || page.busy) return;
  isReason = forSkip;
  $("note-save").textContent = isReason ? "Skip" : "Save";
  $("note-title").textContent = isReason ? "Skip" : "Note";
  $("note-label").textContent = isReason ? "Why do you skip this row?" : "Your note on this row";
  const own = noted.notes.find((note) => note.who === who);
  $("note-text").value = isReason ? "" : own?.text ?? "";
  $("note").showModal();
  $("note-text").focus();
}

$("note-text").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey) return;
  event.preventDefault();
  $("note-form").requestSubmit();
});
$("note-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { id } = noted;
  const text = $("note-text").value.trim();
  $("note").close();
  if (isReason) return skip(text);
  const found = await attempt(() => ask("note", { id, text }));
  if (!found || current()?.id !== id) return;
  current().notes = found.row.notes;
  $("facts").replaceChildren(...facts(current(), page.mode === "row"));
  $("last").textContent = text ? "The note is saved" : "The note is removed";
});

for (const button of document.querySelectorAll("dialog .close")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
onClick({
  "to-guide": openGuide,
  "to-people": openPeople,
  "to-help": openHelp,
  "to-note": openNote,
});
