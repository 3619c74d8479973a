/** Letters typed one by one; the first that leaves a single class answers. */
export class TypeAhead {
  static commands = "suq?*!#"; // as long as nothing is typed
  // milliseconds in which a letter that continues the name of the last answer is ignored,
  // if no class begins with it, and milliseconds in which it is ignored in any case
  static nameTime = 1000;
  static typingTime = 400;

  /** Classes are {label, own, number}: what the server knows of their keys. */
  constructor(classes, now = () => performance.now()) {
    this.classes = classes;
    this.now = now;
    this.typed = this.problem = this.rest = "";
    this.isInName = false;
    this.last = 0;
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

  /** Take the key of an event; return {command}, {label}, or null if more is needed. */
  press(key) {
    this.problem = "";
    if (key === "Escape") this.typed = "";
    else if (key === "Backspace") this.typed = this.typed.slice(0, -1);
    else if (key === "Enter") return this.typed ? this.answer(this.typed, true) : null;
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
    this.isInName = this.rest[0] === key.toLowerCase();
    this.rest = this.isInName ? this.rest.slice(1) : "";
    this.last = this.now();
  }

  /** Return true if a key only continues the name of the last answer. */
  continuesName(key) {
    key = key.toLowerCase();
    const gap = this.now() - this.last;
    const isNext = this.rest !== "" && this.rest[0] === key && gap <= TypeAhead.nameTime;
    const isCommand = TypeAhead.commands.includes(key) || key === "/";
    const beginsClass = !isCommand && this.find(key).classes.length > 0;
    const isAnswer = beginsClass && !this.isInName && gap > TypeAhead.typingTime;
    if (this.typed || !isNext || isAnswer) {
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
      this.isInName = false;
      this.last = this.now();
      this.typed = "";
      return { label: answer.label };
    }
    if (!classes.length) this.problem = `${typed}: no class`;
    else {
      this.typed = typed;
      if (isWhole) this.problem = `${typed}: ${classes.length} classes; type more`;
    }
    return null;
  }
}
