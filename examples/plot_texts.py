"""
=====================
Labels for raw texts
=====================

A pool learner passes on what its estimator understands, so a pipeline that begins
with a vectoriser takes raw texts. Here the texts are the summaries of functions and
classes, and the label is the library that they come from.
"""

# %%
# Texts that every installation has
# ---------------------------------

import inspect
from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from sklearn_activelearn import PassiveClassifier, UncertaintySamplingClassifier
from sklearn_activelearn.evaluation import label_curve

MODULES = {
    "numpy": "numpy numpy.linalg numpy.fft numpy.ma",
    "scipy": "scipy.stats scipy.signal scipy.linalg scipy.special scipy.optimize",
    "sklearn": "sklearn.linear_model sklearn.metrics sklearn.preprocessing "
    "sklearn.ensemble sklearn.datasets sklearn.model_selection sklearn.cluster",
    "matplotlib": "matplotlib.pyplot matplotlib.axes matplotlib.colors",
}


def summaries(module):
    """Yield the first paragraph of the docstring of everything public."""
    for name, item in vars(import_module(module)).items():
        text = None if name.startswith("_") else inspect.getdoc(item)
        if text and not inspect.ismodule(item):
            yield " ".join(text.partition("\n\n")[0].split())


labels = {
    text: library
    for library, modules in MODULES.items()
    for module in modules.split()
    for text in summaries(module)
}
texts, y = np.array(list(labels), dtype=object), np.array(list(labels.values()))
for library in MODULES:
    print(f"{(y == library).sum():4} texts of {library}")

# %%
# The vectoriser inside, or in front
# ----------------------------------
#
# Inside the learner it knows the words of the bought texts only. It needs no labels,
# though: in front of the learner it sees all texts before the first one is bought. What
# asking saves is little in either case, and which is better depends on the texts (these
# change with the versions installed): measure it on texts of your own.

model = LogisticRegression(C=10.0, max_iter=1_000)
inside = make_pipeline(TfidfVectorizer(), model)
settings = {"budget": 150, "batch_size": 10}
uncertain = UncertaintySamplingClassifier(model, measure="margin", **settings)
learners = {
    "random texts": (PassiveClassifier(inside, **settings), {"color": "0.4"}),
    "uncertain texts": (
        UncertaintySamplingClassifier(inside, measure="margin", **settings),
        {"color": "#0072B2"},
    ),
    "uncertain texts, vectoriser in front": (
        make_pipeline(TfidfVectorizer(), uncertain),
        {"color": "#0072B2", "ls": "--"},
    ),
}

figure, axis = plt.subplots(figsize=(7, 4.2), layout="constrained")
for name, (learner, style) in learners.items():
    curve = label_curve(learner, texts, y, at=range(10, 151, 10), random_state=0)
    axis.plot(curve.n_labels, 1 - curve.mean, lw=2, label=name, **style)
axis.set(xlabel="texts labelled", ylabel="held-out error", ylim=0)
axis.legend(frameon=False)
plt.show()
