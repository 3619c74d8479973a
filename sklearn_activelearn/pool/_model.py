"""The model of a pool learner, and the labels with which it was trained."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from ._training import MOST_SCALED, Known, Trained


@dataclass(frozen=True)
class LearnerModel:
    """Result of the last training, and what the next one goes on from.

    The methods return another one, and never change it in place. They train on a
    `Known`, which the learner makes of its labels.

    Parameters
    ----------
    trained : Trained, optional
        Result of the last training.
    n_labels : int
        Number of labels with which it was trained; 0 before the first training.
    scaler : StandardScaler, optional
        Scales a pool for the default blend; fitted on the last pool.
    n_before_pool : int, optional
        Number of labels that were known when the first pool came.
    """

    trained: Trained | None = None
    n_labels: int = 0
    scaler: Any = None
    n_before_pool: int | None = None

    @property
    def attributes(self):
        """Fitted attributes of the learner that the training has made."""
        if self.trained is None:
            return {}
        return {"estimator_": self.trained.model, **self.trained.attributes}

    def known(self, prototypes, ledger, target, pool, seed):
        """Return the labels of a learner as its trainer takes them."""
        return Known(
            prototypes,
            ledger.labelled,
            ledger.purposes[ledger.taught],
            target.table,
            pool,
            self.n_labels,
            seed,
            target.names,
            self.scaler_for(len(ledger.labelled)),
        )

    # Training

    def can_learn_from(self, labelled):
        """Return True if there are new labels, and labels of two classes."""
        return self.n_labels < len(labelled) and labelled.has_two_classes

    def train(self, trainer, known):
        """Return the model trained on all labels."""
        trained = trainer.train(known, self.trained)
        return replace(self, trained=trained, n_labels=len(known.labelled))

    def forget(self):
        """Return the model before the first training, with the scaler of the pool."""
        return replace(self, trained=None, n_labels=0)

    def train_in_turn(self, trainer, known, target, calls):
        """Return the model after all calls that taught labels but the last one.

        Only models that continue earlier ones are trained. As before, a call on whose
        labels the estimator fails trains nothing.

        Parameters
        ----------
        trainer : Trainer
            Trainer of the learner.
        known, target, calls
            As for `first_labels`.
        """
        model = self.forget()
        for call in calls[:-1] if trainer.goes_on else ():
            part = first_labels(known, target, calls, call.n_labels)
            if model.can_learn_from(part.labelled):
                with suppress(Exception):  # it was a warning then
                    model = model.train(trainer, part._replace(n_before=model.n_labels))
        return model

    # The scale of the pool

    def offer_pool(self, scaler, n_labels):
        """Return the model that knows a pool, offered after n labels.

        The scaler is None for a pool that cannot be scaled; the last one then stays.
        """
        n_before = n_labels if self.n_before_pool is None else self.n_before_pool
        return replace(self, scaler=scaler or self.scaler, n_before_pool=n_before)

    def scaler_for(self, n_labels):
        """Return the scaler of a training; None: labelled rows scale themselves.

        They do while all labels were taught before the first pool: a query changes no
        predictions, and `restore` trains the same model. They also do if the last pool
        has fewer rows than there are labels, as a query on the best few rows.
        """
        scaler = self.scaler
        if scaler is None or n_labels <= self.n_before_pool:
            return None
        is_large = scaler.n_samples_seen_ >= min(n_labels, MOST_SCALED)
        return scaler if is_large else None


def first_labels(known, target, calls, n_labels):
    """Return the first labels of a learner, and the classes known at that time.

    Parameters
    ----------
    known : Known
        All labels.
    target : LabelTarget
        All classes.
    calls : tuple of TeachCall
        The calls that taught the labels.
    n_labels : int
        Number of labels.
    """
    declared = next(call.declared for call in calls if call.n_labels >= n_labels)
    labelled = known.labelled.part(slice(n_labels))
    target, codes = target.restrict(declared, labelled.codes)
    return known._replace(
        labelled=replace(labelled, codes=codes),
        purposes=known.purposes[:n_labels],
        classes=target.table,
        label_names=target.names,
        pool=known.pool.first(n_labels),
        n_before=0,
    )
