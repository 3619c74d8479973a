"""The page in a browser: keys, undo, a reload, and a server that was killed."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

import pytest

from sklearn_activelearn.labeling import export

pytest.importorskip("uvicorn", reason="uvicorn is not installed")
playwright = pytest.importorskip(
    "playwright.sync_api", reason="Playwright is not installed"
)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")

EVIL = "<img src=x onerror=\"document.title='broken into'\">"


@pytest.fixture
def page():
    with playwright.sync_playwright() as driver:
        # for root, as in containers, it starts without its sandbox only
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.getuid() == 0 else []
        )
        page = browser.new_page(viewport={"width": 360, "height": 640})
        page.set_default_timeout(30_000)
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(error))
        yield page
        browser.close()
    assert page.errors == []


@pytest.fixture
def serve(tmp_path):
    rows = "".join(
        f'"{EVIL.replace(chr(34), chr(34) * 2)} {word} film {i}"\n'
        for i in range(30)
        for word in [["great", "awful"][i % 2]]
    )
    (tmp_path / "reviews.csv").write_text(f"review\n{rows}")
    command = "label reviews.csv --text review --classes good,bad --out a.sqlite --web"

    @contextmanager
    def run():
        """Start the command; give the address that it prints; kill it."""
        server = subprocess.Popen(
            [sys.executable, "-m", "sklearn_activelearn", *command.split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield re.fullmatch(r"Open (\S+)\n", server.stdout.readline())[1]
        finally:
            server.kill()
            server.communicate()

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
