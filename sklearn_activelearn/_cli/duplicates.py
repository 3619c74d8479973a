"""References that come twice are shown once."""

import re

from .checks import tell

#: What columns of titles and DOIs are called, in small letters.
TITLES = ("title", "article title", "primary title", "primary_title")
DOIS = ("doi",)


def each_once(table, label=None, leave_out=False):
    """Return a table without the references that come twice, and say how many do.

    Two are the same if their DOIs are, or their titles without punctuation while their
    DOIs do not differ. What is missing in the first one is taken from the others.

    Parameters
    ----------
    table : Table
        Without a column of titles or DOIs it is returned as it is.
    label : str, optional
        Column of labels. References whose labels differ have none then.
    leave_out : bool, default=False
        Leave such references out.

    Raises
    ------
    ValueError
        If that leaves none.
    """
    names = {name.lower(): name for name in reversed(table.columns)}
    title, doi = (
        next((names[name] for name in known if name in names), None)
        for known in (TITLES, DOIS)
    )
    n_rows, none = len(table.lines), [""] * len(table.lines)
    titles = [plain_title(cell) for cell in table.columns.get(title, none)]
    dois = [plain_doi(cell) for cell in table.columns.get(doi, none)]
    first = firsts(titles, dois)
    kept = [row for row in range(n_rows) if first[row] == row]
    if len(kept) == n_rows:
        return table
    tell(
        f"{n_rows - len(kept):,} of {n_rows:,} rows have the DOI or the title of one "
        "before: each is shown once"
    )
    unclear = contradictory(table.columns.get(label, none), first)
    if unclear:
        words = "are left out" if leave_out else "count as unlabelled"
        tell(f"{len(unclear):,} of these have different labels: they {words}")
    if leave_out:
        kept = [row for row in kept if row not in unclear]
        if not kept:
            raise ValueError("no row is left: each comes twice, with different labels.")
    columns = {}
    for name, cells in table.columns.items():
        filled = list(cells)
        for row, cell in enumerate(cells):
            if not filled[first[row]].strip():
                filled[first[row]] = cell
        columns[name] = [
            "" if name == label and row in unclear else filled[row] for row in kept
        ]
    return table._replace(columns=columns, lines=[table.lines[row] for row in kept])


def contradictory(labels, first):
    """Return the first references of those that have several labels."""
    labels_of = {}
    for row, label in zip(first, labels, strict=True):
        labels_of.setdefault(row, set()).add(label.strip())
    return {row for row, known in labels_of.items() if len(known - {""}) > 1}


def firsts(titles, dois):
    """Return for each reference the first one that is the same."""
    first, with_title, with_doi, doi_of = [], {}, {}, {}
    for row, (title, doi) in enumerate(zip(titles, dois, strict=True)):
        same = with_doi.get(doi) if doi else None
        if same is None and title:
            alike = (
                other
                for other in with_title.get(title, ())
                if not (doi and doi_of[other]) or doi == doi_of[other]
            )
            same = next(alike, None)
        if same is None:
            same, doi_of[row] = row, doi
        if title and same not in with_title.setdefault(title, []):
            with_title[title].append(same)
        if doi:
            with_doi.setdefault(doi, same)
            doi_of[same] = doi_of[same] or doi
        first.append(same)
    return first


def plain_title(text):
    """Return the letters and digits of a title, in small letters."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def plain_doi(text):
    """Return a DOI in small letters, without what may stand before and after it."""
    return re.sub(r"^.*?(?=10\.)", "", text.strip().lower(), count=1).rstrip(".")
