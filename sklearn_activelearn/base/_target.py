"""The target of a learner: its classes, and the codes by which labels are stored."""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from ..utils.typing import Labels
from ._labels import (
    are_indicators,
    check_classes,
    distinct_labels,
    encode,
    encode_answers,
    encode_label_sets,
    expected_classes,
    first_missing_label,
    label_names,
)
from ._scores import (
    label_probabilities,
    label_scores,
    probabilities_of_all,
    scores_of,
    scores_of_all,
)


@dataclass(frozen=True)
class LabelTarget:
    """Classes of a learner, or the names of several labels for a row.

    A label is stored as its code, its position in `table`. A change of the classes
    makes another target, by which stored labels are coded again.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,), optional
        Known classes, sorted. Of several labels for a row the names of the columns.
    declared : tuple
        Classes that a caller has named, known with or without a label.
    may_grow : bool
        True if a label may bring a new class.
    label_sets : ndarray of shape (n_sets, n_labels), optional
        Sorted label sets that rows have; None if each row has one label.
    """

    classes: Labels | None = None
    declared: tuple = ()
    may_grow: bool = True
    label_sets: Labels | None = None

    @property
    def has_label_sets(self):
        """True if a row may have several labels."""
        return self.label_sets is not None

    @property
    def table(self):
        """Labels by their codes: the classes, or the label sets that rows have."""
        return self.classes if self.label_sets is None else self.label_sets

    @property
    def names(self):
        """Names of several labels for a row; None if each row has one label."""
        return None if self.label_sets is None else self.classes

    def encode(self, y):
        """Return the codes of known labels, or of known label sets."""
        if self.label_sets is None:
            return encode(y, self.classes)
        return encode_label_sets(y, self.label_sets)[1][len(self.label_sets) :]

    def declare(self, classes):
        """Return the target whose classes are these sorted ones and no others."""
        return replace(
            self, classes=classes, declared=tuple(classes.tolist()), may_grow=False
        )

    def also_declare(self, classes):
        """Return the target in which a caller has named these known classes, too."""
        declared = tuple(dict.fromkeys((*self.declared, *classes)))
        return replace(self, declared=declared)

    def register(self, classes, y=()):
        """Return the target after a call with these labels.

        Parameters
        ----------
        classes : array-like or None
            Classes that the caller names.
        y : ndarray
            Labels, or an indicator matrix of several labels for a row.

        Raises
        ------
        ValueError
            For classes that differ from earlier ones, or labels that are no labels.
        """
        if np.ndim(y) == 2:
            return self._register_label_sets(classes, y)
        if self.label_sets is not None:
            if len(y):
                raise ValueError(
                    f"y must have a column for each of the {len(self.classes)} labels "
                    "that the learner knows, got one label for each row."
                )
            return self._register_label_sets(classes, self.label_sets)
        if not self.may_grow:
            expected_classes(classes, self.classes)
            return self
        if classes is not None:
            target = self.declare(check_classes(classes))
            # in the order of the columns, should rows have several labels
            order = tuple(dict.fromkeys(np.asarray(classes).tolist()))
            return replace(target, declared=order)
        if not len(y):
            return self
        classes = distinct_labels(y, "y", self.classes)
        return self if classes is self.classes else replace(self, classes=classes)

    def _register_label_sets(self, classes, y):
        known, n_labels = self.classes, y.shape[1]
        if self.label_sets is not None and n_labels != len(known):
            raise ValueError(
                f"y must have a column for each of the labels {known.tolist()}, got "
                f"{n_labels} columns."
            )
        target = self
        if self.label_sets is None or self.may_grow:
            names = (self.declared or None) if classes is None else classes
            target = replace(self, classes=label_names(names, n_labels))
            if names is not None:
                target = target.declare(target.classes)
        elif classes is not None and list(classes) != known.tolist():
            raise ValueError(
                f"classes must be {known.tolist()}, as in earlier calls, got "
                f"{list(classes)}."
            )
        label_sets, _ = encode_label_sets(y, self.label_sets)
        return replace(target, label_sets=label_sets)

    def restrict(self, declared, codes):
        """Leave out the classes that are not declared and have no label.

        Parameters
        ----------
        declared : tuple
            Classes that a caller has named.
        codes : ndarray of int32
            Codes of all labels.

        Returns
        -------
        target : LabelTarget
            The other classes, or label sets.
        codes : ndarray of int32
            New codes of the labels.
        """
        table, is_kept = self.table, np.zeros(len(self.table), dtype=bool)
        if self.label_sets is None:
            is_kept[:] = [label in declared for label in table.tolist()]
        is_kept[codes] = True
        kept = np.flatnonzero(is_kept)
        name = "classes" if self.label_sets is None else "label_sets"
        codes = np.searchsorted(kept, codes).astype(np.int32)
        return replace(self, **{name: table[kept]}), codes

    def register_answers(self, labels, rows):
        """Register the labels of an oracle, of which some may be wrong.

        Parameters
        ----------
        labels : ndarray of shape (n_rows,) or (n_rows, n_labels)
            Labels that the oracle returned.
        rows : ndarray of int of shape (n_rows,)
            Row numbers that it was asked for.

        Returns
        -------
        target : LabelTarget
            It knows the right labels.
        codes : ndarray of int32 of shape (n_rows,)
            Codes of the labels, -1 for a wrong one.
        error : str
            Text of the error for wrong labels, empty if all are right.
        """
        wrong = np.full(len(rows), -1, dtype=np.int32)
        if labels.ndim == 2:
            return self._register_answered_sets(labels, rows, wrong)
        if self.label_sets is not None:
            return (
                self,
                wrong,
                f"oracle must return a column for each of the {len(self.classes)} "
                "labels that the learner knows, got one label for each row.",
            )
        target, detail = self, ""
        try:
            target = self.register(None, labels)
        except ValueError as error:
            detail = f" {error}"
            if first_missing_label(labels) >= 0:
                detail = " Each row needs a label, not None or NaN."
            for i in range(len(labels)):  # some of the labels may be right
                with suppress(ValueError):
                    target = target.register(None, labels[[i]])
        classes = [] if target.classes is None else target.classes.tolist()
        known = {label: code for code, label in enumerate(classes)}
        codes, error = encode_answers(labels, rows, known)
        return target, codes, error and error + detail

    def _register_answered_sets(self, labels, rows, codes):
        """Register label sets; if the number of columns is wrong, all are wrong."""
        is_right = are_indicators(labels).all(axis=1)
        label_sets = labels[is_right].astype(np.int64)
        try:
            target = self.register(None, label_sets)
        except ValueError as error:
            return self, codes, str(error)
        codes[is_right] = target.encode(label_sets)
        if is_right.all():
            return target, codes, ""
        wrong = np.flatnonzero(~is_right)[0]
        return (
            target,
            codes,
            "oracle must return 1 where a row has a label and 0 where it has not, got "
            f"{labels[wrong].tolist()} for row {rows[wrong]}.",
        )

    def probabilities(self, model, X):
        """Return the probability of each class or label; 0 for an unknown class."""
        if self.label_sets is not None:
            return label_probabilities(model, X)
        return probabilities_of_all(model, X, self.classes)

    def scores(self, model, X):
        """Return the decision values: one for two classes, else a column for each.

        An unknown class is 1 below the lowest of the others. Several labels for a row
        have a column each.
        """
        if self.label_sets is not None:
            return label_scores(model, X)
        if np.array_equal(model.classes_, self.classes):
            return scores_of(model, X)
        scores = scores_of_all(model, X, self.classes)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def name_of(self, label):
        """Return a label, or a text of the names of a label set."""
        if self.label_sets is None:
            return label
        names = [str(name) for name in self.classes[label.astype(bool)].tolist()]
        return ", ".join(names) or "no label"
