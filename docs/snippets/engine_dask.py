"""The best rows of a dask DataFrame."""


def best_rows(learner, frame, features, n):
    """Return the n unlabelled rows with the highest utilities as a pandas DataFrame."""
    known = learner.record()["ids"]

    def best_of_part(part):
        part = part[~part["id"].isin(known)]
        if not len(part):
            return part.assign(utility=0.0)
        values = learner.utility(part[features].to_numpy())
        return part.assign(utility=values).nlargest(n, "utility")

    kinds = {**frame.dtypes, "utility": float}
    best = frame.map_partitions(best_of_part, meta=kinds).compute()
    return best.nlargest(n, "utility")
