"""References: reading RIS and BibTeX, and leaving out duplicates."""

import re
from logging import ERROR, getLogger

#: Names that rispy gives to one column, beside the name that is used here.
SAME_COLUMN = {
    "primary_title": "title",
    "notes_abstract": "abstract",
    "first_authors": "authors",
    "publication_year": "year",
}
#: Columns of titles and of DOIs, in small letters.
TITLES = ("title", "article title", "primary title", "primary_title")
DOIS = ("doi",)


def read_ris(text):
    """Return the columns of the references in a RIS file."""
    import rispy

    try:
        entries = rispy.loads(text)
    except Exception as error:  # depends on the line
        reason = f"{error}".partition("\n")[0][:200]
        raise ValueError(f"the file is not a RIS file: {reason}") from None
    references = []
    for entry in entries:
        found = {}
        for name, value in entry.items():
            if not isinstance(value, dict):  # tags that are not in the standard
                text = "; ".join(value) if isinstance(value, list) else f"{value}"
                name = SAME_COLUMN.get(name, name)
                found[name] = found.get(name) or text.strip()
        references.append(found)
    return to_columns(references, ".ris")


def read_bibtex(text):
    """Return the columns of the references in a BibTeX file."""
    from bibtexparser import Library, parse_string
    from bibtexparser.middlewares import (
        LatexDecodingMiddleware,
        RemoveEnclosingMiddleware,
        ResolveStringReferencesMiddleware,
    )
    from bibtexparser.model import Entry, ParsingFailedBlock

    getLogger("bibtexparser").setLevel(ERROR)
    blocks = parse_string(text, parse_stack=[]).blocks
    blocks = [getattr(block, "ignore_error_block", None) or block for block in blocks]
    for block in blocks:
        if isinstance(block, ParsingFailedBlock):
            line = block.start_line + 1
            raise ValueError(f"line {line}: this reference cannot be read.")
    entries = [block for block in blocks if isinstance(block, Entry)]
    for number, entry in enumerate(entries):
        entry.key = f"{number} {entry.key}"  # two references may have the same key
    library = Library(blocks)
    for middleware in (
        ResolveStringReferencesMiddleware(),
        RemoveEnclosingMiddleware(),
        LatexDecodingMiddleware(),
    ):
        library = middleware.transform(library)
    references = [
        {"key": entry.key.partition(" ")[2]}
        | {
            field.key.lower(): " ".join(re.sub(r"[{}]", "", f"{field.value}").split())
            for field in entry.fields
        }
        for entry in library.entries
    ]
    return to_columns(references, ".bib")


READERS = {".ris": read_ris, ".bib": read_bibtex}


def to_columns(references, suffix):
    """Return references, each a dict of texts, as a dict of columns."""
    if not references:
        raise ValueError(f"there is no reference in this {suffix} file.")
    names = dict.fromkeys(name for each in references for name in each)
    return {name: [each.get(name, "") for each in references] for name in names}


def drop_duplicates(table, label=None, *, drop_unclear=False):
    """Return a table without duplicate references, and sentences about duplicates.

    Two references are the same if they have the same DOI, or the same letters and
    digits in their titles while their DOIs do not differ. Cells that are empty in the
    first of them are filled from the others.

    Parameters
    ----------
    table : DataFrame of str
        Returned as it is if it has no column of titles or DOIs.
    label : str, optional
        The column of labels. References whose labels differ lose their label.
    drop_unclear : bool, default=False
        Whether such references are left out.

    Returns
    -------
    table : DataFrame of str
        The rows keep their numbers.
    sentences : list of str
        How many rows were left out.

    Raises
    ------
    ValueError
        If no row is left.
    """
    names = {name.lower(): name for name in reversed(table.columns)}
    titles, dois = (
        next((table[names[name]] for name in known if name in names), None)
        for known in (TITLES, DOIS)
    )
    none = [""] * len(table)
    first = find_first(
        none if titles is None else [*map(normalize_title, titles)],
        none if dois is None else [*map(normalize_doi, dois)],
    )
    n_left_out = len(table) - len({*first})
    if not n_left_out:
        return table, []
    sentences = [
        f"{n_left_out:,} of {len(table):,} rows have the DOI or the title of an "
        "earlier row: each reference is used once"
    ]
    filled = table.where(table.apply(lambda cells: cells.str.strip()) != "")
    numbers = table.index.to_numpy()
    once = filled.groupby(numbers[first]).first().fillna("")
    if label is not None:
        n_labels = filled[label].str.strip().groupby(numbers[first]).nunique()
        unclear = n_labels.index[n_labels > 1]
        if len(unclear):
            words = "left out" if drop_unclear else "unlabelled"
            sentences.append(
                f"{len(unclear):,} of these references have different labels: they are "
                f"{words}"
            )
        once.loc[unclear, label] = ""
        if drop_unclear:
            once = once.drop(unclear)
    if not len(once):
        raise ValueError("no row is left: each comes twice, with different labels.")
    return once, sentences


def find_first(titles, dois):
    """Return for each reference the position of the first one that is the same."""
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


def normalize_title(text):
    """Return the letters and digits of a title in lower case."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def normalize_doi(text):
    """Return a DOI in lower case, without a prefix or a full stop."""
    return re.sub(r"^.*?(?=10\.)", "", text.strip().lower(), count=1).rstrip(".")
