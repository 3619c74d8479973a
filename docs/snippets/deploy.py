"""A stream learner as a model of scikit-learn."""

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import Normalizer


def as_linear_model(learner):
    """Return a pipeline that predicts what a stream learner with weights predicts.

    Its probabilities are the logistic function of scores that nobody calibrated.
    """
    model = LogisticRegression()
    model.classes_, model.n_features_in_ = learner.classes_, learner.n_features_in_
    n_features = learner.n_features_in_
    model.coef_ = learner.coef_.reshape(-1, n_features)
    model.intercept_ = learner.intercept_
    return make_pipeline(Normalizer(), model) if learner.normalize else model
