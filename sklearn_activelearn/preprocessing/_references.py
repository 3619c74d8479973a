"""References: reading files of reference managers, and leaving out duplicates.

A review that certifies a recall may not lose a record in silence. Each reader counts
the records that begin in a file, and refuses a file if it cannot read each of them.
"""

import re
from logging import ERROR, getLogger
from xml.etree import ElementTree

#: Names that rispy gives to one column, beside the name that is used here.
SAME_COLUMN = {
    "primary_title": "title",
    "notes_abstract": "abstract",
    "first_authors": "authors",
    "publication_year": "year",
    "document_title": "title",
}

#: Columns of the tags of PubMed's files that have a name; others keep their tags.
PUBMED_COLUMNS = {
    "PMID": "pmid",
    "TI": "title",
    "AB": "abstract",
    "FAU": "authors",
    "DP": "year",
    "JT": "journal",
    "MH": "keywords",
}

#: Columns of EndNote's XML, and the elements that hold them.
ENDNOTE_COLUMNS = {
    "title": "titles/title",
    "abstract": "abstract",
    "authors": "contributors/authors/author",
    "year": "dates/year",
    "journal": "titles/secondary-title",
    "doi": "electronic-resource-num",
    "keywords": "keywords/keyword",
}

#: Columns of titles and of DOIs, in small letters.
TITLES = ("title", "article title", "primary title", "primary_title")
DOIS = ("doi",)


def read_ris(text):
    """Return the columns of the references in a RIS file."""
    import rispy

    return read_tagged(complete_ris(text), rispy.RisParser, "RIS", r"TY {0,2}-")


def read_web_of_science(text):
    """Return the columns of the references in a tagged file of the Web of Science."""
    import rispy

    return read_tagged(text, rispy.WokParser, "Web of Science", "PT ")


def read_tagged(text, parser, name, first_tag):
    """Return the columns of the references that a parser of rispy finds.

    Parameters
    ----------
    text : str
        The file.
    parser : type
        The parser.
    name : str
        Name of the format.
    first_tag : str
        Pattern of the tag with which each reference begins.
    """
    import rispy

    n_references = len(re.findall(f"(?m)^{first_tag}", text))
    try:
        entries = rispy.loads(text, implementation=parser)
    except Exception as error:  # depends on the line
        reason = f"{error}".partition("\n")[0][:200]
        raise ValueError(f"the file is not a {name} file: {reason}") from None
    if len(entries) != n_references:
        raise ValueError(
            f"{n_references} references begin in this {name} file, and {len(entries)} "
            "can be read: export it again."
        )
    references = []
    for entry in entries:
        found = {}
        for name, value in entry.items():
            if not isinstance(value, dict):  # tags that are not in the standard
                text = "; ".join(value) if isinstance(value, list) else f"{value}"
                name = SAME_COLUMN.get(name, name)
                found[name] = found.get(name) or text.strip()
        references.append(found)
    return to_columns(references)


#: A line of a RIS file with its tag, and tags that a reference has once.
RIS_LINE = re.compile(r"\ufeff?([A-Z][A-Z0-9]) {0,2}-(?: |$)")
ONCE = {"TI", "T1", "AB", "DO", "ID"}


def one_of(tag):
    """Return the tag; T1 and TI are both the title."""
    return "TI" if tag == "T1" else tag


def complete_ris(text):
    """Return a RIS file in which each reference begins with TY and ends with ER.

    Exports forget the last ER, or write other tags before TY.
    """
    out, early, seen, is_open = [], [], {}, False
    for number, line in enumerate(text.splitlines(), 1):
        match = RIS_LINE.match(line)
        tag = match and match[1]
        if tag:  # with the spaces of the standard
            line = f"{tag}  - {line[match.end() :].strip()}"
        if tag == "TY":
            out += ["ER  - ", ""] if is_open else []
            out += [line, *early]
            seen = {one_of(each[:2]): each[6:] for each in early}
            early, is_open = [], True
        elif tag == "ER":
            if early:
                raise ValueError(f"line {number}: a reference ends that has no TY.")
            out += [line] if is_open else []
            is_open = False
        elif is_open:
            out.append(line)
        elif tag:
            early.append(line)
        if (
            is_open
            and tag in ONCE
            and seen.setdefault(one_of(tag), line[6:]) != line[6:]
        ):
            raise ValueError(
                f"line {number}: a second {tag} in one reference. A line TY or ER is "
                "missing before it."
            )
    if early:
        raise ValueError("the last lines have tags, but no TY: a reference is cut.")
    return "\n".join([*out, *(["ER  - "] if is_open else []), ""])


def read_pubmed(text):
    """Return the columns of the references in a file of PubMed (.nbib)."""
    references, tag, is_new = [], None, True
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"\ufeff?([A-Z]{2,4}) *- ?(.*)", line)
        if not line.strip():
            tag, is_new = None, True
        elif match:
            tag, value = match.groups()
            if tag == "PMID":
                references.append({})
            elif is_new or not references:
                raise ValueError(f"line {number}: a reference begins without PMID.")
            is_new = False
            name = PUBMED_COLUMNS.get(tag, tag)
            if tag in ("AID", "LID") and value.endswith("[doi]"):
                name, value = "doi", value.removesuffix("[doi]").strip()
                references[-1].pop(name, None)  # both tags have it
            values = references[-1].setdefault(name, [])
            if values and tag in ("TI", "AB", "DP"):
                raise ValueError(
                    f"line {number}: a second {tag} in one reference. A line PMID is "
                    "missing before it."
                )
            values.append(value)
        elif tag and line.startswith(" "):
            values[-1] = f"{values[-1]} {line.strip()}"
        else:
            raise ValueError(f"line {number} has no tag: the file is not PubMed's.")
    joined = [{k: "; ".join(v) for k, v in each.items()} for each in references]
    return to_columns(joined)


def read_endnote(text):
    """Return the columns of the references in an XML file of EndNote."""
    try:
        records = ElementTree.fromstring(text).findall(".//record")
    except ElementTree.ParseError as error:
        raise ValueError(f"the file is not XML: {error}.") from None
    return to_columns(
        [
            {
                name: "; ".join(
                    " ".join("".join(each.itertext()).split())
                    for each in record.findall(path)
                )
                for name, path in ENDNOTE_COLUMNS.items()
            }
            for record in records
        ]
    )


def read_bibtex(text):
    """Return the columns of the references in a BibTeX file."""
    from bibtexparser import Library, parse_string
    from bibtexparser.middlewares import (
        LatexDecodingMiddleware,
        RemoveEnclosingMiddleware,
        ResolveStringReferencesMiddleware,
    )
    from bibtexparser.model import (
        DuplicateFieldKeyBlock,
        Entry,
        ImplicitComment,
        ParsingFailedBlock,
    )

    getLogger("bibtexparser").setLevel(ERROR)
    blocks = parse_string(text, parse_stack=[]).blocks
    for block in blocks:  # two references, of which the second has lost its beginning
        if isinstance(block, DuplicateFieldKeyBlock):
            line = block.start_line + 1
            raise ValueError(f"line {line}: this reference has a field twice.")
    blocks = [getattr(block, "ignore_error_block", None) or block for block in blocks]
    for block in blocks:
        # of a reference without its @ the parser makes a comment
        is_lost = isinstance(block, ImplicitComment) and re.search(FIELD, block.raw)
        if is_lost or isinstance(block, ParsingFailedBlock):
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
    n_references = len(re.findall(BIBTEX_ENTRY, text))
    if len(references) != n_references:
        raise ValueError(
            f"{n_references} references begin in this BibTeX file, and "
            f"{len(references)} can be read: a brace or a quote is missing."
        )
    return to_columns(references)


#: A field of a BibTeX file, and the beginning of a reference in it.
FIELD = r"(?m)^\s*\w+\s*=\s*[{\"\d]"
BIBTEX_ENTRY = r"(?mi)^\s*@(?!comment|string|preamble)\w+\s*[{(]"

#: Patterns by which the formats are told apart, and their readers.
FORMATS = {
    r"(?m)^\ufeff?TY {0,2}- ?": read_ris,
    r"(?m)^\ufeff?PMID *- ": read_pubmed,
    r"\A\s*\ufeff?(FN |PT |VR )[^\n]*\n(?s:.*)^ER\s*$": read_web_of_science,
    r"\A\s*\ufeff?<(\?xml[^>]*>\s*<)?(xml>\s*<)?records": read_endnote,
    r"(?mi)^\s*@(?!comment|string|preamble)\w+\s*[{(]\s*[^\s,]*\s*,": read_bibtex,
}

#: Packages that readers need.
NEEDS = {
    read_ris: "rispy",
    read_web_of_science: "rispy",
    read_bibtex: "bibtexparser>=2",
}

#: Ends of names of files of references, and readers of files without a reference.
READERS = {
    ".ris": read_ris,
    ".bib": read_bibtex,
    ".nbib": read_pubmed,
    ".ciw": read_web_of_science,
    ".xml": read_endnote,
    ".enw": None,
}


def find_reader(text, suffix):
    """Return the reader of references that suits the content; None for a table.

    Parameters
    ----------
    text : str
        The file.
    suffix : str
        The end of its name. What is named .csv or .tsv is a table if its first line
        has separators, or is no tag.
    """
    first_line = text.lstrip("\ufeff \r\n\t").partition("\n")[0]
    if suffix in (".csv", ".tsv") and (
        re.search(r"[,;|\t]", first_line) or not re.match(r"[A-Z<]", first_line)
    ):
        return None
    found = (
        reader for pattern, reader in FORMATS.items() if re.search(pattern, text, re.M)
    )
    return next(found, READERS.get(suffix))


def to_columns(references):
    """Return references, each a dict of texts, as a dict of columns."""
    if not references:
        raise ValueError("there is no reference in this file.")
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
