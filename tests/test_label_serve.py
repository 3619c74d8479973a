"""The page of a session that was made in Python, its items, and how it starts."""

import io
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from sklearn_activelearn import UncertaintySamplingClassifier
from sklearn_activelearn.labeling import LabelingSession
from sklearn_activelearn.labeling.front_ends._items import (
    encode_png,
    excerpt,
    image_data,
    shown_item,
)
from sklearn_activelearn.labeling.front_ends._view import LabelingView
from tests.reference.labeling import run_python, started
from tests.reference.session_files import n_answers

pytest.importorskip("uvicorn", reason="uvicorn is not installed")

X = np.round(np.random.RandomState(0).standard_normal((30, 3)), 3)


def opened(path, **options):
    learner = UncertaintySamplingClassifier(
        GaussianNB(), n_initial=4, batch_size=2, budget=None, random_state=0
    )
    options = {"ids": list(range(30)), "classes": [0, 1], **options}
    return LabelingSession(learner, X, path, **options)


def ask(address, verb, **body):
    place, _, token = address.partition("#token=")
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{place}api/{verb}", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as response:
            found = response.read()
            is_json = response.headers["content-type"] == "application/json"
    except urllib.error.HTTPError as error:
        return {"status": error.code, **json.load(error)}
    found = json.loads(found) if is_json else found
    return ask(address, "next") if is_json and found.get("is_training") else found


class TestServe:
    def test_labels_given_on_the_page_are_in_the_session(self, path):
        with opened(path) as session:
            page = session.serve(open=False, block=False, title="Cells")
            start = ask(page.address, "start")
            assert start["title"] == "Cells"
            assert [each["label"] for each in start["classes"]] == ["0", "1"]
            row = ask(page.address, "next")["row"]
            assert (row["kind"], row["item"]["0"]) == (
                "table",
                f"{X[row['id'], 0]:.6g}",
            )
            ask(page.address, "label", id=row["id"], label="1")
            assert session.answers(row["id"]).label == 1
            assert page.address in page._repr_html_()
            assert page.address in repr(page)
        with pytest.raises(urllib.error.URLError):  # it ends with the session
            ask(page.address, "next")

    def test_a_cell_that_is_run_again_goes_on(self, path, monkeypatch):
        seen = []

        def look(address):
            file = Path(
                urllib.request.url2pathname(urllib.parse.urlsplit(address).path)
            )
            seen.append((file, file.read_text(), file.parent.stat().st_mode & 0o77))

        monkeypatch.setattr("webbrowser.open", look)
        first = opened(path)
        page = first.serve(block=False)
        row = ask(page.address, "next")["row"]["id"]
        second = opened(path)  # takes the file over
        assert "handed its file" in ask(page.address, "next")["error"]
        again = second.serve(block=False)
        assert again.address == page.address
        ((file, text, access_of_others),) = seen
        assert page.address in text
        assert access_of_others == 0
        assert not file.parent.exists()  # the first request has removed it
        assert ask(page.address, "next")["row"]["id"] == row
        first.close()  # it is not shown any more
        assert ask(page.address, "next")["row"]["id"] == row
        second.close()
        with pytest.raises(urllib.error.URLError):
            ask(page.address, "next")

    def test_the_server_ends_before_its_process(self, tmp_path):
        """A script that neither closes the session nor the page."""
        program = """if True:
            import atexit, sys, urllib.request
            from sklearn_activelearn import CBGZClassifier
            from sklearn_activelearn.labeling import LabelingSession
            def look():
                try:
                    print(urllib.request.urlopen(place, timeout=5).status)
                except OSError as error:
                    print(type(error).__name__)
            atexit.register(look)  # runs after the hooks of the server
            X = [[0.0], [1.0]]
            session = LabelingSession(CBGZClassifier(), X, "a", classes=[0, 1])
            page = session.serve(open=False, block=False)
            place = page.address.partition("#")[0]
            look()
            session.label(session.next(), 1)
        """
        found = run_python("-c", program, cwd=tmp_path, timeout=120, check=True)
        assert found.stdout.splitlines() == ["200", "URLError"]
        assert found.stderr == ""
        assert n_answers(tmp_path / "a") == 1

    def test_a_script_goes_on_after_ctrl_c(self, path, ctrl_c):
        interrupt = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))
        with opened(path) as session:
            page = session.serve(open=False, block=False)
            assert ask(page.address, "next")["row"]
            interrupt.start()
            session.serve(open=False, block=True)
            with pytest.raises(urllib.error.URLError):
                ask(page.address, "next")
            assert session.next() is not None

    @pytest.mark.parametrize(
        ("options", "error"),
        [
            ({"kind": "video"}, "kind must be"),
            ({"port": -1}, "port"),
            ({"open": 1}, "open"),
        ],
    )
    def test_what_is_refused(self, path, options, error):
        options = {"open": False, "block": False, **options}
        with opened(path) as session:
            with pytest.raises((ValueError, TypeError), match=error):
                session.serve(**options)
            session.close()
            with pytest.raises((ValueError, TypeError), match=rf"closed|{error}"):
                session.serve(**options)
        pass_classes = pytest.raises(ValueError, match="pass classes")
        with opened(path.with_name("other"), classes=None) as session, pass_classes:
            session.serve(open=False, block=False)

    def test_half_a_character(self, path):
        with opened(path, items=["\ud800 broken"] * 30) as session:
            page = session.serve(open=False, block=False)
            row = ask(page.address, "next")["row"]
            assert row["item"] == "\ud800 broken"
            refused = ask(page.address, "skip", id=row["id"], reason="\ud800")
            assert "surrogate" in refused["error"]
            assert session.status().skipped == 0

    def test_review_over_the_wire(self, path):
        items = [f"Text number {i}" for i in range(30)]
        with opened(path, items=items) as session:
            page = session.serve(open=False, block=False)
            for label in ("0", "1", "0"):
                row = ask(page.address, "next")["row"]["id"]
                ask(page.address, "label", id=row, label=label)
            skipped = ask(page.address, "next")["row"]["id"]
            ask(page.address, "skip", id=skipped, reason="blurred")
            found = ask(page.address, "review", text="class:1")
            assert [row["title"] for row in found["rows"]] == ["1"]
            id = found["rows"][0]["id"]
            assert found["rows"][0]["excerpt"] == f"Text number {id}"
            assert ask(page.address, "review", text=f"number {id}")["n_rows"] >= 1
            corrected = ask(page.address, "correct", id=id, label="0")
            assert corrected["row"]["label"] == "0"
            assert session.answers(id).label == 0
            noted = ask(page.address, "note", id=id, text="hard")["row"]
            assert noted["notes"][0]["text"] == "hard"
            assert ask(page.address, "review", list="noted")["rows"][0]["id"] == id
            # the answer before the correction counts again, and then none
            assert ask(page.address, "withdraw", id=id)["row"]["label"] == "1"
            assert ask(page.address, "withdraw", id=id)["row"]["state"] == "open"
            (row,) = ask(page.address, "review", list="skipped")["rows"]
            assert row["about"] == ["skipped (blurred)"]
            assert ask(page.address, "reopen")["n_rows"] == 1
            assert session.review("skipped").n_rows == 0


class TestItems:
    def test_images_of_all_kinds(self, path, tmp_path):
        grey = np.arange(12.0).reshape(3, 4)
        file = tmp_path / "a.png"
        file.write_bytes(encode_png(grey))
        kinds = [file, grey, np.stack([grey] * 3, axis=2)] * 10
        with opened(path, items=kinds) as session:
            page = session.serve(open=False, block=False)
            assert ask(page.address, "next")["row"]["kind"] == "image"
            for id in (0, 1, 2):
                assert ask(page.address, "image", id=id).startswith(b"\x89PNG")
            assert ask(page.address, "image", id=0) == encode_png(grey)

    def test_pictures_of_pillow(self):
        image = pytest.importorskip("PIL.Image")
        for mode in ("L", "RGB", "CMYK", "F"):
            data, kind = image_data(image.new(mode, (5, 4)), None)
            assert kind == "image/png"
            assert image.open(io.BytesIO(data)).size == (5, 4)

    def test_an_array_is_a_png_with_all_shades(self):
        grey = np.array([[2.0, 3.0], [4.0, np.nan]])
        data = encode_png(grey)
        image = pytest.importorskip("PIL.Image")
        assert np.asarray(image.open(io.BytesIO(data))).tolist() == [[0, 128], [255, 0]]
        colours = np.random.RandomState(0).randint(0, 256, (4, 6, 3), np.uint8)
        assert (
            np.asarray(image.open(io.BytesIO(encode_png(colours)))) == colours
        ).all()
        with pytest.raises(ValueError, match="1 to 4 channels"):
            encode_png(np.zeros((2, 2, 5)))

    def test_what_is_no_image(self, tmp_path):
        (tmp_path / "a.txt").write_text("secret")
        with pytest.raises(ValueError, match="must end in"):
            image_data(tmp_path / "a.txt", None)
        with pytest.raises(ValueError, match="no such file"):
            image_data(tmp_path / "a.png", None)

    def test_words(self):
        assert shown_item({"a": 1, "b": None}, "table") == {"a": "1", "b": ""}
        assert shown_item(np.array([1, np.nan]), "table") == {"0": "1", "1": ""}
        assert shown_item(Path("x/y.png"), "image") == "y.png"
        assert excerpt("a\n b" * 200, "text").startswith("a ba b")
        assert len(excerpt("word " * 9_000, "text")) == 160
        assert excerpt({"a": 1, "b": "x"}, "table") == "a: 1; b: x"


def test_no_more_is_left_than_there_are_rows(path):
    learner = UncertaintySamplingClassifier(GaussianNB(), budget=1_000, random_state=0)
    options = {"ids": list(range(30)), "classes": [0, 1], "test_size": 4}
    with LabelingSession(learner, X, path, **options) as session:
        for i in range(6):
            session.label(session.next(), i % 2)
        session.skip(session.next())
        shown = LabelingView(session, "table").next()
        assert shown.counts.endswith(", 1 skipped, 23 left")
        assert shown.share == 7 / 30
        assert ", 23 left." in str(session)


def test_the_page_answers_before_scikit_learn_is_imported(tmp_path):
    (tmp_path / "a.csv").write_text("text\n" + "".join(f"word {i}\n" for i in range(9)))
    program = (
        "import sys\n"
        "from importlib.machinery import PathFinder\n"
        "class Gate:\n"  # in the loader: other modules can be imported meanwhile
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'sklearn':\n"
        "            spec = PathFinder.find_spec(name, path)\n"
        "            load = spec.loader.exec_module\n"
        "            def wait(module):\n"
        "                sys.stdin.readline()\n"
        "                load(module)\n"
        "            spec.loader.exec_module = wait\n"
        "            return spec\n"
        "sys.meta_path.insert(0, Gate())\n"
        "from sklearn_activelearn.__main__ import main\n"
        "main('label a.csv --text text --classes a,b --out o.sqlite --web'.split())\n"
    )
    with started("-c", program, cwd=tmp_path, stdin=subprocess.PIPE) as server:
        limit = threading.Timer(120, server.kill)  # a page that waits never answers
        limit.daemon = True
        limit.start()
        address = re.fullmatch(r"Open (\S+)\n", server.stdout.readline())[1]
        preparing = ask(address, "next")["preparing"]
        assert preparing.startswith("Getting ready")
        stranger = address.replace("#token=", "#token=0")
        assert ask(stranger, "start")["status"] == 401
        with urllib.request.urlopen(address.partition("#")[0], timeout=20) as page:
            assert b"Loading" in page.read()
        print(file=server.stdin, flush=True)  # scikit-learn may be imported
        while (found := ask(address, "next")).get("preparing"):
            time.sleep(0.05)  # the import needs the processor
        assert found["row"]["item"].startswith("word")
