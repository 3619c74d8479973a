"""What people type for a class: keys, numbers, letters, and what fits on a screen."""

import json
import random
import shutil
import subprocess
from importlib.resources import files

import pytest

from sklearn_activelearn.labeling import _screen as screen
from sklearn_activelearn.labeling._keyboard import BACKSPACE, ENTER, ESCAPE
from sklearn_activelearn.labeling._keys import COMMANDS, ClassKeys
from sklearn_activelearn.labeling._typeahead import (
    AFTERWARDS,
    BRIEFLY,
    Choice,
    TypeAhead,
    parse_line,
)

SCRIPT = files("sklearn_activelearn.labeling").joinpath("page/typeahead.js")
TICKETS = [
    "privacy", "pricing", "delivery", "refund", "quality", "support", "shipping",
    "usability", "bug", "praise", "other", "spam",
]  # fmt: skip
MANY = [
    f"{kind} {letter}{i}" for kind in ("animal", "quartz") for letter in "abcde"
    for i in range(50)
]  # fmt: skip


class TestClassKeys:
    @pytest.mark.parametrize(
        ("classes", "keys"),
        [
            (["good", "Bad"], [["1", "g"], ["2", "b"]]),
            (["great", "good"], [["1", "gr"], ["2", "go"]]),
            (["spam", "ham"], [["1"], ["2", "h"]]),  # s skips
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
        assert keys.shown["spam"] == ["x", "23"]
        assert keys.shown["other"] == ["1", "22", "o"]
        assert keys.shown["praise"] == ["21"]  # p is another class
        assert keys.find("x") == keys.find("X") == (True, "spam", ["spam"])
        assert keys.find("1").label == "other"
        assert keys.find("p").label == "support"
        assert keys.find("/pra").label == "praise"

    @pytest.mark.parametrize(
        ("own", "why"),
        [
            ({"span": "x"}, "'span' is none of the classes"),
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

    def test_nothing_is_no_answer(self):
        assert not ClassKeys(["none", "1"]).find("", is_whole=True).is_answer
        assert not ClassKeys(["none", "1"]).find("/", is_whole=True).is_answer

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
            assert found.is_answer == (len(found.classes) == 1)


def typed(keys, letters, clock=lambda: 0.0):
    """Return what comes of keys that are pressed: answers, and problems."""
    typing, found = TypeAhead(ClassKeys(*keys), clock), []
    for letter in letters:
        answer = typing.press(letter)
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
            ("pri\x7f\x7fra", ["praise"]),
            ("pr\x1bo", ["other"]),
            ("2", ["pricing"]),
            ("12", ["spam"]),
            (f"1{ENTER}", ["privacy"]),
            (ENTER, []),
            ("squ?*!#", [*"squ?*!#"]),  # nothing is typed
            ("/spus", ["spam", "u", "s"]),
            ("/su", ["support"]),
            ("/q", ["quality"]),
            ("bs", ["bug", "s"]),
        ],
    )
    def test_answers(self, letters, found):
        assert typed([TICKETS], letters) == found

    def test_a_name_that_another_one_begins_with(self):
        assert typed([["good", "good enough"]], f"good{ENTER}") == ["good"]
        assert typed([["good", "good enough"]], "good ") == ["good enough"]

    def test_commands_are_letters_once_something_is_typed(self):
        assert typed([["bus", "buq", "bu?"]], "busbuqbu?") == ["bus", "buq", "bu?"]

    def test_a_wrong_key_keeps_what_was_typed(self):
        wrong = ("prz: no class; ? for help", "pr")
        assert typed([TICKETS], "prziv") == [wrong, "privacy"]
        several = ("pr: 3 classes; go on typing", "pr")
        assert typed([TICKETS], f"pr{ENTER}a") == [several, "praise"]

    def test_a_name_typed_to_its_end_is_one_answer(self):
        now = [0.0]

        def clock():
            return now[0]

        typing = TypeAhead(ClassKeys(["privacy", "pricing", "vacation", "y"]), clock)
        answers = [typing.press(letter) for letter in "privacy"]
        assert [a.value for a in answers if a] == ["privacy"]
        typing.clear()  # the next row is shown
        assert typing.press("v").value == "vacation"
        for letter in "priv":
            typing.press(letter)
        now[0] = AFTERWARDS + 0.1
        assert typing.press("v").value == "vacation"  # not "a": a letter of another

    def test_slow_letters_are_the_next_answer(self):
        now = [0.0]
        typing = TypeAhead(ClassKeys(["privacy", "pricing", "act"]), lambda: now[0])
        assert [typing.press(letter) for letter in "priv"][-1].value == "privacy"
        now[0] = AFTERWARDS + 0.1
        assert typing.press("a").value == "act"

    def test_letters_that_came_before_the_next_row_are_of_the_name(self):
        now = [0.0]
        typing = TypeAhead(ClassKeys(["shipping", "shop", "pig"]), lambda: now[0])
        for letter in "/shi":
            typing.press(letter)
        now[0] = 5  # of training
        typing.forget(["p", "p"])
        assert typing.press("i") is typing.press("n") is typing.press("g") is None
        assert typing.typed == ""
        assert typing.press("p").value == "pig"
        for letter in "/shi":
            typing.press(letter)
        typing.forget(["p", "x"])
        assert typing.press("p").value == "pig"

    def test_one_letter_that_is_enough_is_a_key_to_who_is_slower(self):
        now = [0.0]
        typing = TypeAhead(ClassKeys(["good", "other"]), lambda: now[0])
        assert typing.press("g").value == "good"
        assert typing.press("o") is None
        now[0] = AFTERWARDS - 0.1  # a name is spelt: "oo" is of it
        assert typing.press("o") is None
        now[0] += AFTERWARDS + 0.1
        assert typing.press("g").value == "good"
        now[0] += BRIEFLY + 0.1
        assert typing.press("o").value == "other"

    def test_what_is_no_letter_of_the_name_is_an_answer_at_once(self):
        assert typed([["good", "bad"]], "gbg") == ["good", "bad", "good"]
        assert typed([["spam", "pasta"], {"spam": "x"}], "xp") == ["spam", "pasta"]
        assert typed([["spam", "pasta"]], "1p") == ["spam", "pasta"]

    def test_keys_that_edit(self):
        typing = TypeAhead(ClassKeys(TICKETS))
        for key, left in (("p", "p"), ("r", "pr"), (BACKSPACE, "p"), (ESCAPE, "")):
            assert typing.press(key) is None
            assert typing.typed == left
        assert len(typing.classes) == len(TICKETS)


class TestLines:
    @pytest.mark.parametrize(
        ("line", "answer"),
        [
            (" spam ", Choice(None, "spam")),
            ("s", Choice("s")),
            ("s too dark", Choice("s", "too dark")),
            ("# a pity", Choice("#", "a pity")),
            ("priv", Choice(None, "privacy")),
            ("1", Choice(None, "privacy")),
            ("/bug", Choice(None, "bug")),
        ],
    )
    def test_answers(self, line, answer):
        assert parse_line(line, ClassKeys(TICKETS)) == answer

    def test_a_class_that_is_named_as_a_command(self):
        keys = ClassKeys(["s", "q", "s t"])
        assert parse_line("s", keys) == Choice("s")
        assert parse_line("/s", keys) == Choice(None, "s")
        assert parse_line("2", keys) == Choice(None, "q")
        assert parse_line("s t", keys) == Choice(None, "s t")

    @pytest.mark.parametrize("line", ["", "x" * 99])
    def test_no_answer(self, line):
        with pytest.raises(ValueError, match=r"is no answer; answers are privacy, "):
            parse_line(line, ClassKeys(TICKETS))

    def test_two_answers(self):
        why = "'pri' begins several answers; answers are privacy, pricing, s"
        with pytest.raises(ValueError, match=why):
            parse_line("pri", ClassKeys(TICKETS))


class TestScreen:
    @pytest.mark.parametrize("width", [80, 40, 20])
    @pytest.mark.parametrize(
        "text", ["one two " * 99, "日本語の文章です。" * 30, "x" * 999, "x" + "語" * 99]
    )
    def test_lines_fit(self, monkeypatch, width, text):
        monkeypatch.setenv("COLUMNS", f"{width}")
        lines = screen.lines_of(f"{text}\n\nend", hanging="  ")
        assert max(map(screen.n_columns, lines)) <= width
        assert "".join("".join(lines).split()) == "".join(f"{text}end".split())
        cut = screen.cut(text, width)
        assert screen.n_columns(cut) <= width
        assert cut.endswith("…")
        assert text.startswith(cut[:-1])

    @pytest.mark.parametrize("letter", ["🚚", "語", "e\u0301"])
    def test_a_wide_letter_takes_no_room_from_the_others(self, monkeypatch, letter):
        monkeypatch.setenv("COLUMNS", "40")
        lines = screen.lines_of(f"a word and {letter} " * 20)
        assert all(30 < screen.n_columns(line) <= 40 for line in lines[:-1])

    @pytest.mark.parametrize("width", [80, 40])
    @pytest.mark.parametrize("n_lines", [1, 2, 5])
    def test_items_are_not_broken_and_all_are_counted(
        self, monkeypatch, width, n_lines
    ):
        monkeypatch.setenv("COLUMNS", f"{width}")
        items = [f"[{i}] {label}" for i, label in enumerate(MANY)]
        lines = screen.packed(items, n_lines, "… and {} more")
        assert len(lines) == n_lines
        assert max(map(len, lines)) <= width
        shown = screen.GAP.join(lines).split(screen.GAP)
        assert shown[:-1] == items[: len(shown) - 1]
        assert shown[-1] == f"… and {len(items) - len(shown) + 1} more"
        assert screen.GAP.join(screen.packed(items)).split(screen.GAP) == items

    def test_pages(self):
        pages, seen = screen.Pages([f"{i}" for i in range(25)]), []
        while True:
            *page, where = pages.shown(11)
            seen += page
            assert len(page) <= 10
            if not pages.turn(1):
                break
        assert seen == [f"{i}" for i in range(25)]
        assert pages.is_last
        assert where.startswith("── lines 21–25 of 25, PgUp: back ")
        assert pages.turn(-1)
        assert pages.shown(11)[0] == "10"
        assert pages.shown(8)[:7] == [f"{i}" for i in range(10, 17)]  # a lower screen
        assert pages.shown() == [f"{i}" for i in range(25)]
        assert not pages.turn(1)
        assert not pages.turn(-1)

    def test_what_is_typed_is_in_one_line(self, monkeypatch, capsys):
        monkeypatch.setenv("COLUMNS", "20")
        screen.type_in_line("pr", "[1] privacy  [2] pricing")
        screen.type_in_line("a line that is longer than the screen")
        out = capsys.readouterr().out
        assert "\n" not in out
        first, second = out.split(screen.ERASE)[1:]
        assert first == "> pr  [1] privacy …\r\x1b[4C"
        assert second == "ger than the screen\r\x1b[19C"


#: From lists of classes and keys with gaps in seconds to what comes of each key.
ON_THE_PAGE = """
const outcomes = JSON.parse(require("fs").readFileSync(0)).map(([classes, keys]) => {
  let now = 0;
  const typing = new TypeAhead(classes, () => now);
  return keys.map(([key, gap]) => {
    if (gap === null) typing.forget(key);
    else now += 1000 * gap;
    const done = gap === null ? null : typing.press(key);
    return [done?.command ?? null, done?.label ?? null, typing.typed];
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
        (["5 stars", "1 star", "s", "?!", "/x"], {"s": "5"}), (MANY, {}),
    ]  # fmt: skip
    for classes, own in lists * 12:
        letters = "".join(classes[:20]) + "suq?*!#/0123\n\x1b\x7f\n"
        names = [*rng.choices(letters, k=20), *rng.choice(classes)] * 2
        pressed = [
            (key, rng.choice([0, 0, 0.7, 2 * AFTERWARDS, None])) for key in names
        ]
        keys, now, found = ClassKeys(classes, own), 0.0, []
        typing = TypeAhead(keys, lambda: now)  # noqa: B023
        for key, gap in pressed:
            if gap is None:  # the next row is not there yet
                typing.forget([key] if key.isprintable() else [])
                done = Choice(None)
            else:
                now += gap
                done = typing.press(key) or Choice(None)
            found.append([done.command, done.value, typing.typed])
        outcomes.append(found)
        pressed = [(PAGE_KEYS.get(key, key), gap) for key, gap in pressed]
        cases.append([list(keys.as_json().values()), pressed])
    node = subprocess.run(
        ["node", "-e", SCRIPT.read_text() + ON_THE_PAGE],
        input=json.dumps(cases), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(node.stdout) == outcomes
    assert sum(label is not None for found in outcomes for _, label, _ in found) > 100
