"""Candidates trained together where they can be, with transformers of the pool."""

from functools import wraps
from warnings import warn

from sklearn.base import clone

from .._training import train
from ._gram_models import GramModels, key_of, split, why_not
from ._newton import NotSolved
from ._refitted_models import RefittedModels
from ._value_of_information import loss_of


def anew_if_that_fails(method):
    """Let a method of a learner with `voi="auto"` try again with models refitted."""

    @wraps(method)
    def run(self, *args):
        try:
            return method(self, *args)
        except NotSolved:
            if self.voi != "auto" or not self._shares:
                raise
            warn(
                "Some logistic regressions could not be trained together; they are "
                "refitted from now on, which takes much longer. Scale the features.",
                stacklevel=2,
            )
            self._gave_up = True
            return method(self, *args)

    return run


class Together:
    """A learner with `voi` and `loss`: how its candidates are trained."""

    def _begin(self):
        super()._begin()
        self._gave_up = False

    @property
    def _keeps_pool(self):
        """Transformers are trained on the pool where models are trained together."""
        return self._may_share and any(split(p)[0] for p in self._prototypes)

    @property
    def _may_share(self):
        wanted = self.voi == "gram" or (self.voi == "auto" and not self._gave_up)
        return wanted and not any(map(why_not, self._prototypes))

    @property
    def _shares(self):
        """Whether the models can be trained together."""
        return self._may_share and len(self.classes_) == 2

    def _set_classes(self, classes):
        self._check_number_of(classes)
        super()._set_classes(classes)

    def _check_number_of(self, classes):
        """Refuse more classes than were asked to be trained together."""
        if self.voi == "gram" and len(classes) > 2:
            raise ValueError(
                f'voi="gram" is for two classes, got {len(classes)}: '
                f'{classes.tolist()}. Use "auto" or "refit".'
            )

    def _trainings(self, X=None, n_candidates=0):
        """Return the candidates as the value of information wants them."""
        self._check_number_of(self.classes_)  # `voi` may be new
        known, loss = (self._labelled, self._is_validation), loss_of(self.loss)
        if self._shares:
            return GramModels(
                self._prototypes, *known, loss, X, n_candidates, self._transformers
            )
        return RefittedModels(
            self._prototypes, *known, self.classes_, loss, X, n_candidates
        )

    def _transformers(self, before):
        """Return transformers trained on the pool and the labelled rows."""
        fit = clone(before).fit
        return self._pool.fitted(key_of(before), fit, self._labelled.rows)

    def _trained_on_all(self, prototype):
        before, model = split(prototype)
        if before is None or not self._shares:
            return train(prototype, self._labelled, self.classes_)
        change = self._transformers(before)
        labels = self.classes_[self._labelled.codes]
        model = clone(model).fit(change.transform(self._labelled.rows), labels)
        steps = [*change.steps, (prototype.steps[-1][0], model)]
        return clone(prototype).set_params(steps=steps)
