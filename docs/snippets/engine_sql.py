"""The best rows of a table in a database."""

import pandas as pd


def best_rows(learner, connection, features, n):
    """Return the n unlabelled rows with the highest utilities as a pandas DataFrame."""
    known, best = learner.record()["ids"], []
    for part in pd.read_sql("SELECT * FROM pool", connection, chunksize=65_536):
        part = part[~part["id"].isin(known)]
        if len(part):
            values = learner.utility(part[features].to_numpy())
            best.append(part.assign(utility=values).nlargest(n, "utility"))
    return pd.concat(best).nlargest(n, "utility")
