"""Variants of ALMS for the experiments of Ali et al. (2014)."""

import numpy as np
from joblib import Parallel
from scipy.special import softmax

from sklearn_activelearn import ALMSClassifier
from sklearn_activelearn.pool.alms._alms import VALIDATION, ALMSTrainer, can_validate
from sklearn_activelearn.pool.alms._value_of_information import (
    divide,
    draw_left_out,
    model_probabilities,
    values_of_labels,
)
from sklearn_activelearn.utils._statistics import lower_ends


class VariantTrainer(ALMSTrainer):
    """Trainer whose `label`, `temperature` and `selection` are set by `ALMSVariant`."""

    def weigh(self, losses):
        """Return the softmax of minus the losses over the temperature, if it is set."""
        if self.temperature is None:
            return model_probabilities(losses)
        return softmax(-losses / self.temperature, axis=0)

    def values_of_information(self, known, X, n_pairs, rng):
        """Return the values, averaged over the labels if ``label="expected"``."""
        if self.label == "predicted":
            return super().values_of_information(known, X, n_pairs, rng)
        models = self.models_on(known, X)
        losses, probabilities = models.trained()
        weights = self.weigh(lower_ends(losses))
        expected = np.tensordot(weights, probabilities, axes=1)
        left_out = draw_left_out(models.n_validation, n_pairs, rng)
        values = [
            values_of_labels(
                models, self.weigh, np.full(len(share), code), *left_out, self.n_jobs
            )
            for code, share in enumerate(expected.T)
        ]
        return np.einsum("cpn,nc->pn", values, expected)

    def losses_to_choose_by(self, models, known):
        """Return the losses that choose the model."""
        is_validation = known.purposes == VALIDATION
        if self.selection == "cv" or not can_validate(
            known.labelled.codes, is_validation
        ):
            return super().losses_to_choose_by(models, known)
        if self.selection == "validation":
            return models.trained()[0]
        rows, nobody = np.arange(models.n_validation), np.empty(0, dtype=int)
        workers = Parallel(n_jobs=self.n_jobs, prefer=models.prefer)
        parts = divide(workers, models.without_one, rows, nobody)
        return np.concatenate([own for own, _ in parts], axis=1)


class ALMSVariant(ALMSClassifier):
    """ALMS with other readings of the paper; set the attributes before `fit`.

    Attributes
    ----------
    label : {"predicted", "expected"}
        Label with which a row is tried: the most probable one, or each class in turn,
        with the values averaged by the class probabilities.
    temperature : float or None
        None: equation 3. A number: model probabilities are the softmax of minus the
        losses over it.
    selection : {"cv", "validation", "leave_one_out"}
        Losses that choose the model: in cross-validation, on the validation set when
        trained on the training set (as published), or on each validation row when
        trained on all other rows.
    """

    label, temperature, selection = "predicted", None, "cv"

    def _make_trainer(self):
        usual = super()._make_trainer()
        trainer = VariantTrainer(usual.candidates, usual.cv, usual.n_jobs, usual.refits)
        trainer.label, trainer.temperature = self.label, self.temperature
        trainer.selection = self.selection
        return trainer


def variant(estimator, label="predicted", temperature=None, selection="cv", **params):
    """Return an `ALMSVariant` with its attributes set."""
    learner = ALMSVariant(estimator, **params)
    learner.label, learner.temperature = label, temperature
    learner.selection = selection
    return learner
