"""The options for tables with columns of all kinds, and for what comes of labels."""

from pathlib import Path

from .._tables import DAY_FIRST, MONTH_FIRST


def add_columns(add):
    """Add the options that say what columns are, where all of them are learned from."""
    for option, what in (
        ("--categorical", "holds categories, perhaps written as numbers"),
        ("--drop", "is shown, and not learned from"),
    ):
        add(
            option,
            metavar="COLUMN",
            action="append",
            default=[],
            help=f"a column that {what}; may be repeated; for rows shown as a table",
        )
    add_dates(add)


def add_dates(add):
    """Add the option that says how dates are to be read."""
    add(
        "--dates",
        choices=[DAY_FIRST, MONTH_FIRST],
        help="which comes first in dates such as 3/2/2024; default: what all dates of "
        "a column tell, and an error if they do not",
    )


def add_results(add):
    """Add the options of ``label`` that say what to take home."""
    add(
        "--predict",
        metavar="FILE",
        type=Path,
        help="write all rows and end, as .csv or .parquet: the label, or else what the "
        "model predicts, the probability that the model gives to it, who gave the "
        "label, and what was shown",
    )
    add(
        "--save-model",
        metavar="FILE",
        type=Path,
        help="write the model and end, for the command predict: as .skops (needs "
        "skops), or as .joblib for people who trust you",
    )


def add_prediction(add):
    """Add the options of ``predict``."""
    add(
        "model",
        metavar="MODEL",
        type=Path,
        help="what label --save-model has written",
    )
    add(
        "file",
        metavar="FILE",
        type=Path,
        help="the rows, as .csv with a header line, .parquet or .xlsx, with the "
        "columns that the model was trained on, in any order",
    )
    add(
        "--out",
        metavar="FILE",
        type=Path,
        required=True,
        help="where the rows go with their predictions: .csv or .parquet",
    )
    add(
        "--trust",
        action="store_true",
        help="load the model whatever is in it: a .joblib file can run any code",
    )
