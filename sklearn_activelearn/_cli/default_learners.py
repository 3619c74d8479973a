"""The learner of the command label: which one a task gets, and with which settings."""

from dataclasses import dataclass, field
from typing import Any

from scipy.sparse import csr_array, issparse
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from .. import ErrorSamplingClassifier, RankAverageClassifier
from ..evaluation._comparison_result import learner_code
from ..pool import (
    ErrorTarget,
    HybridSamplingClassifier,
    RecallTarget,
    RelevanceSamplingClassifier,
)
from ..preprocessing import round_numbers
from .learners import parse_learner, parse_params
from .options import UsageError, tell

#: Number of rows that the default learner scores and compares.
N_ROWS = 1_000
#: Labels between two trainings in Label Studio, where people do not wait for a model.
BATCH_OF_LABEL_STUDIO = 5
#: Labels between two trainings with --find, as a share of the known labels.
BATCH = 0.05


def make_learner(args, task):
    """Return the learner, with the parameters that have options."""
    # the next row is to be there soon
    few = {"n_coverage": N_ROWS, "n_candidates": N_ROWS}
    if args.learner:
        learner = parse_learner(args.learner)
        # what compare recommends begins as the default learner does
        is_hybrid = isinstance(learner, HybridSamplingClassifier)
        params = {"budget": None, **(few if is_hybrid else {})}
        given = parse_params(args.learner.partition(":")[2])
        learner.set_params(**{k: params[k] for k in params if k not in given})
    elif args.machine is not None:
        learner = ErrorSamplingClassifier(
            task.machine,
            machine_confidence=task.confidence,
            estimator=LogisticRegression(C=10.0, max_iter=1_000),
            stopping=plan_check(args, len(task.ids)),
        )
    elif args.find is not None:
        n_dense, model = getattr(task.encoder, "n_dense_", 0), None
        if issparse(task.X) and n_dense:
            model = model_of_words_and_directions(task.X.shape[1] - n_dense)
        learner = RelevanceSamplingClassifier(
            model,
            positive=args.find,
            batch_size=BATCH,
            budget=None,
            stopping=RecallTarget(args.recall or 0.95, positive=args.find),
        )
    else:
        if args.label_studio:
            few["batch_size"] = BATCH_OF_LABEL_STUDIO
        learner = HybridSamplingClassifier(**few, budget=None)
    if args.budget is not None:
        learner.set_params(budget=args.budget)
    n_dense = getattr(task.encoder, "n_dense_", 0)
    params = learner.get_params()
    if n_dense and "embedding" in params and params["embedding"] is None:
        learner.set_params(embedding=LastColumns(n_dense))
    if task.start is not None:
        if "initial" not in learner.get_params():
            raise UsageError(
                f"--start-with: {learner_code(learner)} has no parameter initial"
            )
        learner.set_params(initial=task.start)
    return learner


def plan_check(args, n_rows):
    """Return the `ErrorTarget`; print what it needs, or refuse it."""
    target = ErrorTarget(args.max_error)
    plan = target.plan(n_rows)
    if plan.n_allowed == 0:
        raise UsageError(
            f"--max-error: {args.max_error:g} of {plan.n_rows} rows is less than one "
            "row, so that nothing can be certified: label all rows, without --machine"
        )
    if args.budget is not None and args.budget < plan.n_sample:
        raise UsageError(
            f"--budget: {args.budget} labels do not pay for the random sample of "
            f"{plan.n_sample} rows that the certificate needs"
        )
    tell(str(plan))
    return target


def model_of_words_and_directions(n_weights):
    """Return the average of the ranks by words and by directions.

    Parameters
    ----------
    n_weights : int
        Number of columns with weights; the other columns are directions or vectors.
    """
    model = LinearSVC(C=0.1, class_weight="balanced")
    parts = {"words": slice(0, n_weights), "directions": slice(n_weights, None)}
    return RankAverageClassifier(
        [
            (name, make_pipeline(make_column_transformer(("passthrough", part)), model))
            for name, part in parts.items()
        ]
    )


@dataclass(frozen=True)
class SimilarTo:
    """Score of rows: the cosine of their TF-IDF weights with the weights of some words.

    A session stores the words, from which the row follows.

    Parameters
    ----------
    words : str
        The words that the user gave.
    row : CSR matrix of shape (1, n_features)
        Their weights.
    """

    words: str
    row: Any = field(compare=False, repr=False)

    def __call__(self, X):
        """Return the score of each row."""
        return (X @ self.row.T).toarray().ravel()


@dataclass(frozen=True)
class LastColumns:
    """The last columns of rows, on which distances between texts are measured.

    Parameters
    ----------
    n : int
        Number of columns.
    """

    n: int = field(compare=False)  # it follows from the rows

    def __call__(self, X):
        """Return the columns, dense."""
        last = X[:, X.shape[1] - self.n :]
        return last.toarray() if issparse(last) else last


def score_similarity(words, encoder, X, texts):
    """Return the score of the similarity of rows to words, if some texts have them.

    Parameters
    ----------
    words : str
        The words that the user gave.
    encoder : TextEncoder
        The fitted encoder of the rows.
    X : CSR matrix of shape (n_rows, n_features)
        The rows. Numbers after the weights of their words do not count.
    texts : list of str
        The texts of the rows.
    """
    vectorizer = encoder.vectorizer_
    row = csr_array((1, 0))
    if vectorizer.words_ is not None:
        row = round_numbers(vectorizer.words_.transform([words]))
    if row.nnz == 0:
        # in languages without spaces a word is a part of what the vectorizer takes for
        # one: the rows to find are like the texts that have it
        part = words.strip().casefold()
        found = [n for n, text in enumerate(texts) if part and part in text.casefold()]
        if not found:
            names = " and ".join(map(repr, encoder.columns))
            raise ValueError(f"the column {names} has none of the words {words!r}.")
        blocks = vectorizer.words_, vectorizer.parts_
        n_weights = sum(
            len(each.get_feature_names_out()) for each in blocks if each is not None
        )
        row = csr_array(X[found][:, :n_weights].sum(axis=0).reshape(1, -1))
    row.resize((1, X.shape[1]))
    return SimilarTo(words, row)
