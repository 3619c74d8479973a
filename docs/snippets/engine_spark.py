"""The best rows of a Spark DataFrame."""

from pandas.util import hash_array
from pyspark.sql.types import DoubleType, StructField, StructType


def best_rows(learner, frame, features, n):
    """Return the n unlabelled rows with the highest utilities as a pandas DataFrame."""
    known = learner.record()["ids"]
    numbers = [StructField(name, DoubleType()) for name in ("utility", "tie")]
    schema = StructType([*frame.schema.fields, *numbers])

    def best_of_parts(parts):
        for part in parts:
            part = part[~part["id"].isin(known)]
            if len(part):
                values = learner.utility(part[features].to_numpy()).astype("float32")
                ties = hash_array(part["id"].to_numpy()) / 2**64  # as good as random
                part = part.assign(utility=values.astype(float), tie=ties)
                yield part.nlargest(n, ["utility", "tie"])

    best = frame.mapInPandas(best_of_parts, schema)
    return best.orderBy("utility", "tie", ascending=False).limit(n).toPandas()
