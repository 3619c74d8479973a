"""The page in a browser: keys, undo, a reload, and a server that was killed."""

import os
import re
import shutil
from contextlib import contextmanager
from importlib.resources import files

import numpy as np
import pytest

from sklearn_activelearn import (
    RelevanceSamplingClassifier,
    UncertaintySamplingClassifier,
)
from sklearn_activelearn.labeling import LabelingSession, export
from tests.reference.labeling import started

pytest.importorskip("uvicorn", reason="uvicorn is not installed")
playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")

EVIL = "<img src=x onerror=\"document.title='broken into'\">"


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        # for root, as in containers, it starts without its sandbox only
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.getuid() == 0 else []
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    # a new profile: nothing is remembered of the test before
    page = browser.new_page(viewport={"width": 360, "height": 640})
    page.set_default_timeout(30_000)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(error))
    yield page
    page.close()
    assert page.errors == []


@pytest.fixture
def serve(tmp_path):
    rows = "".join(
        f'"{EVIL.replace(chr(34), chr(34) * 2)} {word} film {i}"\n'
        for i in range(30)
        for word in [["great", "awful"][i % 2]]
    )
    (tmp_path / "reviews.csv").write_text(f"review\n{rows}")
    command = "-m sklearn_activelearn label reviews.csv --text review --web"
    command += " --classes good,bad --out a.sqlite"

    @contextmanager
    def run():
        """Start the command; give the address that it prints; kill it."""
        with started(*command.split(), cwd=tmp_path) as server:
            yield re.fullmatch(r"Open (\S+)\n", server.stdout.readline())[1]

    return run


def press(page, key, counts):
    """Press a key and wait until the counts say that it was confirmed."""
    page.keyboard.press(key)
    page.wait_for_function(
        "counts => document.getElementById('counts').textContent === counts"
        " && document.getElementById('card').ariaBusy === 'false'",
        arg=counts,
    )


def test_a_person_at_the_page(page, serve, tmp_path):
    with serve() as address:
        page.goto(address.partition("#")[0])  # somebody without the token
        page.wait_for_selector("#error:not([hidden])")
        assert "Open the address that the command" in page.inner_text("#error")
        assert page.is_hidden("footer")  # nothing to press
        page.goto(address)
        page.wait_for_selector("#card p")
        assert "token" not in page.url
        n_good = n_bad = 0
        for i in range(14):
            is_good = "great" in page.inner_text("#card")
            assert page.inner_text("#card").startswith(EVIL)  # text, no image
            n_good, n_bad = n_good + is_good, n_bad + (not is_good)
            each = [(n_good, "good"), (n_bad, "bad")]
            each = ", ".join(f"{label}: {n}" for n, label in each if n)
            key = ["1g", "2b"][not is_good][i % 2]
            press(page, key, f"{i + 1} labelled ({each})")
        assert "The model: " in page.inner_text("#last")
        assert page.title() == "Label"
        before = page.inner_text("#counts")
        left = page.inner_text("#card")
        press(page, "s", f"{before}, 1 skipped")
        press(page, "u", before)
        assert page.inner_text("#card") == left
        page.click("#details summary")
        page.wait_for_selector("#advice:not(:empty)")
        page.reload()
        page.wait_for_selector("#card p")
        assert page.inner_text("#card") == left
        assert page.evaluate("document.documentElement.scrollWidth") <= 360

    page.keyboard.press("1")  # nobody hears it
    page.wait_for_selector("#error:not([hidden])")
    assert "The server does not answer" in page.inner_text("#error")

    with serve() as address:
        page.goto(address)
        page.wait_for_selector("#card p")
        assert page.inner_text("#counts") == before
        assert page.inner_text("#card") == left
        page.focus("#classes button")
        after = before.replace(f"good: {n_good}", f"good: {n_good + 1}")
        press(page, "Enter", after.replace("14 labelled", "15 labelled"))
    assert export(tmp_path / "a.sqlite", tmp_path / "labels.csv") == 15


CLASSES = [
    "product", "delivery", "invoice", "refund", "privacy", "bug", "account", "praise",
    "spam", "security", "shipping abroad", "other question",
]  # fmt: skip


def opened(path, classes=CLASSES, learner=None, **settings):
    learner = learner or UncertaintySamplingClassifier(budget=None, random_state=0)
    X = np.random.RandomState(0).standard_normal((40, 3))
    settings = {"items": [f"Order {i} came late" for i in range(40)], **settings}
    return LabelingSession(
        learner, X, path,
        ids=list(range(40)), classes=classes, ahead=1, **settings,
    )  # fmt: skip


def test_several_labels_are_chosen_and_sent(page, tmp_path):
    learner = RelevanceSamplingClassifier(positive="bug", budget=None, random_state=0)
    options = {"classes": None, "labels": CLASSES, "learner": learner}
    with opened(tmp_path / "labels.sqlite", **options) as session:
        served(page, session)
        first = session.next("ann")
        page.keyboard.type("bu")
        page.click("text=praise")
        assert page.inner_text("#send-word") == "Send: bug, praise"
        page.keyboard.press("Enter")  # the button has the focus, but is not pressed
        wait_for_text(page, "#last", f"Row {first}: bug, praise")
        assert session.answers(first).label == ["bug", "praise"]
        assert page.inner_text("#send-word") == "Send: no label applies"
        second = session.next("ann")
        page.click("#send")
        assert page.inner_text("#send-word") == "Again, to send: no label applies"
        assert session.answers(second).state == "open"
        page.click("#send")
        wait_for_text(page, "#last", f"Row {second}: no label applies")
        assert session.answers(second).label == []
        page.keyboard.press("*")
        page.click("#list li:nth-child(2) button")
        page.wait_for_selector("#classes [data-label=praise][aria-pressed=true]")
        page.keyboard.type("in")
        session.note(first, "by another person", "bob")  # what is chosen stays chosen
        wait_for_text(page, "#facts", "by another person")
        page.keyboard.press("Enter")
        wait_for_text(page, "#found", f"Row {first}: invoice, bug, praise")
        assert session.answers(first).label == ["bug", "invoice", "praise"]
        page.fill("[name=text]", "class:")
        wait_for_text(page, "#found", "1 row")


def test_tags_are_chips_that_go_with_the_answer(page, tmp_path):
    with opened(tmp_path / "labels.sqlite", tags=["old", EVIL]) as session:
        address = session.serve(open=False, block=False, show_reasons=True).address
        page.goto(address)
        page.wait_for_selector("#card p")
        assert page.inner_text("#why") == "Asked because the model needs first labels."
        first = session.next()
        page.keyboard.type("t")
        wait_for_text(page, "#typed", "Typed: t.")
        page.keyboard.type("2")
        page.wait_for_selector("#tags button:nth-child(2)[aria-pressed=true]")
        page.click("#tags button:nth-child(1)")
        page.keyboard.type("bu")
        wait_for_text(page, "#last", f"Row {first}: bug, tags: old, {EVIL}")
        assert session.answers(first).answers[0].tags == ["old", EVIL]
        assert page.query_selector("#tags [aria-pressed=true]") is None
        page.keyboard.press("*")
        page.fill("[name=text]", "tag:old")
        wait_for_text(page, "#found", "1 row")
        assert "tags: old" in page.inner_text("#list")
        page.click("#list button")
        page.wait_for_selector("#tags button:nth-child(1)[aria-pressed=true]")
        assert page.is_hidden("#why")
        page.keyboard.type("t")
        page.keyboard.type("1")
        wait_for_text(page, "#last", f"Row {first}, tags: {EVIL}")
        assert session.answers(first).answers[0].tags == [EVIL]
        assert page.evaluate("document.querySelectorAll('img[src=x]').length") == 0
        for width in (360, 1200):
            page.set_viewport_size({"width": width, "height": 720})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                if folder := os.environ.get("SCREENS"):
                    page.screenshot(path=f"{folder}/tags_{width}_{scheme}.png")


def test_a_wrong_token_is_said_and_nothing_is_loading(page, tmp_path):
    with opened(tmp_path / "labels.sqlite") as session:
        address = session.serve(open=False, block=False).address
        page.goto(re.sub(r"token=\w+", "token=" + "0" * 32, address))
        page.wait_for_selector("#error:not([hidden])")
        assert "Loading" not in page.inner_text("body")
        assert page.inner_text("#error")


@pytest.fixture
def session(tmp_path):
    with opened(tmp_path / "labels.sqlite") as session:
        yield session


def served(page, session, who="ann", **options):
    """Open the page of a session."""
    address = session.serve(open=False, block=False, **options).address
    page.goto(address.replace("/#", f"/?who={who}#"))
    page.wait_for_selector("#card > *")
    wait_for_row(page)


def wait_for_row(page):
    page.wait_for_function("() => document.getElementById('card').ariaBusy === 'false'")
    page.wait_for_timeout(30)


def in_list(page):
    page.wait_for_function("() => document.activeElement.closest('#list') !== null")


def wait_for_text(page, place, text):
    page.wait_for_function(
        "([place, text]) => document.querySelector(place)?.textContent.includes(text)",
        arg=[place, text],
    )


def press_at_once(page, keys):
    """Press keys as quickly as a script, which Playwright cannot on a busy machine."""
    page.evaluate(
        "keys => [...keys].forEach((key) => "
        "dispatchEvent(new KeyboardEvent('keydown', { key })))",
        keys,
    )


def focused(page):
    return page.evaluate("document.activeElement.textContent")


def test_rows_are_found_and_corrected_by_keyboard(page, session):
    served(page, session, title="Orders", guide="## refund\nMoney **back**.")
    keys = page.keyboard
    assert page.title() == page.inner_text("h1") == "Orders"
    labels = ["delivery", "refund", "bug", "account"]
    for n, label in enumerate(labels, start=1):
        keys.press(label[0])
        wait_for_text(page, "#counts", f"{n} labelled")
        wait_for_text(page, "#last", f": {label}")
        page.wait_for_timeout(30)
    assert page.inner_text("#skip kbd") == "/s"  # a class begins with s
    keys.type("/S")
    page.wait_for_selector("#note[open]")
    keys.type("no order, see *")
    keys.press("Enter")
    wait_for_text(page, "#counts", "1 skipped")
    wait_for_row(page)
    row = int(page.inner_text("#card").split()[1])
    keys.press("#")
    page.wait_for_selector("#note[open]")
    keys.type("ask")
    keys.press("Shift+Enter")
    keys.type("Bob?")
    keys.press("Enter")
    wait_for_text(page, "#facts", "Note of ann: ask\nBob?")
    keys.press("!")
    wait_for_text(page, "#text-body", "Money **back**.")
    assert page.inner_text("#text-body strong") == "refund"
    keys.press("Escape")
    assert page.query_selector("dialog[open]") is None

    keys.press("*")
    wait_for_text(page, "#found", "4 rows")
    in_list(page)
    assert focused(page).startswith("account")
    keys.press("ArrowDown")
    keys.press("ArrowDown")
    assert focused(page).startswith("refund")
    keys.press("Enter")
    page.wait_for_selector("[data-label=refund][aria-pressed=true]")
    keys.press("i")  # invoice
    wait_for_text(page, "#found", ": invoice")
    page.wait_for_function(
        "() => !document.getElementById('list').innerText.includes('refund')"
    )
    keys.press("/")
    keys.type("ORDER")
    keys.press("Enter")
    in_list(page)
    keys.press("Enter")
    page.wait_for_selector("#back:not([hidden])")
    keys.press("Escape")
    page.wait_for_selector("#list button")
    in_list(page)
    keys.press("/")
    keys.type("order")  # in place of the words before
    assert page.input_value("#search [name=text]") == "order"
    page.check("input[value=noted]")
    wait_for_text(page, "#list", "Note of ann: ask\nBob?")
    page.check("input[value=skipped]")
    wait_for_text(page, "#list", "no order, see *")
    reopened = session.review("skipped").rows[0].id
    page.click("#reopen")
    wait_for_text(page, "#found", "1 row will be shown again")
    page.wait_for_timeout(100)
    page.click("#leave")
    page.wait_for_selector("#card:not([hidden]) p")
    assert "skipped" not in page.inner_text("#counts")
    assert int(page.inner_text("#card").split()[1]) == row  # it is ann's, still
    keys.press("b")
    wait_for_text(page, "#counts", "5 labelled")
    assert session.next("ann") == reopened
    assert session.review(label="invoice").n_rows == 1
    assert session.answers(row).notes[0].text == "ask\nBob?"


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (["spam", "ham"], "Type /s to skip: a class begins with the key."),
        (["unclear", "quite"], "Type /u to undo: a class begins with the key."),
    ],
)
def test_classes_that_begin_with_commands_are_typed_as_words(
    page, tmp_path, classes, said
):
    with opened(tmp_path / "labels.sqlite", classes) as session:
        served(page, session)
        assert page.inner_text("#last") == said
        n_labels = 0
        for delay, end in ((0, "Enter"), (0, ""), (120, "Enter"), (250, "")):
            for name in classes:
                page.keyboard.type(name, delay=delay)
                if end:
                    page.keyboard.press(end)
                n_labels += 1
                wait_for_text(page, "#last", f": {name}")
                wait_for_text(page, "#counts", f"{n_labels} labelled")
                wait_for_row(page)
        press_at_once(page, "quit?")
        wait_for_text(page, "#typed", "quit?: no class")
        status = session.status()
        assert status.by_class == dict.fromkeys(classes, 4)
        assert status.skipped == 0
        press_at_once(page, "/s")
        wait_for_text(page, "#counts", "1 skipped")
        wait_for_row(page)
        press_at_once(page, "/u" if "/u" in said else "u")
        wait_for_text(page, "#last", "answer undone")


def test_the_focus_waits_for_the_list_that_is_shown(page, session):
    served(page, session)
    page.keyboard.press("d")
    wait_for_text(page, "#counts", "1 labelled")
    held = []
    page.route("**/api/review", lambda route: held.append(route))
    page.keyboard.press("*")
    while len(held) < 1:
        page.wait_for_timeout(10)
    session.label(session.next("bob"), "bug", "bob")
    while len(held) < 2:  # the page follows, and searches again
        page.wait_for_timeout(10)
    held[0].continue_()
    page.wait_for_timeout(100)
    held[1].continue_()
    wait_for_text(page, "#found", "2 rows")
    in_list(page)
    page.unroute("**/api/review")


def test_a_list_is_left_searched_and_turned_by_keyboard(page, tmp_path):
    items = [f"Order {i} came late" for i in range(39)] + [" "]
    with opened(tmp_path / "a.sqlite", items=items) as session:
        for i in range(25):
            session.label(i, "bug")
        served(page, session)
        keys = page.keyboard
        keys.press("*")
        wait_for_text(page, "#found", "25 rows, 1 to 20 are shown")
        in_list(page)
        for _ in range(20):
            keys.press("ArrowDown")
        assert focused(page) == "Next"
        keys.press("Enter")
        wait_for_text(page, "#found", "25 rows, 21 to 25 are shown")
        in_list(page)
        keys.press("ArrowUp")
        keys.type("class:nix")
        wait_for_text(page, "#found", "class: 'nix' is not a class.")
        assert page.locator("#list button").count() == 0
        keys.press("Escape")  # there is no row to go to
        page.wait_for_selector("#card:not([hidden]) p")
        keys.press("*")
        page.fill("#search [name=text]", "")
        page.check("input[value=empty]")
        wait_for_text(page, "#list", "not decided")
        assert page.inner_text("#list button").split("\n") == ["not decided", "Row 39"]


def test_other_people_are_followed_while_something_is_typed(page, tmp_path):
    main = (
        files("sklearn_activelearn.labeling.front_ends")
        .joinpath("page/main.js")
        .read_text()
    )
    assert int(re.search(r"const PERIOD = (\d+);", main)[1]) <= 1000  # milliseconds
    with opened(tmp_path / "a.sqlite") as session:
        served(page, session)
        keys, row = page.keyboard, session.next("ann")
        keys.type("pr")  # product, privacy or praise
        session.label(session.next("bob"), "bug", "bob")
        session.note(row, "look twice", "bob")
        wait_for_text(page, "#counts", "1 labelled (bug: 1), 0 by you")
        wait_for_text(page, "#facts", "Note of bob: look twice")
        assert page.inner_text("#typed").startswith("Typed: pr.")
        keys.press("a")
        wait_for_text(page, "#last", f"Row {row}: praise")
        wait_for_row(page)
        keys.press("*")
        wait_for_text(page, "#found", "2 rows")
        keys.press("/")
        keys.type("Ord")
        session.label(session.next("bob"), "spam", "bob")
        wait_for_text(page, "#found", "3 rows")
        keys.type("er")
        assert page.input_value("#search [name=text]") == "Order"


def test_a_dispute_is_decided_by_keyboard(page, tmp_path):
    with opened(tmp_path / "a.sqlite", votes=2) as session:
        row = session.next("ann")
        session.label(row, "bug", "ann")
        session.label(row, "praise", "bob")
        served(page, session)
        page.keyboard.press("*")
        page.check("input[value=disputed]")
        wait_for_text(page, "#found", "1 row")
        page.wait_for_selector("#list button")
        page.focus("#list button")
        page.keyboard.press("Enter")
        page.wait_for_selector("#final-choice:not([hidden])")
        page.keyboard.press("=")
        assert page.is_checked("#final")
        page.keyboard.press("d")
        wait_for_text(page, "#found", f"Row {row}: delivery, decided")
        with page.expect_response("**/api/review"):  # the page follows
            session.label(session.next("bob"), "spam", "bob")
        page.wait_for_timeout(100)
        assert "decided" in page.inner_text("#found")  # it stays in sight
        found = session.answers(row)
        assert (found.state, found.label) == ("labelled", "delivery")
        assert [answer.is_final for answer in found.answers] == [False, False, True]


def test_an_answer_is_for_the_row_on_the_screen(page, session):
    """Somebody comes back from the list before the next row is there."""
    served(page, session)
    keys, held = page.keyboard, []
    for label in ("delivery", "refund"):
        keys.press(label[0])
        wait_for_text(page, "#last", f": {label}")
        page.wait_for_timeout(30)
    before = int(page.inner_text("#card").split()[1])
    keys.press("*")
    in_list(page)
    page.route("**/api/next", lambda route: held.append(route))  # it waits for training
    keys.press("Enter")
    page.wait_for_selector("[data-label=refund][aria-pressed=true]")
    with page.expect_request("**/api/next"):
        keys.press("u")
    wait_for_text(page, "#found", "answer undone")
    keys.press("Escape")
    page.wait_for_selector("#card:not([hidden]) p")
    assert int(page.inner_text("#card").split()[1]) == before
    (found,) = held
    found.continue_()
    wait_for_row(page)
    shown = int(page.inner_text("#card").split()[1])
    page.unroute("**/api/next")
    keys.press("b")
    wait_for_text(page, "#last", ": bug")
    assert session.answers(shown).label == "bug"
    assert session.status().by_class["bug"] == 1


def test_no_word_is_broken_and_all_is_reached(page, session):
    served(page, session)
    top = "document.querySelector('{}').getBoundingClientRect().top"
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 640})
        heights = page.evaluate(
            "[...document.querySelectorAll('#classes button')].map(b => {"
            "const range = document.createRange();"
            "range.selectNodeContents(b.lastChild);"
            "return new Set([...range.getClientRects()].map(r => r.top)).size; })"
        )
        assert heights == [1] * len(CLASSES)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        card, footer = (page.evaluate(top.format(each)) for each in ("#card", "footer"))
        assert footer - card > 60  # the row is seen
    session.label(0, "bug", "bob")
    page.click("#to-people")
    wait_for_text(page, "#text-body", "bob: 1 labelled")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.wait_for_selector("#help[open]")
    page.keyboard.press("Escape")


#: What a person may use, and what a screen reader says of itself.
CONTROLS = {
    "button", "textbox", "searchbox", "radio", "checkbox", "dialog",
    "DisclosureTriangle",
}  # fmt: skip


def test_a_screen_reader_is_told_all(page, session):
    served(page, session, guide="## refund\nMoney back.")
    driver = page.context.new_cdp_session(page)
    driver.send("Accessibility.enable")

    def told():
        """Return the role, the name and some properties of what is there."""
        nodes = driver.send("Accessibility.getFullAXTree")["nodes"]
        return [
            (
                node["role"]["value"],
                node.get("name", {}).get("value", ""),
                {
                    each["name"]: each["value"].get("value")
                    for each in node["properties"]
                },
            )
            for node in nodes
            if not node["ignored"] and "properties" in node
        ]

    def controls():
        found = [(role, name) for role, name, _ in told() if role in CONTROLS]
        assert all(name for _, name in found)
        return found

    assert {("button", label) for label in CLASSES} <= set(controls())
    live = {name: each["live"] for role, name, each in told() if "live" in each}
    assert [*live.values()] == ["polite"] * len(live)
    row = page.inner_text("#card")
    page.keyboard.press("d")
    wait_for_text(page, "#last", ": delivery")
    page.wait_for_function(
        "row => document.getElementById('card').innerText !== row"
        " && document.getElementById('card').ariaBusy === 'false'",
        arg=row,
    )
    where = "[...document.querySelectorAll('[role=status], [aria-live], [role=alert]')]"
    ids = page.evaluate(f"{where}.map(each => each.id)")
    assert {"card", "last", "typed", "found", "error"} <= set(ids)
    page.keyboard.press("*")
    wait_for_text(page, "#found", "1 row")
    assert page.inner_text("#found") == "1 row"
    in_list(page)
    names = [name for role, name in controls() if role == "button"]
    assert any(name.startswith("delivery Order") for name in names)
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement.id === 'card'")
    focused = [name for role, name, each in told() if each.get("focused")][1:]
    assert focused == [page.inner_text("#card")]  # the row is read
    for key, title in (("?", "Help"), ("!", "Guide"), ("#", "Note")):
        page.keyboard.press(key)
        page.wait_for_selector("dialog[open]")
        assert ("dialog", title) in controls()
        if key == "?":  # on a small screen, too, where buttons show none
            widths = (
                "[...document.querySelectorAll('#keys kbd')].map(k => k.offsetWidth)"
            )
            assert min(page.evaluate(widths)) > 0
        page.keyboard.press("Escape")
        page.wait_for_function("() => !document.querySelector('dialog[open]')")
    assert page.evaluate("document.activeElement.id") == "card"


def test_a_table_is_read_on_a_phone(page, tmp_path):
    cells = {"a_name_that_is_longer_than_the_screen_is_wide": "value", "b": "1"}
    with opened(tmp_path / "a.sqlite", items=[cells] * 40) as session:
        served(page, session)
        widths = page.evaluate(
            "[...document.querySelectorAll('#card dd')].map(e => e.clientWidth)"
        )
        assert min(widths) > 0.4 * page.evaluate("document.body.clientWidth")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_all_is_reached_by_tab_alone(page, session):
    served(page, session)
    reached = set()
    page.keyboard.press("Tab")
    for _ in range(40):
        reached.add(page.evaluate("document.activeElement.textContent.trim()"))
        page.keyboard.press("Tab")
    buttons = page.evaluate(
        "[...document.querySelectorAll('button, summary')].filter("
        "each => each.getClientRects().length).map(each => each.textContent.trim())"
    )
    assert len(buttons) == len(CLASSES) + 7
    assert set(buttons) <= reached


def test_an_image_is_enlarged(page, tmp_path):
    X = np.random.RandomState(0).standard_normal((10, 3))
    learner = UncertaintySamplingClassifier(budget=None, random_state=0)
    with LabelingSession(
        learner, X, tmp_path / "labels.sqlite", classes=["a", "b"],
        items=[np.outer(np.arange(200), np.arange(300)) + i for i in range(10)],
    ) as session:  # fmt: skip
        address = session.serve(open=False, block=False).address
        page.goto(address)
        page.wait_for_selector("#card img")
        width = "document.querySelector('#card img').getBoundingClientRect().width"
        before = page.evaluate(width)
        page.keyboard.press("+")
        assert page.evaluate(width) == pytest.approx(2 * before, rel=0.01)
        page.keyboard.press("-")
        assert page.evaluate(width) == pytest.approx(before, rel=0.01)
        for size in (2 * before, before):
            page.click("#card img")
            assert page.evaluate(width) == pytest.approx(size, rel=0.01)
