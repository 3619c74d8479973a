"""What labels gain, judged by the predictions that they change.

A model that predicts what it predicted before has gained nothing, and of the
predictions that change some become right and some wrong. So the gain in accuracy is the
share that changed, which is known without labels, times a net share, which is not. It
falls from about 0.4 with up to 100 labels to 0.1 beyond 200 (medians over sets, by
``benchmarks.evaluation.stopping``). Rows put aside tell more, if they are many.
"""

#: What is assumed of the net share, and how many changed predictions for rows with
#: labels weigh as much.
NET, WEIGHT = 0.3, 100


def net_share(n_changed=0, n_right=0, n_wrong=0):
    """Return what changed predictions gain on average, between -1 and 1.

    Parameters
    ----------
    n_changed : int
        Rows with known labels whose predictions changed.
    n_right, n_wrong : int
        How many of these became right, and how many became wrong.
    """
    return (WEIGHT * NET + n_right - n_wrong) / (WEIGHT + n_changed)


def changes(before, now, truth):
    """Return how many predictions changed, and how many became right and wrong."""
    changed = before != now
    n_right, n_wrong = ((changed & (labels == truth)).sum() for labels in (now, before))
    return int(changed.sum()), int(n_right), int(n_wrong)
