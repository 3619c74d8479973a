// The start of the page, the keyboard, and what other people do.

import { $, ask, attempt, fail } from "./server.js";
import { enlarge } from "./row.js";
import { TypeAhead } from "./typeahead.js";
import { current, page, send, showCounts, showTyped } from "./screen.js";
import { answer, showClasses, skip, toggleTag, undo } from "./label.js";
import {
  focusList, followChanges, goBack, pressInList, setMode, toggleFinal, toggleReview,
} from "./review.js";
import { openGuide, openHelp, openNote, skipWithReason } from "./dialogs.js";

const COMMANDS = { s: skip, S: skipWithReason, u: undo, "*": toggleReview, "!": openGuide,
  "#": openNote, "?": openHelp, "+": () => enlarge(2), "-": () => enlarge(0.5) };
const PERIOD = 1000; // milliseconds between two looks at what other people do
let word = ""; // letters that follow each other at once
let wordRow = null; // row on the screen when they were typed
let lastTime = 0; // of the last of them
let timer = 0;

async function begin() {
  const found = await attempt(() => ask("start"));
  if (!found) {
    $("counts").textContent = ""; // of what the error says, nothing is loading
    return;
  }
  page.mayDecide = found.may_decide;
  page.guide = found.guide;
  $("title").textContent = document.title = found.title || "Label";
  showCounts(found);
  $("to-guide").hidden = !found.guide;
  showClasses(found);
  setMode("label");
  await send("next", { last: found.prefixes });
  setTimeout(follow, PERIOD);
}

/** Show what other people have done, without touching what is typed. */
async function follow() {
  try {
    if (!document.hidden && !page.busy) {
      const row = current();
      const body = { version: page.version, ...(row && { id: row.id }) };
      await followChanges(await ask("changes", body));
    }
  } catch (error) {
    if ($("error").hidden) fail(error);
  }
  setTimeout(follow, PERIOD);
}

addEventListener("keydown", (event) => {
  const { key, target } = event;
  // a key that is held down, or a shortcut of the browser, is no answer
  if (event.repeat && key === "Enter") event.preventDefault();
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]")) return;
  const { typing } = page;
  const isLate = event.timeStamp > lastTime + TypeAhead.lineTime; // the page was busy
  if (isLate || ["Escape", "Backspace"].includes(key)) typeWord();
  const isField = target.type === "search";
  if (key === "Escape") {
    if (typing.typed) { typing.press(key); showTyped(); }
    else if (isField && $("list").children.length) focusList();
    else goBack();
    return;
  }
  if (isField && key !== "ArrowDown") return;
  if (page.mode === "list") {
    if (typing.continuesName(key)) event.preventDefault(); // of the correction before
    else pressInList(event, COMMANDS);
    return;
  }
  const isSend = key === "Enter" && typing.several
    && (target.closest("#classes") || !target.closest("button, summary, input"));
  if (isSend) event.preventDefault(); // the focused button of a class is not pressed
  const isTyping = Boolean(typing.typed || word);
  if (key.length > 1 && !isSend && !(isTyping && ["Enter", "Backspace"].includes(key))) {
    return;
  }
  if (key === " " && !isTyping && !page.busy) { // turns the page, or is in a name
    if (typing.continuesName(key)) event.preventDefault();
    return;
  }
  if (isTyping || key === "/") event.preventDefault(); // some browsers search then
  if (key === "=" && page.mode === "row" && !isTyping) return toggleFinal();
  const isZoom = !isTyping && "+-".includes(key) && !typing.find(key).classes.length;
  if (isZoom) return COMMANDS[key]();
  if (page.busy) return typing.findCommand(key) ? carryOut(typing.type(key), key) : typing.ignore(key);
  if (key.length > 1) return word ? typeWord(true) : carryOut(typing.press(key));
  if (!word) wordRow = current()?.id;
  word += key;
  lastTime = event.timeStamp;
  clearTimeout(timer);
  timer = setTimeout(typeWord, TypeAhead.lineTime);
});

// what was typed comes before what is clicked
addEventListener("click", () => typeWord(), true);

/** Type the letters that followed each other at once; Enter can have ended them. */
function typeWord(isEnded = false) {
  const letters = word;
  clearTimeout(timer);
  word = "";
  if (letters && wordRow === current()?.id) carryOut(page.typing.type(letters, isEnded), letters.at(-1));
}

function carryOut(pressed, key) {
  showTyped();
  if (pressed?.tag) toggleTag(pressed.tag);
  else if (pressed?.label !== undefined) answer(pressed.label);
  else if (pressed) (COMMANDS[key] ?? COMMANDS[pressed.command])?.();
}

// the address of a server that was started again, in the same tab
addEventListener("hashchange", () => location.reload());
begin();
