"""The pictures and the transcript of ``docs/labeling.rst``.

Made-up reviews are labelled, in a temporary folder: in the terminal, whose text is
printed, and by the keyboard of a headless browser, whose pictures are written to
``docs/images``. The learner draws its seed, so the rows differ from run to run.

Needs ``pip install -e '.[label,test]'`` and a Chromium: Playwright's own, after
``playwright install chromium``, or another one, whose path is given.

    python docs/screenshots.py [/usr/bin/chromium]
"""

import csv
import os
import random
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parent / "images"
COMMAND = "reviews.csv --text review --out labels.sqlite"
CLASSES = "good,bad"
#: Of another project, whose classes need more than their first letters.
MANY_CLASSES = (
    "delivery,refund,invoice,privacy,product,praise,account,bug,security,spam,"
    "shipping abroad,other question"
)
N_ROWS, N_TEST, N_LABELS = 300, 40, 85
MISTAKES = {50, 61, 72}  # of the labels: they are doubtful
WIDTH = 79  # of the terminal, and of the longest review

SUBJECTS = (
    "We saw it on a rainy Sunday.", "My sister had chosen it.", "It runs two hours.",
    "I had read the book first.", "The cinema was half empty.", "Nobody told me much.",
    "It is the director's third film.", "We stayed for the credits.",
)  # fmt: skip
SENTENCES = {
    "good": (
        "The cast is superb.", "I laughed until the end.", "What a lovely score!",
        "The plot holds together.", "Every scene is a pleasure.", "It moved me.",
        "Clever, warm and short enough.", "The pictures are stunning.",
        "I would see it again.", "A gripping second half.", "The dialogue sparkles.",
        "Even the smallest part is well played.",
    ),
    "bad": (
        "The cast looks bored.", "I nearly fell asleep.", "What a tiresome score!",
        "The plot makes no sense.", "Every scene drags.", "It left me cold.",
        "Loud, clumsy and too long.", "The pictures are murky.",
        "I want my money back.", "A dreary second half.", "The dialogue is wooden.",
        "Even the best part is a cliché.",
    ),
}  # fmt: skip


def write_reviews(path):
    """Write reviews to a CSV; return the label of each."""
    rng, labels = random.Random(0), {}
    while len(labels) < N_ROWS:
        label = rng.choice(list(SENTENCES))
        said = rng.sample(SENTENCES[label], 2)
        review = " ".join([rng.choice(SUBJECTS), *said])
        if len(review) <= WIDTH:
            labels[review] = label
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["review"], *([review] for review in labels)])
    return labels


def label(folder, *options, classes=CLASSES, several=False, **streams):
    """Start the command in a folder."""
    program = [sys.executable, "-m", "sklearn_activelearn", "label"]
    return subprocess.Popen(
        [
            *program,
            *COMMAND.split(),
            "--labels" if several else "--classes",
            classes,
            *options,
        ],
        cwd=folder,
        env={**os.environ, "COLUMNS": f"{WIDTH}"},
        stdout=subprocess.PIPE,
        text=True,
        **streams,
    )


def label_in_terminal(folder, labels, n_labels):
    """Label some rows and quit; return what was shown."""
    shown = []
    with label(folder, stdin=subprocess.PIPE) as command:
        for line in command.stdout:
            shown.append(line)
            if review_label := labels.get(line.strip()):
                n_labels -= 1
                print(review_label[0] if n_labels >= 0 else "q", file=command.stdin)
                command.stdin.flush()
    return "".join(shown)


@contextmanager
def served(folder, classes=CLASSES, several=False):
    """Serve the page; give its address."""
    options = "--web", "--test-size", str(N_TEST)
    with label(folder, *options, classes=classes, several=several) as server:
        try:
            yield server.stdout.readline().split()[1]
        finally:
            server.terminate()


def press(page, key):
    """Press a key, and wait for the next row."""
    before = page.inner_text("#counts")
    page.keyboard.press(key)
    page.wait_for_function(
        "before => document.getElementById('counts').textContent !== before"
        " && document.getElementById('card').ariaBusy === 'false'",
        arg=before,
    )


def picture(page, name, width, height, scheme):
    """Write what the page shows to a file."""
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=IMAGES / name)


def main(chromium=None):
    """Print the transcript and write the pictures."""
    with TemporaryDirectory() as folder:
        labels = write_reviews(Path(folder, "reviews.csv"))
        label_in_terminal(folder, labels, 14)
        print(label_in_terminal(folder, labels, 2))
    with TemporaryDirectory() as folder, sync_playwright() as driver:
        labels = write_reviews(Path(folder, "reviews.csv"))
        browser = driver.chromium.launch(executable_path=chromium)
        page = browser.new_page()
        page.set_default_timeout(300_000)
        with served(folder) as address:
            page.goto(address)
            page.wait_for_selector("#card p")
            page.click("#details summary")
            for i in range(N_LABELS):
                right = labels[page.inner_text("#card p")]
                wrong = "bad" if right == "good" else "good"
                press(page, (wrong if i in MISTAKES else right)[0])
            page.wait_for_load_state("networkidle")
            picture(page, "label_page.png", 800, 680, "light")
            page.click("#details summary")
            picture(page, "label_phone.png", 360, 440, "dark")
            page.keyboard.press("*")
            page.wait_for_selector("#list button")
            page.check("input[value=doubtful]")
            page.wait_for_selector("#list .about:has-text('the model')")
            picture(page, "label_review.png", 800, 640, "light")
        Path(folder, "labels.sqlite").unlink()
        with served(folder, MANY_CLASSES) as address:
            page.goto(address)
            page.wait_for_selector("#card p")
            page.keyboard.press("p")
            picture(page, "label_classes.png", 800, 480, "light")
        Path(folder, "labels.sqlite").unlink()
        with served(folder, MANY_CLASSES, several=True) as address:
            page.goto(address)
            page.wait_for_selector("#card p")
            page.keyboard.type("bpra", delay=100)  # at once they would be one word
            picture(page, "label_labels.png", 800, 480, "light")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
