// Answers: a class, a skip, or taking the last one back.

import { $, make, makeButton, onClick } from "./server.js";
import { correct, withdraw } from "./review.js";
import { current, page, send } from "./screen.js";
import { TypeAhead } from "./typeahead.js";

export function showClasses(classes) {
  page.typing = new TypeAhead(classes);
  $("classes").append(...classes.map(({ label, keys }) => makeButton(
    () => answer(label), { "aria-keyshortcuts": keys.join(" "), "data-label": label },
    ...keys.flatMap((key) => [make("kbd", {}, key), " "]), label)));
}

export function answer(label) {
  if (page.mode === "row") correct(label);
  else if (current()) send("label", { id: current().id, label }, label);
}

export function skip(reason = "") {
  if (page.mode === "label" && current()) send("skip", { id: current().id, reason }, "Skipped");
}

export function undo() {
  if (page.mode === "row") withdraw();
  else if (page.mode === "label") send("undo", {}, "Undoing");
}

onClick({ skip, undo });
