const KEYS = {
  "letters": "of a class, until one is left; or its key. Enter takes a whole name or number",
  "/": "before a name that begins with s, u or a sign; in the list: search",
  "s": "skips the row; S (with Shift) asks why",
  "u": "takes back your last answer and shows that row again",
  "*": "rows that were answered: search, open and correct them; Esc comes back",
  "#": "a note on this row",
  "!": "the guide",
  "+ −": "the size of an image; the arrow keys move it",
  "Esc": "one step back",
};
const SIZES = [87.5, 100, 112.5, 125, 150, 175, 200];
let size = Number(settings.get("size")) || 100;
let giveReason = false;
let noted = null; // the row that the dialog was opened for

function toggleGuide() {
  if (!$("to-guide").hidden) $("guide").showModal();
}

function toggleHelp() {
  $("keywords").value = keywords.join(", ");
  $("help").showModal();
}

/** Return a line of the guide as nodes: `code` and **strong** words are understood. */
function inline(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**") && part.length > 4) return make("strong", {}, part.slice(2, -2));
    if (part.startsWith("`") && part.length > 2) return make("code", {}, part.slice(1, -1));
    return part;
  });
}

function showGuide(blocks) {
  const nodes = [];
  for (const { kind, text } of blocks) {
    if (kind === "item") {
      if (nodes.at(-1)?.tagName !== "UL") nodes.push(make("ul"));
      nodes.at(-1).append(make("li", { dir: "auto" }, ...inline(text)));
    } else nodes.push(make(kind === "heading" ? "h3" : "p", { dir: "auto" }, ...inline(text)));
  }
  $("guide-text").replaceChildren(...nodes);
  $("to-guide").hidden = !blocks.length;
}

async function showPeople() {
  const found = await attempt(() => ask("people"));
  if (!found) return;
  const head = ["person", "labelled", "skipped"].map((name) => make("th", { scope: "col" }, name));
  const rows = found.people.map((person) => make("tr", {},
    make("th", { scope: "row" }, person.who || "without a name"),
    make("td", {}, `${person.labelled}`), make("td", {}, `${person.skipped}`)));
  const sentences = found.sentences.slice(found.people.filter((person) => person.who).length);
  $("people-text").replaceChildren(
    make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows)),
    ...sentences.map((words) => make("p", {}, words)));
  $("people").showModal();
}

function openNote() {
  askText(false);
}

function skipWithReason() {
  if (mode === "label") askText(true);
}

function askText(isReason) {
  const row = current();
  if (!row || busy) return;
  noted = row;
  giveReason = isReason;
  $("note-title").textContent = isReason ? "Skip" : "Note";
  $("note-label").textContent = isReason ? "Why is this row skipped?" : "Your note on this row";
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
  if (giveReason) return send("skip", { id: row.id, reason: text }, "Skipped");
  const found = await attempt(() => ask("note", { id: row.id, text }));
  if (!found || current()?.id !== row.id) return;
  row.notes = found.notes;
  $("facts").replaceChildren(...facts(row, mode === "row"));
  $("last").textContent = text ? "The note is saved" : "The note is taken away";
});

function setSize(to) {
  size = to;
  document.documentElement.style.fontSize = `${size}%`;
  $("size").textContent = `${size} %`;
  settings.set("size", `${size}`);
}

function step(by) {
  const at = SIZES.findIndex((each) => each >= size);
  setSize(SIZES[Math.min(SIZES.length - 1, Math.max(0, at + by))]);
}

for (const button of document.querySelectorAll("dialog .close")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
$("smaller").addEventListener("click", () => step(-1));
$("larger").addEventListener("click", () => step(1));
$("keywords").addEventListener("change", () => {
  keywords = splitWords($("keywords").value);
  settings.set("keywords", keywords.join(","));
});
$("help").addEventListener("close", async () => {
  const row = current();
  if (row && row.kind !== "image") $("card").replaceChildren(await content(row));
});
$("to-guide").addEventListener("click", toggleGuide);
$("to-people").addEventListener("click", showPeople);
$("to-help").addEventListener("click", toggleHelp);
$("to-note").addEventListener("click", openNote);
$("keys").append(...Object.entries(KEYS).flatMap(([key, words]) => [
  make("dt", {}, make("kbd", {}, key)), make("dd", {}, words),
]));
setSize(size);
$("more").open = innerWidth >= 640;
