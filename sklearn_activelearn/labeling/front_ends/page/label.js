// Answers: a class, a skip, or taking the last one back.

import { $, describeLabel, make, makeButton, onClick } from "./server.js";
import { correct, storeTags, withdraw } from "./review.js";
import { current, page, send, showTags, showTyped } from "./screen.js";
import { TypeAhead } from "./typeahead.js";

export function showClasses({ classes, several, tags, commands, choices, usage }) {
  page.typing = new TypeAhead(classes, choices, several);
  $("tags").hidden = !tags.length;
  $("tags").append(...tags.map(([tag, keys]) => makeButton(
    () => toggleTag(tag), { "data-tag": tag, "aria-pressed": "false" }, make("kbd", {}, keys), " ", tag)));
  $("send").hidden = !several;
  for (const kbd of document.querySelectorAll("kbd")) {
    kbd.textContent = commands[kbd.textContent] ?? kbd.textContent;
  }
  $("keys").append(...usage.flatMap(([key, what]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, what)]));
  $("classes").append(...classes.map(({ label, keys }) => makeButton(
    () => (several ? toggle(label) : answer(label)), { "aria-keyshortcuts": keys.join(" "), "data-label": label },
    ...keys.flatMap((key) => [make("kbd", {}, key), " "]), label)));
}

/** Choose a tag, or take it back; tags keep the order of their buttons. */
export function toggleTag(tag) {
  if (page.busy || !current()) return;
  page.typing.press("Escape");
  const isChosen = (each) => page.tags.includes(each) !== (each === tag);
  showTags([...$("tags").children].map(({ dataset }) => dataset.tag).filter(isChosen));
  showTyped();
  if (page.mode === "row") storeTags();
}

function toggle(label) {
  if (page.busy) return;
  page.typing.press("Escape");
  page.typing.toggle(label);
  showTyped();
}

/** Send the chosen labels; a second time, if there are none. */
function sendChosen() {
  const chosen = page.busy ? null : page.typing.send();
  showTyped();
  if (chosen) answer(chosen.label);
}

export function answer(label) {
  if (page.mode === "row") correct(label);
  else if (current()) send("label", { id: current().id, label, tags: page.tags }, describeLabel(label));
}

export function skip(reason = "") {
  if (page.mode === "label" && current()) send("skip", { id: current().id, reason, tags: page.tags }, "Skipped");
}

export function undo() {
  if (page.mode === "row") withdraw();
  else if (page.mode === "label") send("undo", {}, "Undoing");
}

onClick({ skip, undo, send: sendChosen });
