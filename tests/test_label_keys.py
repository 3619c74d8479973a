"""Keys, numbers and letters that people type for a class."""

import json
import random
import re
import shutil
import subprocess
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sklearn_activelearn.labeling.front_ends._keys import (
    BACKSPACE,
    COMMANDS,
    ENTER,
    ESCAPE,
    NAME_SECONDS,
    Choice,
    ClassKeys,
    TypeAhead,
    parse_line,
)

SCRIPT = files("sklearn_activelearn.labeling.front_ends").joinpath("page/typeahead.js")
TICKETS = [
    "privacy", "pricing", "delivery", "refund", "quality", "support", "shipping",
    "usability", "bug", "praise", "other", "spam",
]  # fmt: skip
MANY = [
    f"{kind} {letter}{i}" for kind in ("animal", "quartz") for letter in "abcde"
    for i in range(11)
]  # fmt: skip


class TestClassKeys:
    @pytest.mark.parametrize(
        ("classes", "keys"),
        [
            (["good", "Bad"], [["1", "g"], ["2", "b"]]),
            (["great", "good"], [["1", "gr"], ["2", "go"]]),
            (["spam", "ham"], [["1", "s"], ["2", "h"]]),  # /s skips
            (["a b", "a c", "/x"], [["1", "a b"], ["2", "a c"], ["3"]]),
            (["good", "good enough"], [["1"], ["2"]]),
            (["Good", "good"], [["1"], ["2"]]),
            (["1", "0"], [["1"], ["0"]]),
            (["10", "9"], [["1"], ["9"]]),
            (["2018", "2019"], [["2018"], ["2019"]]),
            (["5 stars", "1 star", "none"], [["5"], ["1"], ["2", "n"]]),
            (["none", "1"], [["2", "n"], ["1"]]),
            ([1, -1, 10], [["1"], ["2", "-"], ["10"]]),
            ([True, False], [["1", "t"], ["2", "f"]]),
        ],
    )
    def test_shown(self, classes, keys):
        assert list(ClassKeys(classes).shown.values()) == keys

    def test_own_keys(self):
        keys = ClassKeys(TICKETS, {"spam": "X", "other": "1", "support": "p"})
        assert keys.shown["spam"] == ["x", "23", "sp"]
        assert keys.shown["other"] == ["1", "22", "o"]
        assert keys.shown["praise"] == ["21"]  # p is another class
        assert keys.find("x") == keys.find("X") == ("spam", ["spam"])
        assert keys.find("1").label == "other"
        assert keys.find("p").label == "support"
        assert keys.find("/pra").label == "praise"

    @pytest.mark.parametrize(
        ("own", "why"),
        [
            ({"span": "x"}, "'span' is not one of the classes"),
            ({"spam": "x", "bug": "X"}, "'x' is the key of two classes"),
            ({"spam": "xy"}, "'xy', the key of 'spam', is not one character"),
            ({"spam": ""}, "is not one character"),
            ({"spam": " "}, "is not one character"),
            ({"spam": "\t"}, "is not one character"),
            *(({"spam": key}, "is a command") for key in sorted(COMMANDS)),
            ({"spam": "S"}, "is a command"),
        ],
    )
    def test_keys_that_cannot_be(self, own, why):
        with pytest.raises(ValueError, match=why):
            ClassKeys(TICKETS, own)

    @pytest.mark.parametrize("classes", [TICKETS, MANY])
    def test_all_that_is_shown_answers(self, classes):
        keys = ClassKeys(classes)
        typed = [(key, label) for label, ks in keys.shown.items() for key in ks]
        assert len({key for key, _ in typed}) == len(typed)
        assert all(keys.find(key, is_whole=True).label == label for key, label in typed)
        assert all(keys.find(f"/{label}", is_whole=True).label == label
                   for label in classes)  # fmt: skip
        # letters may become what begins with them, and no answer too early
        for letters in {label[:n] for label in classes for n in range(1, 5)}:
            found = keys.find(f"/{letters}")
            assert found.classes == [c for c in classes if c.startswith(letters)]
            assert (found.label is not None) == (len(found.classes) == 1)


def type_letters(keys, letters):
    """Return what comes of keys that are pressed: answers, and problems."""
    typing, found = TypeAhead(ClassKeys(*keys), lambda: 0.0), []
    for letter in re.findall(r"<\w+>|.", letters):
        answer = typing.press(letter.strip("<>"))
        if answer is not None:
            found.append(answer.command or answer.value)
        if typing.problem:
            found.append((typing.problem, typing.typed))
    return found


class TestTypeAhead:
    @pytest.mark.parametrize(
        ("letters", "found"),
        [
            ("d", ["delivery"]),
            ("priv", ["privacy"]),
            ("PRIV", ["privacy"]),
            ("pri<backspace><backspace>ra", ["praise"]),
            ("pr<escape>o", ["other"]),
            ("2", ["pricing"]),
            ("12", ["spam"]),
            ("1<enter>", ["privacy"]),
            ("<enter>", []),
            ("?*!#/?/#", [*"?*!#?#"]),  # nothing is typed
            ("/s/u/q/S", [*"suqs"]),
            (
                "suqsx<enter>h",
                [
                    "support",
                    "quality",
                    ("sx: no class; ? for help", "s"),
                    ("s: 3 classes; type more", "s"),
                    "shipping",
                ],
            ),
            ("/pra", ["praise"]),
        ],
    )
    def test_answers(self, letters, found):
        assert type_letters([TICKETS], letters) == found

    def test_a_name_that_another_one_begins_with(self):
        assert type_letters([["good", "good enough"]], "good<enter>") == ["good"]
        assert type_letters([["good", "good enough"]], "good ") == ["good enough"]

    def test_a_wrong_key_keeps_what_was_typed(self):
        wrong = ("prz: no class; ? for help", "pr")
        assert type_letters([TICKETS], "prziv") == [wrong, "privacy"]
        several = ("pr: 3 classes; type more", "pr")
        assert type_letters([TICKETS], "pr<enter>a") == [several, "praise"]

    def test_a_name_typed_to_its_end_is_one_answer(self):
        now = [0.0]
        typing = TypeAhead(ClassKeys(["refund", "bug", "spam"]), lambda: now[0])
        answers = []
        for letter in "refund":
            now[0] += 0.9  # within a second of the letter before
            answers.append(typing.press(letter))
        assert [answer and answer.value for answer in answers] == [
            "refund",
            *[None] * 5,
        ]
        typing.clear()  # the next row is shown
        assert typing.press("r").value == "refund"
        now[0] += NAME_SECONDS + 0.1
        assert typing.press("e") is None
        assert typing.problem == "e: no class; ? for help"

    @pytest.mark.parametrize(
        ("keys", "letters", "found"),
        [
            ([["bilo", "idea", "lost"]], "bil", ["bilo"]),
            ([["privacy", "pricing", "act"]], "priva", ["privacy"]),
            ([["bug", "x"], {"x": "g"}], "bug", ["bug"]),
            ([["unclear", "quite"]], "qu", ["quite"]),
        ],
    )
    def test_a_letter_of_a_name_is_no_answer_to_the_next_row(
        self, keys, letters, found
    ):
        hint = f"{letters[-1]} belongs to the name before; press it again"
        both = type_letters(keys, letters)
        assert [each for each in both if isinstance(each, str)] == found
        assert (hint, "") in both

    @pytest.mark.parametrize(
        ("classes", "letters", "found"),
        [
            (["issue", "other"], "issueu", ["issue", "u"]),  # of the name first
            (["good", "bad"], "gbg", ["good", "bad", "good"]),
            (["bilo", "idea"], "bii", ["bilo", "idea"]),  # the second time
        ],
    )
    def test_other_letters_are_answers_at_once(self, classes, letters, found):
        both = type_letters([classes], letters)
        assert [each for each in both if isinstance(each, str)] == found

    def test_letters_that_came_before_the_next_row_are_of_the_name(self):
        now = [0.0]
        typing = TypeAhead(ClassKeys(["shipping", "shop", "gig"]), lambda: now[0])
        for letter in "shi":
            typing.press(letter)
        now[0] = 5  # of training
        for letter in "pp":
            typing.ignore(letter)
        assert typing.press("i") is typing.press("n") is None
        assert typing.problem == ""
        assert typing.press("g") is None  # the last letter of the name
        assert typing.press("g").value == "gig"
        for letter in "shi":
            typing.press(letter)
        for letter in "px":
            typing.ignore(letter)
        typing.press("p")
        assert typing.problem == "p: no class; ? for help"


#: Letters of commands, of the prefix and of classes.
LETTERS = "suqSUQ/?*!#ab -1"


@given(
    st.lists(st.text(LETTERS, min_size=1, max_size=5).map(str.strip).filter(bool),
             min_size=2, max_size=5, unique_by=str.lower),
    st.data(),
)  # fmt: skip
@example(["spam", "ham"], None)
@example(["square", "circle"], None)
@example(["unclear", "quite"], None)
@example(["/spam", "quite", "undo it"], None)
@example(["?", "//"], None)
def test_a_class_that_is_typed_is_that_class(classes, data):
    """At once or letter by letter, and in a line: no command, and no other class."""
    keys = ClassKeys(classes)
    for label in classes:
        gaps = [0.3] * len(label)
        if data is not None:
            gaps = data.draw(st.lists(st.floats(0, 0.99), min_size=len(label),
                                      max_size=len(label)))  # fmt: skip
        assert parse_line(label, keys) == Choice(None, label)
        assert TypeAhead(keys).type(label, is_ended=True) == Choice(None, label)
        now = [0.0]
        typing = TypeAhead(keys, lambda: now[0])  # noqa: B023
        given = []
        for key, gap in zip([*label, ENTER], [*gaps, 0.1], strict=True):
            now[0] += gap
            given.append(typing.press(key))
        assert list(filter(None, given)) == [Choice(None, label)]


@given(st.lists(st.text(LETTERS, min_size=1, max_size=4), min_size=2, unique=True))
def test_each_command_has_keys_that_begin_no_class(classes):
    keys = ClassKeys(classes)
    assert len({*keys.commands.values()}) == len(keys.commands)
    for command, typed in keys.commands.items():
        assert not any(label.lower().startswith(typed) for label in classes)
        assert TypeAhead(keys).type(typed) == Choice(command)
        if not any(label.lower().startswith(f"/{typed}") for label in classes):
            assert TypeAhead(keys).type(f"/{typed}") == Choice(command)
        is_said = f"{typed} to " in keys.describe_prefixes()
        assert is_said == (typed != command)
    needed = keys.describe_prefixes(but=[*"suq?*!#"])
    assert needed == ""


class TestWords:
    @pytest.mark.parametrize(
        "word", ["quit", "question", "su", "us", "undo", "??", "qqqq", "bad idea"]
    )
    def test_a_word_that_is_no_class_does_nothing(self, word):
        for several in (False, True):
            typing = TypeAhead(ClassKeys(["good", "bad"], several=several))
            assert typing.type(word, is_ended=True) is None
            assert typing.problem == f"{word}: no class; ? for help"
            assert typing.typed == ""
            assert typing.chosen == []

    def test_a_word_is_the_rest_of_a_name_or_goes_on_with_letters(self):
        typing = TypeAhead(ClassKeys(["good", "bad", "pricing", "privacy"]))
        assert typing.press("g").value == "good"
        assert typing.type("ood") is None
        assert typing.problem == ""
        assert typing.press("p") is None
        assert typing.type("riv").value == "privacy"

    def test_enter_behind_a_word_sends_labels_unless_it_ends_a_name(self):
        typing = TypeAhead(ClassKeys(["good", "good enough", "bad"], several=True))
        assert typing.type("good", is_ended=True) is None
        assert typing.type("bad", is_ended=True) == Choice(None, ["good", "bad"])

    def test_which_commands_need_a_prefix_is_said(self):
        said = ClassKeys(["spam", "quite"]).describe_prefixes()
        assert said == "Type /s to skip, /q to quit: a class begins with the key."
        assert ClassKeys(["good", "bad"]).describe_prefixes() == ""
        assert ClassKeys(["quite", "b"]).describe_prefixes(but=["q"]) == ""


class TestSeveral:
    def press(self, typing, keys):
        return [typing.press(ENTER if key == "\r" else key) for key in keys]

    def test_letters_choose_and_enter_sends(self):
        typing = TypeAhead(ClassKeys(["refund", "bug", "spam"], several=True))
        assert self.press(typing, "3r") == [None, None]
        assert typing.chosen == ["refund", "spam"]  # in the order of the classes
        assert typing.describe_enter() == "Enter: refund, spam"
        assert self.press(typing, "b3\r")[-1] == Choice(None, ["refund", "bug"])

    def test_that_no_label_applies_is_said_twice_for_one_row(self):
        typing = TypeAhead(ClassKeys(["refund", "bug"], several=True))
        assert typing.describe_enter() == "Enter: no label applies"
        assert self.press(typing, "\r") == [None]
        assert typing.describe_enter() == "Enter again: no label applies"
        assert self.press(typing, "\r") == [Choice(None, [])]
        typing.start()
        assert self.press(typing, "\r") == [None]
        assert self.press(typing, "bb\r") == [None, None, None]  # chosen, taken back
        assert self.press(typing, "\r") == [Choice(None, [])]

    def test_a_letter_that_could_be_a_label_is_not_lost_in_silence(self):
        typing = TypeAhead(ClassKeys(["refund", "error"], several=True))
        assert self.press(typing, "re") == [None, None]
        assert typing.chosen == ["refund"]
        assert typing.problem == "e belongs to the name before; press it again"
        assert self.press(typing, "\r") == [None]
        assert typing.describe_enter() == "Enter again: refund"
        assert self.press(typing, "e\r")[-1] == Choice(None, ["refund", "error"])


class TestLines:
    @pytest.mark.parametrize(
        ("line", "answer"),
        [
            (" spam ", Choice(None, "spam")),
            ("/s", Choice("s")),
            ("?", Choice("?")),
            ("/s too dark", Choice("s", "too dark")),
            ("# a pity", Choice("#", "a pity")),
            ("priv", Choice(None, "privacy")),
            ("1", Choice(None, "privacy")),
            ("/bug", Choice(None, "bug")),
        ],
    )
    def test_answers(self, line, answer):
        assert parse_line(line, ClassKeys(TICKETS)) == answer

    def test_a_reason_or_a_note_behind_the_key_of_a_class(self):
        keys = ClassKeys(["good", "bad"])
        assert parse_line("s too dark", keys) == Choice("s", "too dark")
        assert parse_line("/s too dark", keys) == Choice("s", "too dark")
        for typed, spelt, what in (
            ("s too dark", "/s too dark", "skip"), ("# sad", "/# sad", "write a note"),
        ):  # fmt: skip
            why = rf"'{typed}' is not an answer; type '{spelt}' to {what}: a class"
            with pytest.raises(ValueError, match=why):
                parse_line(typed, ClassKeys(["so-so", "#1"]))

    def test_a_class_that_is_named_as_a_command(self):
        keys = ClassKeys(["s", "q", "s t"])
        assert parse_line("s", keys) == Choice(None, "s")
        assert parse_line("/s", keys) == Choice("s")
        assert parse_line("/u", ClassKeys(["/u", "u"])) == Choice(None, "/u")
        assert parse_line("//u", ClassKeys(["/u", "u"])) == Choice("u")
        assert parse_line("2", keys) == Choice(None, "q")
        assert parse_line("s t", keys) == Choice(None, "s t")

    @pytest.mark.parametrize("line", ["", "x" * 99])
    def test_no_answer(self, line):
        with pytest.raises(
            ValueError, match=r"is not an answer. Type one of: privacy, "
        ):
            parse_line(line, ClassKeys(TICKETS))


#: From lists of classes and keys with gaps in seconds to what comes of each key.
ON_THE_PAGE = """
const cases = JSON.parse(require("fs").readFileSync(0));
const outcomes = cases.map(([{ classes, choices, several }, keys]) => {
  let now = 0;
  const typing = new TypeAhead(classes, choices, several, () => now);
  return keys.map(([key, gap, isEnded]) => {
    if (gap === null) typing.ignore(key);
    else now += 1000 * gap;
    const type = () => isEnded === null ? typing.press(key) : typing.type(key, isEnded);
    const done = gap === null ? null : type();
    return [done?.command ?? null, done?.label ?? null, typing.typed, typing.chosen];
  });
});
console.log(JSON.stringify(outcomes));
"""
PAGE_KEYS = {ENTER: "Enter", ESCAPE: "Escape", BACKSPACE: "Backspace"}


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node here")
def test_the_page_takes_keys_as_the_terminal_does():
    rng, cases, outcomes = random.Random(0), [], []
    lists = [
        (TICKETS, {"spam": "x", "bug": "p"}), (["good", "good enough", "Good"], {}),
        (["5 stars", "1 star", "s", "?!", "/x", "/u", "u"], {"s": "5"}), (MANY, {}),
        (["bilo", "idea", "lost", "other"], {}),
    ]  # fmt: skip
    for number, (classes, own) in enumerate(lists * 12):
        letters = [*"".join(classes[:20]), *"suq?*!#/0123", *PAGE_KEYS]
        names = [*rng.choices(letters, k=20), *rng.choice(classes)] * 2
        names += [*rng.choices(classes, k=5), "/s", "quit", "/u"]
        pressed = []
        for key in names:
            gap = rng.choice([0, 0, 0.7, 2 * NAME_SECONDS, None])
            is_ended = rng.choice([True, False, None])  # None: a key on its own
            if key in PAGE_KEYS:
                is_ended = None
            elif len(key) > 1:
                gap, is_ended = gap or 0, bool(is_ended)
            pressed.append((key, gap, is_ended))
        keys, now, found = ClassKeys(classes, own, bool(number % 2)), 0.0, []
        typing = TypeAhead(keys, lambda: now)  # noqa: B023
        for key, gap, is_ended in pressed:
            if gap is None:  # the next row is not there yet
                if len(key) == 1:
                    typing.ignore(key)
                done = Choice(None)
            else:
                now += gap
                if is_ended is None:
                    done = typing.press(key)
                else:
                    done = typing.type(key, is_ended=is_ended)
                done = done or Choice(None)
            found.append([done.command, done.value, typing.typed, typing.chosen])
        outcomes.append(found)
        pressed = [(PAGE_KEYS.get(key, key), *rest) for key, *rest in pressed]
        cases.append([keys.as_json(), pressed])
    node = subprocess.run(
        ["node", "-e", SCRIPT.read_text().replace("export ", "") + ON_THE_PAGE],
        input=json.dumps(cases), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(node.stdout) == outcomes
    labels = [label for found in outcomes for _, label, *_ in found]
    assert sum(isinstance(label, str) for label in labels) > 100
    assert sum(isinstance(label, list) for label in labels) > 5
