"""References as tables: RIS and BibTeX, as reference managers export them."""

import re
from logging import ERROR, getLogger

from .checks import tell
from .limits import check_room

#: What references are read with, by the end of the file's name.
REFERENCES = {".ris": "rispy", ".bib": "bibtexparser>=2"}

#: Names that one column of RIS has besides that which is used here.
SAME_COLUMN = {
    "primary_title": "title",
    "notes_abstract": "abstract",
    "first_authors": "authors",
    "publication_year": "year",
}
#: What columns of titles and DOIs are called, in small letters.
TITLES = ("title", "article title", "primary title", "primary_title")
DOIS = ("doi",)
BYTES = 16  # in memory, for each one of the file


def read_references(path):
    """Return the header, the cells of each column and the number of each reference.

    Raises
    ------
    ValueError
        For a file that holds no references, or if the package that reads them is not
        installed.
    """
    suffix = path.suffix.lower()
    check_room(BYTES * path.stat().st_size, "its references")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("this is no text in UTF-8.") from None
    try:
        entries = read_ris(text) if suffix == ".ris" else read_bibtex(text)
    except ImportError:
        package = REFERENCES[suffix]
        raise ValueError(
            f'{suffix} files need {package}: pip install "{package}"; or export the '
            "references as .csv."
        ) from None
    if not entries:
        raise ValueError(f"there is no reference in this {suffix} file.")
    header = list(dict.fromkeys(name for entry in entries for name in entry))
    columns = [[entry.get(name, "") for entry in entries] for name in header]
    return header, columns, range(1, len(entries) + 1)


def read_ris(text):
    """Return the references of RIS, each as a dict of texts."""
    import rispy

    try:
        entries = rispy.loads(text)
    except Exception as error:  # whatever a line provokes
        reason = f"{error}".partition("\n")[0][:200]
        raise ValueError(f"this is no RIS: {reason}") from None
    return [ris_columns(entry) for entry in entries]


def ris_columns(entry):
    """Return a reference with one name for each column, lists as texts."""
    found = {}
    for name, value in entry.items():
        if isinstance(value, dict):  # tags that are not in the standard
            continue
        text = "; ".join(value) if isinstance(value, list) else f"{value}"
        name = SAME_COLUMN.get(name, name)
        found[name] = found.get(name) or text.strip()
    return found


def read_bibtex(text):
    """Return the references of BibTeX, each as a dict of texts."""
    from bibtexparser import Library, parse_string
    from bibtexparser.middlewares import (
        LatexDecodingMiddleware,
        RemoveEnclosingMiddleware,
        ResolveStringReferencesMiddleware,
    )

    logger = getLogger("bibtexparser")
    level = logger.level
    logger.setLevel(ERROR)
    try:
        library = parse_string(text, parse_stack=[])
        entries = {entry.start_line: entry for entry in library.entries}
        for block in library.failed_blocks:
            entry = getattr(block, "ignore_error_block", None)
            if not hasattr(entry, "fields"):
                line = block.start_line + 1
                raise ValueError(f"line {line}: this reference cannot be read.")
            entries[block.start_line] = entry  # a key that two have
        entries = [entries[line] for line in sorted(entries)]
        keys = [entry.key for entry in entries]
        for number, entry in enumerate(entries):
            entry.key = f"{number}"
        library = Library([*library.strings, *entries])
        for middleware in (
            ResolveStringReferencesMiddleware(),
            RemoveEnclosingMiddleware(),
            LatexDecodingMiddleware(),
        ):
            library = middleware.transform(library)
    finally:
        logger.setLevel(level)
    return [*map(bibtex_columns, keys, library.entries)]


def bibtex_columns(key, entry):
    """Return a reference as texts, without braces."""
    fields = {field.key.lower(): f"{field.value}" for field in entry.fields}
    texts = {name: re.sub(r"[{}]", "", value) for name, value in fields.items()}
    return {"key": key} | {n: " ".join(t.split()) for n, t in texts.items()}


def each_once(table):
    """Return a table without the references that come twice, and say how many do.

    Two are the same if their DOIs are, or their titles without punctuation while their
    DOIs do not differ. What is missing in the first one is taken from the others.

    Parameters
    ----------
    table : Table
        Without a column of titles or DOIs it is returned as it is.
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
    columns = {}
    for name, cells in table.columns.items():
        filled = list(cells)
        for row, cell in enumerate(cells):
            if not filled[first[row]].strip():
                filled[first[row]] = cell
        columns[name] = [filled[row] for row in kept]
    return table._replace(columns=columns, lines=[table.lines[row] for row in kept])


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
