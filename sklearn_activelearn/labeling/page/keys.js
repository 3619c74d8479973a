const COMMANDS = { s: skip, S: skipWithReason, u: undo, "*": toggleReview, "!": toggleGuide,
  "#": openNote, "?": toggleHelp, "+": () => enlarge(2), "-": () => enlarge(0.5) };
let typing = new TypeAhead([]);

/** Show what is typed, and the classes that it may become. */
function showTyped() {
  const { typed, problem } = typing;
  const found = typing.find(typed).classes.map(({ label }) => label);
  for (const button of $("classes").children) {
    button.hidden = !found.includes(button.dataset.label);
  }
  const whole = typing.find(typed, true).answer;
  const enter = whole ? `. Enter: ${whole.label}` : "";
  $("typed").textContent = problem ||
    (typed ? `Typed: ${typed}. ${found.length} classes${enter}` : "");
  $("typed").hidden = !$("typed").textContent;
}

addEventListener("keydown", (event) => {
  // a key that is held down, or a browser's shortcut, is no answer
  if (event.repeat && event.key === "Enter") event.preventDefault();
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const dialog = document.querySelector("dialog[open]");
  // the field of a dialog that was closed has the focus for a moment longer
  const isField = event.target.getClientRects().length > 0 &&
    event.target.matches("input:not([type=radio], [type=checkbox]), select");
  if (dialog) {
    const own = { guide: "!", help: "?" }[dialog.id];
    if (key === own && !isField) { event.preventDefault(); dialog.close(); }
    return;
  }
  if (key === "Escape") {
    if (typing.typed) { typing.press(key); showTyped(); }
    else if (isField) { event.target.blur(); focusList(); }
    else goBack();
    return;
  }
  if (isField) {
    if (key === "ArrowDown" && event.target.type === "search") { event.preventDefault(); focusList(); }
    return;
  }
  if (mode === "list") {
    if (typing.isRest(key.toLowerCase())) event.preventDefault(); // of a correction
    else listKey(event);
    return;
  }
  if (key.length > 1 && !(typing.typed && ["Enter", "Backspace"].includes(key))) return;
  if (key === " " && !typing.typed && !busy) { // turns the page, or is of a name
    if (typing.isRest(key)) event.preventDefault();
    return;
  }
  if (typing.typed || key === "/") event.preventDefault(); // some browsers search then
  const isZoom = !typing.typed && "+-".includes(key) && !typing.find(key).classes.length;
  if (busy && !isZoom && !TypeAhead.commands.includes(key.toLowerCase())) {
    return typing.forget(key);
  }
  const pressed = isZoom ? { command: key } : typing.press(key);
  showTyped();
  if (pressed?.label !== undefined) return answer(pressed.label);
  const command = pressed && (COMMANDS[key] ?? COMMANDS[pressed.command]);
  if (!command) return;
  event.preventDefault();
  command();
});
