/** Letters narrow the classes; the last one that is needed answers. */
class TypeAhead {
  static commands = "suq?*!#"; // of the terminal, as long as nothing is typed
  // ms after a letter in which the next one of the same name is no answer; after one
  // that was enough alone nobody can have read the next row in less
  static afterwards = 1000;
  static briefly = 500;

  /** Classes are {label, own, number}: what the server knows of their keys. */
  constructor(classes, now = () => performance.now()) {
    this.classes = classes;
    this.now = now;
    this.typed = this.problem = this.rest = "";
    this.until = 0;
  }

  /** What typed letters stand for: {answer, classes}; no answer while there are more. */
  find(typed, isWhole = false) {
    const key = typed.toLowerCase();
    const own = this.classes.find((each) => each.own && each.own === key);
    if (own) return { answer: own, classes: [own] };
    const isSpelt = typed.startsWith("/");
    const exact = this.classes.find(({ label }) => label === typed.slice(isSpelt));
    if (isWhole && exact) return { answer: exact, classes: [exact] };
    const letters = key.slice(isSpelt);
    const codes = ({ label, number }) =>
      isSpelt ? [label.toLowerCase()] : [label.toLowerCase(), number];
    const found = this.classes.filter(
      (each) => codes(each).some((code) => code.startsWith(letters))
    );
    const whole = found.filter((each) => isWhole && codes(each).includes(letters));
    for (const answers of [whole, found]) {
      if (letters && answers.length === 1) return { answer: answers[0], classes: answers };
    }
    return { answer: null, classes: found };
  }

  /** Take a key as events name it; return {command}, {label} or, if more is needed, null. */
  press(key) {
    this.problem = "";
    if (key === "Escape") this.typed = "";
    else if (key === "Backspace") this.typed = this.typed.slice(0, -1);
    else if (key === "Enter") return this.typed ? this.answer(this.typed, true) : null;
    else if ([...key].length === 1 && !this.isRest(key.toLowerCase())) {
      const command = key.toLowerCase();
      if (!this.typed && TypeAhead.commands.includes(command)) return { command };
      return this.answer(this.typed + key);
    }
    return null;
  }

  /** Take a key that is no answer; it may go on with the name before it. */
  forget(key) {
    if ([...key].length > 1) return;
    this.rest = this.rest[0] === key.toLowerCase() ? this.rest.slice(1) : "";
    this.until = this.now() + TypeAhead.afterwards;
  }

  answer(typed, isWhole = false) {
    const { answer, classes } = this.find(typed, isWhole);
    if (answer) {
      const letters = typed.toLowerCase().replace(/^\//, "");
      const name = answer.label.toLowerCase();
      const isPart = !isWhole && name.startsWith(letters);
      this.rest = isPart ? name.slice(letters.length) : "";
      this.until = this.now() + (this.typed ? TypeAhead.afterwards : TypeAhead.briefly);
      this.typed = "";
      return { label: answer.label };
    }
    if (!classes.length) this.problem = `${typed}: no class`;
    else {
      this.typed = typed;
      if (isWhole) this.problem = `${typed}: ${classes.length} classes; go on typing`;
    }
    return null;
  }

  /** Whether a key goes on with the name that was enough already. */
  isRest(key) {
    if (this.typed || this.now() > this.until || !this.rest || this.rest[0] !== key) {
      this.rest = "";
      return false;
    }
    this.rest = this.rest.slice(1);
    this.until = this.now() + TypeAhead.afterwards;
    return true;
  }
}
