"""The best rows of a Ray data set."""

from pandas.util import hash_array


def best_rows(learner, dataset, features, n):
    """Return the n unlabelled rows with the highest utilities as a pandas DataFrame."""
    known = learner.record()["ids"]

    def best_of_batch(part):
        part = part[~part["id"].isin(known)]
        if not len(part):
            return part.assign(utility=0.0, tie=0.0)
        values = learner.utility(part[features].to_numpy()).astype("float32")
        ties = hash_array(part["id"].to_numpy()) / 2**64  # as good as random
        part = part.assign(utility=values.astype(float), tie=ties)
        return part.nlargest(n, ["utility", "tie"])

    best = dataset.map_batches(best_of_batch, batch_format="pandas", batch_size=65_536)
    return best.to_pandas().nlargest(n, ["utility", "tie"])
