"""Hypothesis profiles: the same few examples every time, or many new ones.

``pytest`` alone always does the same, so that a failure is that of a change. To look
for what nobody has seen, for so many minutes::

    pytest --hypothesis-profile=explore --hypothesis-seed=1 --minutes=6

runs what draws examples, and on every learner what else runs on one row a family or on
one for each way in which rows are checked, in an order that the seed decides and that
no other test changes.
"""

import io
import os
import pkgutil
import signal
import sys
from contextlib import suppress
from importlib import import_module
from random import Random
from time import monotonic

# before any library is loaded: matrices are small here, and the threads of several
# test processes would fight
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings
from sklearn import config_context
from sklearn.linear_model import LogisticRegression

import sklearn_activelearn
from sklearn_activelearn.__main__ import main

settings.register_profile("suite", max_examples=10, deadline=None, derandomize=True)
settings.register_profile("explore", max_examples=200, deadline=None)
settings.load_profile("suite")

BEGUN = monotonic()


def pytest_addoption(parser):
    parser.addoption("--minutes", type=float, help="begin no test after so long")


def pytest_collection_finish():
    """Load all modules: what Hypothesis draws depends on those that are loaded."""
    path = sklearn_activelearn.__path__
    for module in pkgutil.walk_packages(path, "sklearn_activelearn."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # libraries that need not be there
                import_module(module.name)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    if settings.get_current_profile_name() == "explore":
        marks = ("hypothesis", "every_learner")
        items[:] = [item for item in items if any(map(item.get_closest_marker, marks))]
        seed = config.getoption("hypothesis_seed") or 0
        items.sort(key=lambda item: Random(f"{seed} {item.nodeid}").random())


def pytest_runtest_setup(item):
    minutes = item.config.getoption("minutes")
    if minutes is not None and monotonic() - BEGUN > 60 * minutes:
        pytest.skip("the time is over")
    # learners and sessions that have no seed draw one from this generator
    np.random.seed(int(item.config.getoption("hypothesis_seed") or 0))  # noqa: NPY002


@pytest.fixture
def ctrl_c():
    """Have Ctrl-C do what it does; programs in the background are begun without."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def folder():
    """A folder for sessions, in memory where there is such a place."""
    from tests.reference.labeling import quick_folder

    with quick_folder() as folder:
        yield folder


@pytest.fixture
def path(folder):
    """The file of a session that has not begun."""
    return folder / "labels.sqlite"


@pytest.fixture
def command(monkeypatch, capsys):
    """Return a function that carries out a command with lines as answers.

    It returns what was printed, and what was said beside it.
    """

    def run(*argv, answers="", code=0):
        monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
        assert main([*map(str, argv)]) == code
        return capsys.readouterr()

    return run


@pytest.fixture
def small_files():
    """Let no file grow beyond a number of bytes, as a full disk does."""
    resource = pytest.importorskip("resource", reason="there are no such limits here")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda n: resource.setrlimit(resource.RLIMIT_FSIZE, (n, before[1]))
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def routing():
    """Have scikit-learn route weights and other values of rows."""
    with config_context(enable_metadata_routing=True):
        yield


@pytest.fixture
def no_figures_left():
    """Draw without a window, and close what was drawn."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")


@pytest.fixture
def quick_blend(monkeypatch):
    """Make the default model a blend of one kind of model, which trains quickly."""
    found = [("logistic", LogisticRegression()), ("weak", LogisticRegression(C=0.01))]
    path = "sklearn_activelearn.batch._blend.default_candidates"
    monkeypatch.setattr(path, lambda *rows: found)


@pytest.fixture(scope="session")
def static_model(tmp_path_factory):
    """Return the folder of a small model of model2vec, with random vectors of words."""
    model2vec = pytest.importorskip("model2vec", reason="model2vec is not installed")
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    words = ["[UNK]", "[PAD]", "the", "film", "good", "bad", "goal", "team", "note"]
    tokenizer = Tokenizer(WordLevel({w: k for k, w in enumerate(words)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.random.default_rng(0).normal(size=(len(words), 8))
    folder = tmp_path_factory.mktemp("static model")
    model2vec.StaticModel(vectors.astype(np.float32), tokenizer).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def sentence_model(tmp_path_factory):
    """Return the folder of a small model of sentence-transformers, not trained."""
    st = pytest.importorskip("sentence_transformers", reason="it brings PyTorch")
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("sentence model")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "film", "plot", "good", "goal", "team"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")
    torch.manual_seed(0)
    config = BertConfig(len(words), 16, 1, 2, 32)
    BertModel(config).save_pretrained(folder)
    BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    st.SentenceTransformer(str(folder)).save(str(folder / "whole"))  # with the mean
    return folder / "whole"
