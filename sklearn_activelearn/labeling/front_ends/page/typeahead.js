/**
 * Letters typed one by one; the first that leaves a single class answers. If a row may
 * have several labels, it chooses the label or takes the choice back, and Enter on its
 * own answers with all chosen labels: twice, if no label is chosen.
 */
export class TypeAhead {
  static commands = "suq?*!#"; // as long as nothing is typed
  // milliseconds after an answer in which letters that continue its name are ignored
  static nameTime = 1000;

  /** Classes are {label, own, number}: what the server knows of their keys. */
  constructor(classes, now = () => performance.now(), several = false) {
    this.classes = classes;
    this.now = now;
    this.several = several;
    this.start([]);
    this.typed = this.problem = this.rest = "";
    this.until = 0;
  }

  /** Return {answer, classes} for typed letters; no answer while several classes match. */
  find(typed, isWhole = false) {
    const key = typed.toLowerCase();
    const isSpelt = typed.startsWith("/");
    const letters = key.slice(isSpelt);
    const codes = ({ label, number }) => [label.toLowerCase(), ...(isSpelt ? [] : [number])];
    const found = this.classes.filter(
      (each) => codes(each).some((code) => code.startsWith(letters)));
    const sets = [
      this.classes.filter(({ own }) => own && own === key),
      found.filter(({ label }) => isWhole && label === typed.slice(isSpelt)),
      found.filter((each) => isWhole && codes(each).includes(letters)),
      found,
    ];
    const [only] = sets.filter((each) => letters && each.length === 1);
    return only ? { answer: only[0], classes: only } : { answer: null, classes: found };
  }

  /** Begin with a row for which these labels are chosen. */
  start(chosen) {
    this.chosen = chosen;
    this.isWarned = false;
  }

  /** Choose a label, or take the choice back; labels keep the order of classes. */
  toggle(label) {
    const isChosen = (each) => this.chosen.includes(each) !== (each === label);
    this.start(this.classes.map((each) => each.label).filter(isChosen));
  }

  /** Return the chosen labels; that there are none must be said twice. */
  send() {
    if (this.chosen.length || this.isWarned) return { label: this.chosen };
    this.isWarned = true;
    return null;
  }

  /** Take the key of an event; return {command}, {label}, or null if more is needed. */
  press(key) {
    this.problem = "";
    if (key === "Escape") this.typed = "";
    else if (key === "Backspace") this.typed = this.typed.slice(0, -1);
    else if (key === "Enter" && this.typed) return this.answer(this.typed, true);
    else if (key === "Enter") return this.several ? this.send() : null;
    else if ([...key].length === 1 && !this.continuesName(key)) {
      const command = key.toLowerCase();
      if (!this.typed && TypeAhead.commands.includes(command)) return { command };
      return this.answer(this.typed + key);
    }
    return null;
  }

  /** Take a key that came before the next row was shown. */
  ignore(key) {
    if ([...key].length > 1) return;
    this.rest = this.rest[0] === key.toLowerCase() ? this.rest.slice(1) : "";
    this.until = this.now() + TypeAhead.nameTime;
  }

  /** Return true if a key only continues the name of the last answer. */
  continuesName(key) {
    key = key.toLowerCase();
    const isNext = this.rest !== "" && this.rest[0] === key && this.now() <= this.until;
    const isCommand = TypeAhead.commands.includes(key) || key === "/";
    if (this.typed || !isNext || (!isCommand && this.find(key).classes.length)) {
      this.rest = "";
      return false;
    }
    this.ignore(key);
    return true;
  }

  answer(typed, isWhole = false) {
    const { answer, classes } = this.find(typed, isWhole);
    if (answer) {
      const letters = typed.toLowerCase().replace(/^\//, "");
      const name = answer.label.toLowerCase();
      const isPart = !isWhole && name.startsWith(letters);
      this.rest = isPart ? name.slice(letters.length) : "";
      this.until = this.now() + TypeAhead.nameTime;
      this.typed = "";
      if (!this.several) return { label: answer.label };
      this.toggle(answer.label);
      return null;
    }
    if (!classes.length) this.problem = `${typed}: no class`;
    else {
      this.typed = typed;
      if (isWhole) this.problem = `${typed}: ${classes.length} classes; type more`;
    }
    return null;
  }
}
