"""References as tables: RIS and BibTeX, as reference managers export them."""

import re
from logging import ERROR, getLogger

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
