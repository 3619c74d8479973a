"""Candidate sets: several estimators, of which cross-validation chooses the best."""

from dataclasses import dataclass
from functools import cached_property

from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import ParameterGrid

from .._validation import check_number
from ._cross_validation import check_scoring, cv_scores, middle_of_best, scorer_of
from ._training import Trained, Trainer, train


@dataclass(frozen=True)
class CandidateSet:
    """The models to choose from.

    Parameters
    ----------
    names : list of str
        What they are called.
    settings : list of dict
        What the grid sets in each.
    given : list of classifier
        Each before that.
    """

    names: list
    settings: list
    given: list

    @cached_property
    def estimators(self):
        """The candidates, unfitted."""
        return [
            clone(estimator).set_params(**params) if params else estimator
            for estimator, params in zip(self.given, self.settings, strict=True)
        ]


def candidate_set(estimator, param_grid, estimators, default_grid=None):
    """Return the candidates that a learner's parameters describe.

    Parameters
    ----------
    estimator, param_grid, estimators
        As for the learners.
    default_grid : dict or None
        The grid if nothing is given.
    """
    if estimators is not None:
        if estimator is not None or param_grid is not None:
            raise ValueError(
                "Pass either estimators, or estimator and param_grid, not both."
            )
        try:
            names, candidates = zip(*estimators, strict=True)
        except (TypeError, ValueError):
            raise ValueError(
                "estimators must be a list of (name, classifier), at least one, got "
                f"{estimators!r}."
            ) from None
        if len(set(names)) < len(names):
            raise ValueError(f"estimators has a name twice: {list(names)}.")
        return CandidateSet(list(names), [{}] * len(names), list(candidates))
    if estimator is None and param_grid is None:
        param_grid = default_grid
    estimator = LogisticRegression() if estimator is None else estimator
    if param_grid is None:
        return CandidateSet([type(estimator).__name__], [{}], [estimator])
    settings = list(ParameterGrid(param_grid))
    if not settings:
        raise ValueError(f"param_grid has no candidate: {param_grid!r}.")
    names = [str(params) for params in settings]
    return CandidateSet(names, settings, [estimator] * len(names))


class CandidateTrainer(Trainer):
    """Trains candidates; the best in cross-validation is the model.

    Parameters
    ----------
    candidates : CandidateSet
        What to train.
    cv, scoring, n_jobs
        As for `PassiveClassifier`.
    trains_all : bool
        Whether the others are trained on all labels, too, and vote.
    """

    def __init__(self, candidates, *, cv, scoring, n_jobs, trains_all):
        self.candidates = candidates
        self.cv, self.scoring = cv, scoring
        self.n_jobs, self.trains_all = n_jobs, trains_all

    @property
    def estimators(self):
        """The candidates, unfitted."""
        return self.candidates.estimators

    def check(self):
        """Raise if a parameter is out of its range, or a candidate cannot be scored."""
        super().check()
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        check_scoring(self.scoring, self.estimators)

    def train(self, known, before):
        """Return the best candidate, from scratch."""
        rows = known.labelled, known.classes
        scorings = [self.scoring, *(["accuracy"] if self.trains_all else [])]
        scores, *accuracies = cv_scores(
            known.prototypes,
            *rows,
            [scorer_of(scoring, known.classes) for scoring in scorings],
            self.cv,
            self.n_jobs,
        )
        best = middle_of_best(scores)
        attributes = {
            "model_names_": self.candidates.names,
            "cv_scores_": scores,
            "best_index_": best,
        }
        if not self.trains_all:
            return Trained(train(known.prototypes[best], *rows), attributes)
        models = [train(prototype, *rows) for prototype in known.prototypes]
        (votes,) = accuracies
        votes = votes if votes.any() else votes + 1
        attributes |= {"estimators_": models, "vote_weights_": votes / votes.sum()}
        return Trained(models[best], attributes)
