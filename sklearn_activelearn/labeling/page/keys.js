const COMMANDS = { s: skip, S: skipWithReason, u: undo, "*": toggleReview, "!": toggleGuide,
  "#": openNote, "?": toggleHelp, "+": () => enlarge(2), "-": () => enlarge(0.5) };
const AFTERWARDS = 1000; // milliseconds in which further letters of a name are no answer
let typed = "";
let rest = "";
let until = 0;

/** The classes that typed letters may become. */
function candidates(letters) {
  const isSpelt = letters.startsWith("/");
  const start = letters.replace(/^\//, "").toLowerCase();
  return classes.filter(({ label, keys }) => {
    const codes = [label.toLowerCase(), ...(isSpelt ? [] : keys)];
    return codes.some((code) => code.startsWith(start));
  });
}

function exact(letters) {
  const name = letters.replace(/^\//, "").toLowerCase();
  return classes.find(({ label }) => label === name) ??
    classes.find(({ label, keys }) => label.toLowerCase() === name || keys.includes(name));
}

/** Take a letter of an answer; the last one that is needed answers. */
function type(letters) {
  const found = candidates(letters);
  const start = letters.replace(/^\//, "");
  if (start && found.length === 1) {
    const name = found[0].label.toLowerCase();
    if (name.startsWith(start.toLowerCase())) {
      [rest, until] = [name.slice(start.length), Date.now() + AFTERWARDS];
    }
    showTyped("");
    answer(found[0].label);
  } else if (found.length) showTyped(letters);
  else showTyped(typed, `${letters}: no class`);
}

function showTyped(letters, problem = "") {
  typed = letters;
  const found = candidates(letters).map(({ label }) => label);
  for (const button of $("classes").children) {
    button.hidden = !found.includes(button.dataset.label);
  }
  $("typed").textContent = problem || (letters ? `Typed: ${letters}. ${found.length} classes` : "");
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
    if (typed) showTyped("");
    else if (isField) { event.target.blur(); focusList(); }
    else goBack();
    return;
  }
  if (isField) {
    if (key === "ArrowDown" && event.target.type === "search") { event.preventDefault(); focusList(); }
    return;
  }
  if (mode === "list") return listKey(event);
  if (key === "Enter" && typed) {
    event.preventDefault();
    const found = exact(typed);
    if (found) { showTyped(""); answer(found.label); }
    return;
  }
  if (key === "Backspace" && typed) return showTyped(typed.slice(0, -1));
  if (key.length !== 1 || key === " ") return;
  if (!typed && rest && Date.now() < until && rest[0] === key.toLowerCase()) {
    rest = rest.slice(1);
    return;
  }
  rest = "";
  const own = classes.find(({ keys }) => keys.includes(key.toLowerCase()));
  const command = COMMANDS[key] ?? COMMANDS[key.toLowerCase()];
  if (!typed && command && !own) {
    event.preventDefault();
    return command();
  }
  if (current() && !busy) type(typed + key);
});
