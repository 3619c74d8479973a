"""The best rows of a Spark DataFrame."""

from pyspark.sql.types import DoubleType, StructField, StructType


def best_rows(learner, frame, features, n):
    """Return the n unlabelled rows with the highest utilities as a pandas DataFrame."""
    known = learner.record()["ids"]
    utility = StructField("utility", DoubleType())
    schema = StructType([*frame.schema.fields, utility])

    def best_of_parts(parts):
        for part in parts:
            part = part[~part["id"].isin(known)]
            if len(part):
                values = learner.utility(part[features].to_numpy())
                yield part.assign(utility=values).nlargest(n, "utility")

    best = frame.mapInPandas(best_of_parts, schema)
    return best.orderBy("utility", ascending=False).limit(n).toPandas()
