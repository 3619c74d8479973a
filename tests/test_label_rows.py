"""The terminal: rows, lists, guide and notes, by lines and by keys on a screen."""

import re
import sys
import threading
import time
from contextlib import ExitStack
from datetime import datetime
from queue import Queue
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed")
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling.front_ends import _screen as screen
from sklearn_activelearn.labeling.front_ends import _terminal as terminal
from sklearn_activelearn.labeling.front_ends._keys import ClassKeys
from sklearn_activelearn.labeling.front_ends._terminal import (
    label_by_lines,
    label_in_terminal,
)
from sklearn_activelearn.labeling.front_ends._view import LabelingView, parse_search

CLASSES = ["good", "bad", "so-so"]
PREFIXES = "Type /s to skip: a class begins with the key."
ENTER, ESCAPE, PAGE_UP, CTRL_C, CTRL_D = "\r", "\x1b", "\x1b[5~", "\x03", "\x04"
ALT_G, ARROW, F1 = "\x1bg", "\x1b[C", "\x1bOP"
PASTE = "\x1b[200~{}\x1b[201~"


@pytest.fixture
def in_auckland(monkeypatch):
    """Set the time zone to one that is 13 hours ahead of UTC."""
    monkeypatch.setenv("TZ", "NZST-12NZDT,M9.5.0,M4.1.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def open_view(folder):
    """Return a function that opens a session of twenty texts."""
    with ExitStack() as stack:

        def run(*, classes=CLASSES, texts=None, votes=1, **options):
            session = LabelingSession(
                UncertaintySamplingClassifier(random_state=0, batch_size=5),
                np.random.RandomState(0).randn(20, 2), folder / "a.sqlite",
                items=texts or [f"text {i} of words" for i in range(20)],
                ids=[f"r{i}" for i in range(20)], classes=classes, ahead=1,
                votes=votes, twins="ask",
            )  # fmt: skip
            return LabelingView(stack.enter_context(session), "text", **options)

        yield run


class Output(DummyOutput):
    """A terminal of a given size whose output is not looked at."""

    def __init__(self, columns, rows):
        self._size = Size(rows, columns)

    def get_size(self):
        return self._size


@pytest.fixture
def press(open_view, monkeypatch):
    """Return a function that presses keys, and returns what the screen showed before.

    Each key is pressed when the screen shows what came of the key before.
    """
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))

    def read_screen(app):
        screen = app.renderer.last_rendered_screen
        if screen is None:
            return ""
        # rows and characters that are missing are added by [], while they are drawn
        rows = [screen.data_buffer.get(y, {}) for y in range(screen.height)]
        lines = [[row[x].char if x in row else " " for x in range(100)] for row in rows]
        text = "\n".join(map("".join, lines))
        return re.sub(" +\n", "\n", text).rstrip()

    def run(*keys, size=(80, 24), who=None, view=None, end=CTRL_D, **options):
        view = view or open_view(**options)
        shown = []
        with (
            create_pipe_input() as pipe,
            create_app_session(pipe, Output(*size)) as app_session,
        ):

            def wait_for(is_true):
                deadline = time.monotonic() + 60
                while not (is_true() or is_over.is_set()):
                    assert time.monotonic() < deadline
                    time.sleep(0.002)

            def wait_for_screen(n_keys):
                """Wait until keys are handled, and what came of them is drawn."""
                wait_for(
                    lambda: (
                        screens and screens[0].is_waiting() and pressed >= n_keys
                        and screens[0]._drawing is screens[0]._page
                    )
                )  # fmt: skip
                if (app := app_session.app) is None or is_over.is_set():
                    return ""
                if n_keys == 0:
                    app.after_render += lambda _: drawn.set()
                drawn.clear()
                app.invalidate()  # the newest page is drawn, now or once more
                wait_for(drawn.is_set)
                return read_screen(app)

            def type_keys():
                nonlocal pressed
                text = wait_for_screen(0)
                app_session.app.key_processor.after_key_press += count_key
                for key in [*keys, end]:
                    shown.append(text)
                    n_pressed = pressed
                    pipe.send_text(key)
                    text = wait_for_screen(n_pressed + 1) if key != end else ""
                if not is_over.wait(20):  # it does not end: the test fails
                    pipe.send_text(CTRL_C)

            def count_key(_):
                nonlocal pressed
                pressed += 1

            class Watched(terminal.Screen):
                """A screen that says whether all its keys are handled."""

                def __init__(self):
                    super().__init__()
                    self._keys, self._n_handled = CountedKeys(), -1
                    screens.append(self)

                def _take(self, until=None):
                    if until is None and not self._ahead:
                        self._n_handled = self._keys.n_taken  # before the next key
                    return super()._take(until)

                def is_waiting(self):
                    return self._n_handled == self._keys.n_put

            screens, pressed = [], 0
            is_over, drawn = threading.Event(), threading.Event()
            monkeypatch.setattr(terminal, "Screen", Watched)
            typist = threading.Thread(target=type_keys)
            typist.start()
            try:
                label_in_terminal(view, who=who)
            finally:
                is_over.set()
                typist.join()
                monkeypatch.setattr(terminal, "Screen", Watched.__base__)
        return shown

    return run


class CountedKeys(Queue):
    """A queue that counts what is put into it, and what is taken."""

    n_put = n_taken = 0

    def put(self, item):
        self.n_put += 1
        super().put(item)

    def get(self, timeout=None):
        item = super().get(timeout=timeout)
        self.n_taken += 1
        return item


def run_at_once(target, args, daemon):
    """Take the place of a thread, to wait for what it does."""
    return SimpleNamespace(start=lambda: target(*args), is_alive=lambda: False)


def labels_of(session):
    return [row.label for row in session.review("labelled").rows]


class TestKeys:
    def test_answers_skips_and_undo(self, open_view, press):
        view = open_view()
        shown = press("g", "1", "/s", "u", "b", "so", "x", view=view)
        assert shown[0].splitlines()[::2][:2] == [PREFIXES, "0 labelled, 20 left"]
        assert PREFIXES not in "".join(shown[1:])
        assert "[1/g] good  [2/b] bad  [3/s] so-so" in shown[0]
        assert re.search(r"^Row r\d+: good\n", shown[1])
        assert "1 skipped" in shown[3]
        assert "answer undone" in shown[4]
        assert "4 labelled (good: 2, bad: 1, so-so: 1)" in shown[6]
        assert "> x" not in shown[7]
        assert "x: no class; ? for help" in shown[7]
        assert sorted(labels_of(view.session)) == ["bad", "good", "good", "so-so"]

    @pytest.mark.parametrize("keys", ["g\rb\r2", f"g{PAGE_UP}b{PAGE_UP}2"])
    def test_keys_pressed_before_the_next_row_is_shown_are_no_answers(
        self, open_view, press, keys
    ):
        """They arrive at once; Enter and other keys that are no letters end a word."""
        view = open_view()
        press(keys, "1", view=view)
        assert labels_of(view.session) == ["good", "good"]

    def test_letters_that_arrive_at_once_are_one_word(self, open_view, press):
        view = open_view()
        shown = press("gb2", "so-so", view=view)
        assert "gb2: no class; ? for help" in shown[1]
        assert labels_of(view.session) == ["so-so"]

    @pytest.mark.parametrize(
        "keys", [[ARROW, F1], [ALT_G], [PASTE.format("good\n1")], ["\x7f", ENTER]]
    )
    def test_other_keys_are_no_answers(self, open_view, press, keys):
        view = open_view()
        press(*keys, view=view)
        assert view.session.status().answered == 0

    def test_a_name_is_typed_to_its_end(self, open_view, press):
        """Also after a correction, and with a space and an S in it."""
        view = open_view(classes=["fine Snap", "Yes", "other"])
        press(*"fine Snap", "*", "1", *"fine Snap", "1", "y", "q", view=view)
        assert labels_of(view.session) == ["Yes"]
        assert view.session.status().skipped == 0

    @pytest.mark.parametrize(
        ("classes", "skip"), [(CLASSES, "/S"), (["good", "bad"], "S")]
    )
    def test_a_reason_and_a_note_are_edited(self, open_view, press, classes, skip):
        view = open_view(classes=classes)
        press(
            skip, *"tooo", "\x7f", " ", PASTE.format("dark\nto see"), ENTER,
            skip, *"no", ESCAPE, "#", *"hard", ENTER, "#", "!", ENTER, view=view,
            who="ann",
        )  # fmt: skip
        (row,) = view.session.review("skipped").rows
        assert row.answers[0].reason == "too dark to see"
        (row,) = view.session.review("noted").rows
        assert [note.text for note in row.notes] == ["hard!"]
        assert view.session.status().skipped == 1

    def test_help_does_not_wait_for_the_advice(self, open_view, press, monkeypatch):
        """Space at the end of the help does not leave it, so that q does not quit."""

        def advise(self):
            is_computed.wait(20)
            return "The model is fine."

        is_computed, view = threading.Event(), open_view()
        monkeypatch.setattr(LabelingSession, "advice", advise)
        shown = press("?", " ", "q", "?", "q", "g", view=view)
        assert "undo your last answer" in shown[1]
        assert "How good is the model? Please wait" in shown[1]
        assert shown[2] == shown[1]
        is_computed.set()
        assert labels_of(view.session) == ["good"]
        monkeypatch.setattr(terminal, "Thread", run_at_once)
        assert "The model is fine." in press("?", view=view)[1]

    def test_ctrl_c_loses_nothing(self, open_view, press):
        view = open_view()
        with pytest.raises(KeyboardInterrupt):
            press("g", "b", view=view, end=CTRL_C)
        assert view.session.status().answered == 2

    def test_an_error_of_the_file_is_shown_and_labelling_goes_on(
        self, open_view, press, monkeypatch
    ):
        def fail(self, *args):
            calls.append(args)
            if len(calls) == 1:
                raise OSError("The disk is full.")
            return label_row(self, *args)

        calls, label_row, view = [], LabelingView.label, open_view()
        monkeypatch.setattr(LabelingView, "label", fail)
        shown = press("g", "b", "g", view=view)
        assert shown[1].startswith("The disk is full. Press a key to continue.\n")
        assert [label for _, label, *_ in calls] == ["good", "good"]  # b went on
        assert labels_of(view.session) == ["good"]

    def test_when_no_row_is_left_the_list_is_there(self, open_view, press):
        view = open_view(votes=2)
        for who, label in (("ann", "good"), ("bob", "bad")):
            for row_id in view.session.ids:
                view.session.label(row_id, label, who)
        shown = press("g", "s", "*", "d", "1", "=", "b", "q", "u", view=view, who="ann")
        assert "people disagree are left: 20." in " ".join(shown[0].split())
        assert all("There is no row to label." in text for text in shown[1:3])
        assert "[=] a class decides now" in shown[6]
        assert "Disputed rows: 19" in shown[7]
        assert "answer undone" in shown[-1]

    def test_without_votes_and_a_name_nothing_is_decided(self, open_view, press):
        view = open_view()
        shown = press("g", "*", "1", "=", "b", "q", view=view, who="ann")
        assert "=: no class" in shown[4]
        assert labels_of(view.session) == ["bad"]
        assert not view.session.review().rows[0].answers[-1].is_final


class TestLists:
    def test_a_row_is_opened_and_corrected_and_that_is_undone(self, open_view, press):
        view = open_view()
        shown = press("g", "g", "/s", "*", "2", "b", "1", "u", "q", "s", view=view)
        assert "── Labelled rows: 2 ─" in shown[4]
        assert re.match(r"Row r\d+: bad\n── Labelled rows: 2", shown[6])
        assert re.match(r"Row r\d+: answer undone\n── Labelled rows: 2", shown[8])
        assert sorted(labels_of(view.session)) == ["good", "good", "so-so"]

    @pytest.mark.parametrize("letter", ["w", "語 "])
    def test_a_row_has_two_lines_and_says_its_key(self, open_view, press, letter):
        view = open_view(texts=[letter * 200] * 20)
        for _ in range(12):
            view.session.label(view.session.next(), "good")
        shown = press("*", " ", view=view)
        for text, n_rows in zip(shown[1:], (8, 4), strict=True):
            keys = re.findall(r"^\[(\d)\] row r\d+  good", text, re.MULTILINE)
            assert keys == [f"{k}" for k in range(1, n_rows + 1)]
            assert f"[1-{n_rows}] open the row with this number" in text
            assert len(text.splitlines()) == 2 + 2 * n_rows + 4

    def test_skipped_rows_that_were_found_are_shown_again(self, open_view, press):
        view = open_view()
        keys = ["*", "s", "/", "1", ENTER, "r", "n", ENTER, "r", "y", ENTER]
        shown = press(*["/s"] * 12, *keys, view=view)
        n_found = int(re.search(r"Skipped rows: (\d+), found by 1", shown[17])[1])
        assert 0 < n_found < 12
        assert f"Rows that are shown again: {n_found}." in shown[-1]
        assert view.session.status().skipped == 12 - n_found

    def test_a_search(self, open_view, press):
        view = open_view()
        for label in ("good", "good", "good", "bad"):
            view.session.label(view.session.next(), label)
        searches = ["class:ba", "text class:bad", "class:'so-so'", "class:x"]
        keys = ["*"]
        for words in searches:
            keys += ["/", "\x15", PASTE.format(words), ENTER]  # Ctrl-U clears the line
        shown = press(*keys, view=view)
        found = [
            re.search(r"Labelled rows: .*?(?= ─)", text)[0] for text in shown[1::4]
        ]
        assert found == [
            "Labelled rows: 4", "Labelled rows: 1, found by class:ba",
            "Labelled rows: 1, found by text class:bad",
            "Labelled rows: 0, found by class:'so-so'",
            "Labelled rows: 0, found by class:'so-so'",
        ]  # fmt: skip
        assert shown[-1].startswith("class: 'x' is not a class.")

    def test_days_are_days_here(self, in_auckland):
        keys = ClassKeys(CLASSES)
        parse = parse_search
        found = parse("dull who:ann class:go since:2026-01-31 a:b don't", keys)
        assert found == {
            "text": "dull a:b don't", "who": "ann", "label": "good",
            "since": datetime.fromisoformat("2026-01-31T00:00+13:00"),
        }  # fmt: skip
        day = parse("date:2026-01-31", keys)
        assert [f"{day[name]}" for name in ("since", "until")] == [
            "2026-01-31 00:00:00+13:00", "2026-02-01 00:00:00+13:00",
        ]  # fmt: skip
        winter = parse("since:2026-07-01 until:2026-07-01T12:00Z", keys)
        assert [f"{winter[name]}" for name in ("since", "until")] == [
            "2026-07-01 00:00:00+12:00", "2026-07-02 00:00:00+12:00",
        ]  # fmt: skip
        for words, why in (
            ("class:x", "'x' is not a class"),
            ("date:soon", "is not a day"),
            ("until:soon", "is not a day"),
            ("date:9999-12-31", "is not a day"),
        ):
            with pytest.raises(ValueError, match=why):
                parse(words, keys)
        assert terminal.when("2026-01-31T12:34:56.000001+00:00") == "2026-02-01 01:34"
        assert terminal.when("2026-01-31T12:34:56") == "2026-02-01 01:34"
        assert terminal.when("last summer") == "last summer"

    def test_doubtful_rows_are_searched_in_the_background(self, open_view, press):
        view = open_view()
        for label in ["good", "bad"] * 6:
            view.session.label(view.session.next(), label)
        shown = press("*", "o", "x", view=view)
        assert "── Doubtful rows: " in shown[2]
        assert "'x' is not a key of this list." in shown[-1] or len(shown) == 4

    def test_votes_of_others_are_hidden_until_a_row_is_decided(self, open_view, press):
        view = open_view(votes=2)
        row = view.session.next("ann")
        view.session.label(row, "good", "ann")
        view.session.note(row, "odd", "bob")
        shown = press("*", "n", "1", view=view, who="bob")
        assert "Note of bob: odd" in shown[-1]
        assert "ann" not in shown[-1]

    def test_disputed_rows_are_decided(self, open_view, press):
        view = open_view(votes=2)
        for _ in range(3):
            row = view.session.next("ann")
            view.session.label(row, "good", "ann")
            view.session.label(row, "bad", "bob")
        shown = press("?", "q", "*", "d", "1", "=", "/so", who="bob", view=view)
        assert "2 people agree on 0% of 3 rows (Cohen's kappa 0.00)." in shown[1]
        assert "Disputed rows: 3" in shown[4]
        assert "ann: good" in shown[5]
        assert "[=] a class decides now" in shown[6]
        assert view.session.status().disputed == 2
        (row,) = view.session.review("labelled", label="so-so").rows
        assert row.answers[-1].is_final


class TestLines:
    def test_the_end_of_the_lines_is_no_class_that_begins_with_q(self, open_view):
        view = open_view(classes=["poor", "quality"])
        label_by_lines(view, None, ["poor"])
        assert labels_of(view.session) == ["poor"]

    @pytest.mark.parametrize(
        ("classes", "skip"), [(CLASSES, "/s"), (["good", "bad"], "s")]
    )
    def test_notes_and_the_guide(self, open_view, capsys, classes, skip):
        view = open_view(guide="# Which is which\n\nGood is good.", classes=classes)
        lines = ["# first", "!", "good", f"{skip} dark", "", "u", "q"]
        label_by_lines(view, None, lines)
        out = capsys.readouterr().out
        assert "Good is good." in out
        assert f"[{skip}]kip  [u]ndo  [q]uit  [!] guide  [#] note  [?] help\n" in out
        assert (PREFIXES in out) == (skip == "/s")
        assert re.search(r"^Row r\d+: skipped, dark$", out, re.MULTILINE)
        assert re.search(r"^Row r\d+: note saved$", out, re.MULTILINE)
        (row,) = view.session.review("noted").rows
        assert [note.text for note in row.notes] == ["first"]
        assert view.session.status().skipped == 0

    @pytest.mark.parametrize(
        ("line", "why"),
        [
            ("ugly", "'ugly' is not an answer"),
            ("s dark", "'s dark' is not an answer; type '/s dark' to skip: a class"),
            ("*", "works only at the keyboard"),
            ("#", "works only at the keyboard"),
        ],
    )
    def test_a_wrong_line_is_an_error(self, open_view, line, why):
        view = open_view()
        with pytest.raises(ValueError, match=why):
            label_by_lines(view, None, ["good", line])
        assert view.session.status().answered == 1


MANY = [f"{kind} {i:03}" for kind in ("animal", "plant", "spam", "upper", "quartz")
        for i in range(100)]  # fmt: skip
TWELVE = [
    "privacy", "pricing", "delivery", "refund", "quality", "support", "shipping",
    "usability", "bug", "praise", "other", "spam",
]  # fmt: skip


class TestScreens:
    @pytest.mark.parametrize("size", [(80, 24), (40, 15), (40, 24)])
    @pytest.mark.parametrize("classes", [TWELVE, MANY], ids=len)
    def test_a_row_is_whole_on_the_screen(self, press, size, classes):
        letters = ["p", "r", "z"] if classes is TWELVE else ["1", "0", "z"]
        shown = press(*letters, classes=classes, size=size, title="T" * 99)
        prefixes = ClassKeys(classes).describe_prefixes()
        for typed, text in zip(["", letters[0]], shown, strict=False):
            assert "text " in text
            assert "[/s]kip" in text
            above, title, _ = text.partition("── TTT")
            assert title
            assert " ".join(above.split()) == prefixes
            assert len(text.splitlines()) <= size[1]
            assert max(map(len, text.splitlines())) <= size[0]
            keys = ClassKeys(classes)
            first = keys.find(typed).classes[0]
            assert f"[{'/'.join(keys.shown[first])}] {first}" in text
            if classes is TWELVE and not typed:
                assert all(f"] {label}" in text for label in classes)
            if classes is MANY:
                assert re.search(r"… and \d+ more: type letters", text)

    @pytest.mark.parametrize(
        ("size", "n_pages"), [((80, 24), 4), ((40, 15), 18), ((40, 10), 34)]
    )
    @pytest.mark.parametrize("classes", [TWELVE, MANY], ids=len)
    def test_a_long_text_has_pages(self, press, size, n_pages, classes):
        words = [f"w{i:04}" for i in range(400)]
        texts = [" ".join(words)] * 20
        keys = [*" " * n_pages, PAGE_UP]
        shown = press(*keys, classes=classes, texts=texts, size=size)
        pages = [*dict.fromkeys(shown[:-1])]  # the last one stays
        assert shown[-1] == pages[-2]
        seen = [word for text in pages for word in re.findall(r"w\d{4}", text)]
        assert seen == words
        assert all(text.startswith("Type /s to skip, ") for text in shown)
        assert all(text.splitlines()[-1] == ">" for text in shown)
        assert "Space: more" in shown[0]

    @pytest.mark.parametrize("size", [(80, 24), (40, 15)])
    def test_the_help_the_guide_and_the_list_fit(
        self, open_view, press, size, monkeypatch
    ):
        monkeypatch.setattr(terminal, "Thread", run_at_once)
        view = open_view(guide="word " * 900)
        for _ in range(12):
            view.session.label(view.session.next("ann"), "good", "ann")
        for keys, what in (
            ("?", "undo your last answer"), ("?   ", "ann: 12 labelled"),
            ("*", "Labelled rows: 12"), ("* ", "[3] row r"), ("*1", "Row r"),
            ("!", "word word"), ("! ", "word word"), ("#", "Note on row"),
        ):  # fmt: skip
            shown = press(*keys, size=size, who="ann", view=view)
            assert any(what in text for text in shown[1:])
            assert max(len(text.splitlines()) for text in shown) <= size[1]

    def test_nothing_of_a_row_controls_the_terminal(self, press):
        texts = [f"\x1b[2J\x9b31m\x1b]0;t\x07 text\u202e {i}" for i in range(20)]
        shown = press("#", PASTE.format("a\x1b[2Jb"), ENTER, "g", "*", "1", texts=texts)
        assert re.search(r"\[2J31m\]0;t text \d", shown[0])
        for text in shown:
            assert "\u202e" not in text
            assert text.replace("\n", "").isprintable()


class TestText:
    @pytest.mark.parametrize("width", [80, 40, 20])
    @pytest.mark.parametrize(
        "text", ["one two " * 99, "日本語の文章です。" * 30, "x" * 999, "x" + "語" * 99]
    )
    def test_lines_fit(self, width, text):
        lines = screen.wrap_text(f"{text}\n\nend", width, indent="  ")
        assert max(map(screen.get_cwidth, lines)) <= width
        assert "".join("".join(lines).split()) == "".join(f"{text}end".split())
        cut = screen.cut(text, width)
        assert screen.get_cwidth(cut) <= width
        assert cut.endswith("…")
        assert text.startswith(cut[:-1])

    @pytest.mark.parametrize("letter", ["🚚", "語", "e\u0301"])
    def test_a_wide_letter_takes_no_room_from_the_others(self, letter):
        lines = screen.wrap_text(f"a word and {letter} " * 20, 40)
        assert all(30 < screen.get_cwidth(line) <= 40 for line in lines[:-1])

    @pytest.mark.parametrize("width", [80, 40])
    @pytest.mark.parametrize("n_lines", [1, 2, 5])
    def test_items_are_not_broken_and_all_are_counted(self, width, n_lines):
        items = [f"[{i}] {label}" for i, label in enumerate(MANY)]
        lines = screen.pack(items, width, n_lines)
        assert len(lines) == n_lines
        assert max(map(len, lines)) <= width
        shown = "  ".join(lines).split("  ")
        assert shown[:-1] == items[: len(shown) - 1]
        assert shown[-1] == f"… and {len(items) - len(shown) + 1} more"
        assert "  ".join(screen.pack(items, width)).split("  ") == items
