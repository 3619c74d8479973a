/**
 * Letters typed one by one; the first that leaves a single class answers. Letters that
 * follow each other within `lineTime` are one word: a class, or else nothing. If a row
 * may have several labels, a class is chosen or the choice is taken back, and Enter on
 * its own answers with all chosen labels: twice, if no label is chosen, or if a letter
 * was ignored that another class begins with.
 */
export class TypeAhead {
  static lineTime = 50; // milliseconds between two letters of a word
  // milliseconds after an answer in which letters that continue its name are ignored
  static nameTime = 1000;

  /**
   * What the server knows of keys: classes are {label, own, number}, choices the
   * {command} or {tag} of all that can be typed for one.
   */
  constructor(classes, choices, several = false, now = () => performance.now()) {
    this.classes = classes;
    this.choices = choices;
    this.several = several;
    this.now = now;
    this.start([]);
    this.typed = this.problem = this.rest = "";
    this.until = 0;
  }

  /** Return {command} or {tag} of what was typed. */
  findCommand(typed) {
    const keys = typed.toLowerCase();
    return Object.hasOwn(this.choices, keys) ? this.choices[keys] : undefined;
  }

  /** Return true if only the key of a tag is missing. */
  beginsTag(typed) {
    return Object.entries(this.choices).some(
      ([keys, { tag }]) => tag && keys.slice(0, -1) === typed.toLowerCase());
  }

  /** Return {answer, classes} for typed letters; no answer while several classes match. */
  find(typed, isWhole = false) {
    const key = typed.toLowerCase();
    const isSpelt = typed.startsWith("/");
    const letters = key.slice(isSpelt);
    const codes = ({ label, number }) => [label.toLowerCase(), ...(isSpelt ? [] : [number])];
    const found = this.classes.filter((each) => each.label.toLowerCase().startsWith(key)
      || codes(each).some((code) => code.startsWith(letters)));
    const sets = [
      this.classes.filter(({ own }) => own && own === key),
      found.filter(({ label }) => isWhole && label === typed),
      found.filter(({ label }) => isWhole && label === typed.slice(isSpelt)),
      found.filter((each) => isWhole && codes(each).some((code) => [letters, key].includes(code))),
      found,
    ];
    const [only] = sets.filter((each) => letters && each.length === 1);
    return only ? { answer: only[0], classes: only } : { answer: null, classes: found };
  }

  /** Begin with a row for which these labels are chosen. */
  start(chosen) {
    this.chosen = chosen;
    this.isWarned = this.isDoubtful = false;
  }

  /** Choose a label, or take the choice back; labels keep the order of classes. */
  toggle(label) {
    const isChosen = (each) => this.chosen.includes(each) !== (each === label);
    this.start(this.classes.map((each) => each.label).filter(isChosen));
  }

  /** Return the chosen labels; if that can be a mistake, only the second time. */
  send() {
    if (this.isWarned || (this.chosen.length && !this.isDoubtful)) return { label: this.chosen };
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
    else if ([...key].length === 1) return this.type(key);
    return null;
  }

  /** Take letters that were typed together; Enter can have ended them. */
  type(letters, isEnded = false) {
    this.problem = "";
    let rest = [...letters];
    let answer = null;
    while (rest.length && this.continuesName(rest[0])) rest = rest.slice(1);
    if (rest.length) {
      const command = this.findCommand(this.typed + rest.join(""));
      if (command) {
        this.typed = "";
        return command;
      }
      if (this.beginsTag(this.typed + rest.join(""))) {
        this.typed += rest.join("");
        return null;
      }
      answer = this.answer(this.typed + rest.join(""));
    } else if ([...letters].length === 1 && this.find(letters).classes.length) {
      this.isDoubtful = true;
      this.problem = `${letters} belongs to the name before; press it again`;
    }
    return isEnded && !answer && !this.problem ? this.press("Enter") : answer;
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
    if (this.typed || !isNext) {
      this.rest = "";
      return false;
    }
    this.ignore(key);
    return true;
  }

  answer(typed, isWhole = false) {
    const { answer, classes } = this.find(typed, isWhole);
    if (answer) {
      const key = typed.toLowerCase();
      const name = answer.label.toLowerCase();
      const part = [key, key.replace(/^\//, "")].find((letters) => name.startsWith(letters));
      this.rest = isWhole || part === undefined ? "" : name.slice(part.length);
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
