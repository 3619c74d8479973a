"""Active learning on labelled data, as if the labels had to be bought."""

from ._labels import encode, find_classes

#: What `fit` leaves, to be replaced by those of its own rows.
FEATURES = {"n_features_in_", "feature_names_in_"}


class Simulation:
    """`fit` and `partial_fit` of every learner."""

    def fit(self, X, y):
        """Simulate active learning on labelled data, from scratch.

        The label of a row is used only if the learner buys it; the set of
        classes is read up front.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            The stream or the pool.
        y : array-like of shape (n_rows,)
            The answer sheet.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            For NaN or infinity, labels of one class or continuous ones, or a
            parameter out of its range.
        """
        draft = self._changing()
        X, codes = draft.learner._enter_anew(X, y)
        draft.learner._simulate(X, codes, anew=True)
        return draft.commit()

    def partial_fit(self, X, y, classes=None):
        """Simulate active learning on more labelled data, from where it stands.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_rows, n_features)
            The next rows, taken in order.
        y : array-like of shape (n_rows,)
            The answer sheet.
        classes : array-like of shape (n_classes,), default=None
            All labels that can occur. Needed unless the learner knows them.

        Returns
        -------
        self : object
            The learner.

        Raises
        ------
        ValueError
            As for `fit`, and for a label outside the classes.
        """
        draft = self._changing()
        X, codes = draft.learner._enter_more(X, y, classes)
        draft.learner._simulate(X, codes, anew=False)
        return draft.commit()

    def _enter_anew(self, X, y):
        """Forget everything; return validated rows and the codes of their labels."""
        self._check_parameters()
        X, y = self._check_rows(X, y, reset=True)
        classes = find_classes(y)
        for name in set(vars(self)) - set(self.get_params(deep=False)) - FEATURES:
            if name.endswith("_") and not name.startswith("_"):
                delattr(self, name)
        self._begin()
        self._set_classes(classes)
        return X, encode(y, classes)

    def _enter_more(self, X, y, classes):
        """Return validated rows and the codes of their labels."""
        X, y = self._enter(X, y)
        self._expect(classes, y)
        return X, encode(y, self.classes_)
