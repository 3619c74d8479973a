def runner_up(probabilities):
    """Probability of the second most probable class over that of the first."""
    top = np.partition(probabilities, -2, axis=1)
    return top[:, -2] / top[:, -1]
