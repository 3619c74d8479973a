// What both views share: the state of the page, requests, and what is on the screen.

import { $, ask, attempt, describeLabel, fail, make } from "./server.js";
import { content, facts } from "./row.js";
import { TypeAhead } from "./typeahead.js";

export const page = {
  view: null, // row to label, as the server sent it
  opened: null, // row opened from a list
  mode: "label", // "label", "list", or "row" for an opened row
  busy: false, // a key pressed now would answer a row that is not on the screen
  version: 0, // of the session that is shown
  mayDecide: false, // whether this person can make final decisions
  guide: "", // meaning of the classes
  tags: [], // that are chosen for the row
  typing: new TypeAhead([], {}),
};

/** Return the row that an answer is for; none in the list. */
export function current() {
  return { label: page.view?.row, row: page.opened }[page.mode] ?? null;
}

/** Send a request that returns the next row, and show it; keys do nothing meanwhile. */
export async function send(verb, body = {}, words = "") {
  if (page.busy) return;
  page.busy = true;
  setWaiting(true);
  $("error").hidden = true;
  $("last").textContent = words; // until the server confirms it
  try {
    page.view = await ask(verb, body);
    if (page.view.is_training) {
      $("last").textContent = `${page.view.last}. The next row follows the training.`;
      page.view = await ask("next", { last: page.view.last });
    }
    await show();
    showAdvice().catch(fail);
  } catch (error) {
    $("last").textContent = page.view?.last ?? "";
    fail(error);
  }
  setWaiting(false);
  page.busy = false;
}

const setWaiting = (is) => $("card").setAttribute("aria-busy", `${is}`);

export async function show() {
  const { view } = page;
  showCounts(view);
  page.version = view.version;
  if (page.mode !== "label") return; // it is shown when the person comes back
  $("last").textContent = view.last;
  for (const id of ["why", "prediction"]) {
    $(id).textContent = view[id];
    $(id).hidden = !view[id];
  }
  const { row, ending } = view;
  $("facts").replaceChildren(...(row ? facts(row, false) : []));
  const shown = row ? await content(row) : make("p", {}, ending);
  if (page.mode !== "label" || page.view.row !== row) return; // an image came late
  $("card").replaceChildren(shown);
  markLabels([]);
  showTags([]);
  scrollTo(0, 0);
}

export function showCounts({ counts, share }) {
  $("counts").textContent = counts;
  $("share").value = share;
}

/** Show which tags are chosen. */
export function showTags(tags) {
  page.tags = tags;
  for (const button of $("tags").children) {
    button.setAttribute("aria-pressed", `${tags.includes(button.dataset.tag)}`);
  }
}

/** Show which labels a row has; several can then be chosen and taken back. */
export function markLabels(labels) {
  page.typing.start(labels);
  if (page.typing.several) return showTyped();
  for (const button of $("classes").children) {
    if (page.mode === "label") button.removeAttribute("aria-pressed");
    else button.setAttribute("aria-pressed", `${labels.includes(button.dataset.label)}`);
  }
}

/** Show what is typed, and the classes that match it. */
export function showTyped() {
  const { typed, problem, several, chosen, isWarned } = page.typing;
  const found = page.typing.find(typed).classes.map(({ label }) => label);
  for (const button of $("classes").children) {
    const { label } = button.dataset;
    button.hidden = !found.includes(label);
    if (several) button.setAttribute("aria-pressed", `${chosen.includes(label)}`);
  }
  $("send-word").textContent = `${isWarned ? "Again, to send" : "Send"}: ${describeLabel(chosen)}`;
  const whole = page.typing.find(typed, true).answer;
  const enter = whole ? `. Enter: ${whole.label}` : "";
  $("typed").textContent = problem ||
    (typed ? `Typed: ${typed}. ${found.length} classes${enter}` : "");
  $("typed").hidden = !$("typed").textContent;
}

/** Show the learning curve and the advice. */
async function showAdvice() {
  if (!$("details").open) return;
  const { advice, plot, words } = await ask("advice");
  $("advice").textContent = advice;
  $("plot").hidden = !plot;
  const { color } = getComputedStyle($("advice"));
  const svg = plot.replace("<svg ", `<svg color="${color}" `);
  URL.revokeObjectURL($("plot").src);
  $("plot").src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  $("plot").alt = words;
}

$("details").addEventListener("toggle", () => attempt(showAdvice));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => showAdvice().catch(fail));
