"""Training of candidates, together where that is possible, and the choice of one."""

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from ..._validation import check_number, check_option
from .._cross_validation import middle_of_best, stratified_folds
from .._input_checks import refuse_pairwise_scores
from .._losses import LOSSES, loss_of
from .._training import Trained, Trainer, train
from ._allocation import VALIDATION, Allocation
from ._gram_models import GramModels, shared_key, split, why_not
from ._refitted_models import RefittedModels
from ._value_of_information import (
    losses_without_one,
    lower_ends,
    model_probabilities,
)


class ALMSTrainer(Trainer):
    """Trains candidates on one set of labels and chooses among them by the other.

    Parameters
    ----------
    candidates : CandidateSet
        What to choose from.
    voi, loss, temperature, selection, cv, n_jobs
        As for `ALMSClassifier`.
    """

    def __init__(self, candidates, *, voi, loss, temperature, selection, cv, n_jobs):
        self.candidates = candidates
        self.voi, self.loss, self.temperature = voi, loss, temperature
        self.selection, self.cv, self.n_jobs = selection, cv, n_jobs

    @property
    def estimators(self):
        """The candidates, unfitted."""
        return self.candidates.estimators

    @property
    def keeps_pool(self):
        """Transformers are trained on the pool where models are trained together."""
        may_share = self._may_share(self.estimators)
        return may_share and any(split(estimator)[0] for estimator in self.estimators)

    def shares(self, known):
        """Whether the models can be trained together."""
        return len(known.classes) == 2 and self._may_share(known.prototypes)

    def _may_share(self, estimators):
        return self.voi != "refit" and not any(map(why_not, estimators))

    def check(self):
        super().check()
        check_number(self.cv, "cv", 2, closed="left", integer=True)
        check_option(self.voi, "voi", ("auto", "gram", "refit"))
        check_option(self.selection, "selection", ("cv", "leave_one_out", VALIDATION))
        if not callable(self.loss):
            check_option(self.loss, "loss", LOSSES)
        loss_of(self.loss)(np.array([0, 1]), np.array([[0.5, 0.5], [0.75, 0.25]]))
        if self.temperature is not None:
            check_number(self.temperature, "temperature", 0)
        for estimator in self.estimators:
            if not hasattr(estimator, "predict_proba"):
                if not hasattr(estimator, "decision_function"):
                    raise TypeError(
                        f"ALMSClassifier needs candidates with predict_proba or "
                        f"decision_function; {estimator} has neither."
                    )
                refuse_pairwise_scores(estimator)
            if self.voi == "gram" and (reason := why_not(estimator)):
                raise ValueError(
                    f'voi="gram" does not go with {estimator}: {reason}. Use "refit".'
                )

    def adapt_tags(self, tags):
        super().adapt_tags(tags)
        tags.classifier_tags.multi_class &= self.voi != "gram"

    def check_number_of(self, classes):
        """Refuse more classes than were asked to be trained together."""
        if self.voi == "gram" and len(classes) > 2:
            raise ValueError(
                f'voi="gram" is for two classes, got {len(classes)}: '
                f'{classes.tolist()}. Use "auto" or "refit".'
            )

    def engine(self, known, X=None, n_candidates=0):
        """Return the candidates as the value of information wants them.

        Parameters
        ----------
        known : Known
            What they are trained on.
        X, n_candidates
            As for `GramModels`: the rows whose labels might be bought.
        """
        self.check_number_of(known.classes)  # `voi` may be new
        is_validation = Allocation(known.labelled, known.purposes).is_validation
        rows, loss = (known.labelled, is_validation), loss_of(self.loss)
        if not self.shares(known):
            return RefittedModels(
                known.prototypes, *rows, known.classes, loss, X, n_candidates
            )
        return GramModels(
            known.prototypes,
            *rows,
            loss,
            X,
            n_candidates,
            lambda before: transformers(before, known),
        )

    def weights(self, losses):
        """Return how probable each model is, given its losses on the validation set."""
        return model_probabilities(lower_ends(losses), self.temperature)

    def train(self, known, before):
        """Return the chosen candidate, trained on both sets."""
        models, m = self.engine(known), len(known.prototypes)
        can_validate = Allocation(known.labelled, known.purposes).can_validate
        probabilities = np.full(m, 1 / m)
        if can_validate:
            losses, _ = models.trained()
            probabilities = self.weights(losses)
        if self.selection == "cv" or not can_validate:
            losses = self._losses_in_cv(models, known.labelled)
        else:
            if self.selection == "leave_one_out":
                rows = np.arange(models.n_validation)
                nobody = np.empty(0, dtype=int)
                workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
                losses, _ = losses_without_one(workers, models, rows, nobody)
        best = middle_of_best(-losses.mean(axis=1))
        attributes = {
            "model_names_": self.candidates.names,
            "best_index_": best,
            "best_params_": self.candidates.settings[best],
        }
        model = self._trained_on_all(known, known.prototypes[best])
        return Trained(model, attributes, probabilities)

    def _losses_in_cv(self, models, labelled):
        """Return the loss of each model on each row in K-fold cross-validation.

        With one row of the second class there are no folds, and all losses are 0.
        """
        fold, n_folds = stratified_folds(labelled.codes, self.cv)
        losses = np.zeros((len(self.candidates.names), len(fold)))
        if n_folds > 1:
            folds = [np.flatnonzero(fold == k) for k in range(n_folds)]
            workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
            for rows, found in zip(
                folds, workers(map(delayed(models.without_fold), folds)), strict=True
            ):
                losses[:, rows] = found
        return losses

    def _trained_on_all(self, known, prototype):
        before, model = split(prototype)
        if before is None or not self.shares(known):
            return train(prototype, known.labelled, known.classes)
        change = transformers(before, known)
        labels = known.classes[known.labelled.codes]
        model = clone(model).fit(change.transform(known.labelled.rows), labels)
        steps = [*change.steps, (prototype.steps[-1][0], model)]
        return clone(prototype).set_params(steps=steps)


def transformers(before, known):
    """Return transformers trained on the pool and the labelled rows."""
    return known.pool.fitted(shared_key(before), clone(before).fit, known.labelled.rows)
