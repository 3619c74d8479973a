"""Docstrings are written out where they stand; texts of one parameter stay alike."""

import inspect
from collections import defaultdict
from difflib import SequenceMatcher
from importlib import import_module

from numpydoc.docscrape import NumpyDocString

MODULES = [
    "audit", "batch", "datasets", "evaluation", "labeling", "losses", "pool",
    "preprocessing", "sources", "stream", "testing",
]  # fmt: skip
#: Two texts are copies of which one was changed if they are more alike than this, and
#: texts of different facts if they are less alike.
ALIKE = 0.8
#: Texts that are alike and say different things, by the names of their entries.
DIFFERENT = {
    ("a", "SOLEClassifier", "SecondOrderPerceptronClassifier"),
    ("average", "CBGZClassifier", "StreamClassifier"),
    ("coef_", "CBGZClassifier", "RLSSamplingClassifier"),
    ("estimator", "ASSLBoostClassifier", "COMBClassifier"),
    ("feature_names_in_", "BatchMarginLossClassifier", "ErrorSamplingClassifier"),
    ("fit_intercept", "CBGZClassifier", "RLSSamplingClassifier"),
    ("h", "SmoothHingeLoss", "SmoothRampLoss"),
    ("n_candidates", "HybridSamplingClassifier", "UncertaintyHerdingClassifier"),
    ("n_jobs", "compare", "label_curve"),
    ("n_labels", "NoNewClass", "Progress.model_after"),
    ("normalize", "CBGZClassifier", "GreedyOnlineClassifier"),
    ("random_state", "HybridSamplingClassifier", "UncertaintyHerdingClassifier"),
    ("stopping", "ALMSClassifier", "ASSLBoostClassifier"),
    ("t", "LogRampLoss", "RootRampLoss"),
    ("uses_norm", "QueryRule", "UpdateRule"),
    ("y", "PoolClassifier.fit", "compare"),
}


def public_objects():
    """Return the public classes and functions by their qualified names."""
    found = {}
    for section in MODULES:
        module = import_module(f"sklearn_activelearn.{section}")
        for name in module.__all__:
            item = getattr(module, name)
            found[item.__qualname__ if inspect.isclass(item) else name] = item
    return found


def documented_objects():
    """Yield the names and docstrings of public objects, and of their own methods."""
    for name, item in public_objects().items():
        yield name, inspect.getdoc(item)
        for method, function in vars(item).items() if inspect.isclass(item) else ():
            if inspect.isfunction(function) and not method.startswith("_"):
                yield f"{name}.{method}", inspect.getdoc(function)


def entries():
    """Return the texts of each entry: {name: {text: [where]}}."""
    found = defaultdict(lambda: defaultdict(list))
    for where, text in documented_objects():
        sections = NumpyDocString(text or "")
        for section in ("Parameters", "Attributes", "Returns"):
            for entry in sections[section]:
                description = " ".join(" ".join(entry.desc).split())
                found[entry.name][description].append(where)
    return found


def test_copies_of_a_text_do_not_drift_apart():
    found = entries()
    assert len(found["random_state"]) < sum(map(len, found["random_state"].values()))
    drifted = {
        (name, *sorted((places[0], found[name][other][0])))
        for name, texts in found.items()
        for text, places in texts.items()
        for other in texts
        if text < other and is_copy(text, other)
    }
    assert drifted - DIFFERENT == set()


def is_copy(text, other):
    """Return True for two texts that differ in a few words."""
    matcher = SequenceMatcher(None, text.split(), other.split(), autojunk=False)
    return matcher.quick_ratio() > ALIKE and matcher.ratio() > ALIKE


def test_texts_that_differ_in_a_word_are_noticed():
    text = "Number of labels bought since the last fit, less refunds."
    assert is_copy(text, text.replace("bought", "purchased"))
    assert not is_copy(text, "Row numbers of the labels that the last fit bought.")
