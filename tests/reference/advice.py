"""What the next labels are worth, slow and obvious."""

from math import log, sqrt


def advised(history, y, n_labels):
    """Return the value and the ends of the interval, and what changed."""
    n, now = history[-1]
    for n_then, then in history:
        if 2 * n_then <= n:
            n_before, before = n_then, then
    changed = right = wrong = 0
    for old, new, truth in zip(before, now, y, strict=True):
        if old != new:
            changed += 1
            right += new == truth
            wrong += old == truth
    share, z = changed / len(y), 1.6448536269514722
    # Wilson: where (x - share)^2 = z^2 x (1 - x) / m
    spread = z * sqrt(share * (1 - share) / len(y) + z**2 / (4 * len(y) ** 2))
    upper = (share + z**2 / (2 * len(y)) + spread) / (1 + z**2 / len(y))
    step = (log(n + n_labels) - log(n)) / (log(n) - log(n_before))
    value = share * (30 + right - wrong) / (100 + changed) * step
    half = upper * sqrt(step) / 4
    return value, value - half, value + half, (changed, right, wrong)
