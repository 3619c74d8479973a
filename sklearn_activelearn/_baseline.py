"""Passive learning of the same model: what an active learner has to beat."""


def baseline_of(learner, baseline, **settings):
    """Make a passive learner like an active one.

    Parameters
    ----------
    learner : learner
        The active one.
    baseline : learner
        An unfitted one, which takes over the parameters that both have.
    **settings : dict
        What else it takes to buy every label.

    Returns
    -------
    baseline : learner
        The same object, without a budget.
    """
    params, own = learner.get_params(deep=False), baseline.get_params(deep=False)
    shared = {name: params[name] for name in params if name in own}
    return baseline.set_params(**{**shared, "budget": None, **settings})
