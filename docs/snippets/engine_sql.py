"""The best rows of a table in a database."""

import pandas as pd
from pandas.util import hash_array


def best_rows(learner, connection, features, n):
    """Return the n unlabelled rows with the highest utilities as a pandas DataFrame."""
    known, best = learner.record()["ids"], []
    for part in pd.read_sql("SELECT * FROM pool", connection, chunksize=65_536):
        part = part[~part["id"].isin(known)]
        if len(part):
            values = learner.utility(part[features].to_numpy()).astype("float32")
            ties = hash_array(part["id"].to_numpy()) / 2**64  # as good as random
            part = part.assign(utility=values.astype(float), tie=ties)
            best.append(part.nlargest(n, ["utility", "tie"]))
    return pd.concat(best).nlargest(n, ["utility", "tie"])
