"""References: reading files of reference managers, and leaving out duplicates.

A review that certifies a recall may not lose a record in silence. Each reader shows
every record that begins in a file, damaged or not, names the damaged ones, and refuses
a file in which two records cannot be told apart.
"""

import re
from functools import partial
from itertools import pairwise
from logging import ERROR, getLogger
from typing import NamedTuple
from xml.etree import ElementTree

#: Number of lines or rows that a sentence lists, and of texts that are left out.
MOST_SHOWN, MOST_TEXTS = 5, 50

#: Columns of XML files, and the elements that hold them, by the element of a record.
XML_COLUMNS = {
    "record": {  # of EndNote
        "title": ["titles/title"],
        "abstract": ["abstract"],
        "authors": ["contributors/authors/author"],
        "year": ["dates/year"],
        "journal": ["titles/secondary-title"],
        "doi": ["electronic-resource-num"],
        "keywords": ["keywords/keyword"],
    },
    "PubmedArticle": {
        "pmid": ["MedlineCitation/PMID"],
        "title": ["MedlineCitation/Article/ArticleTitle"],
        "abstract": ["MedlineCitation/Article/Abstract/AbstractText"],
        "authors": ["MedlineCitation/Article/AuthorList/Author"],
        "year": [
            "MedlineCitation/Article/Journal/JournalIssue/PubDate/Year",
            "MedlineCitation/Article/Journal/JournalIssue/PubDate/MedlineDate",
        ],
        "journal": ["MedlineCitation/Article/Journal/Title"],
        "doi": [
            "MedlineCitation/Article/ELocationID[@EIdType='doi']",
            "PubmedData/ArticleIdList/ArticleId[@IdType='doi']",
        ],
        "keywords": ["MedlineCitation/KeywordList/Keyword"],
    },
    "PubmedBookArticle": {
        "pmid": ["BookDocument/PMID"],
        "title": ["BookDocument/ArticleTitle", "BookDocument/Book/BookTitle"],
        "abstract": ["BookDocument/Abstract/AbstractText"],
        "authors": ["BookDocument/AuthorList/Author"],
        "year": ["BookDocument/Book/PubDate/Year"],
    },
}

#: Names of columns, in small letters, that tell whether two references are the same.
TITLES = ("title", "article title", "primary title", "document title", "ti")
DOIS = ("doi", "di", "digital object identifier")
YEARS = ("year", "publication year", "publication_year", "date", "py")
JOURNALS = ("journal", "source title", "journal title", "publication title", "so")
AUTHORS = ("authors", "author", "author names", "au")
ABSTRACTS = ("abstract", "abstract note", "ab")
#: The first of the names of a column, by each name.
SAME_COLUMNS = {
    name: names[0]
    for names in (TITLES, DOIS, YEARS, JOURNALS, AUTHORS, ABSTRACTS)
    for name in names
}


class Tags(NamedTuple):
    """A format with a tag at the beginning of each field.

    Attributes
    ----------
    line : str
        Pattern of the first line of a field; its groups are the tag and the value.
    begin, end : str
        Tags of the first and the last line of a reference. An empty line ends a
        reference of a format without an end tag.
    columns : dict of str to str
        Names of columns, by tag; other tags are names themselves.
    once : frozenset of str
        Columns that a reference has once. A second value shows that two references
        are not separated.
    listed : frozenset of str
        Tags of which each further line is another value.
    outside : frozenset of str
        Tags of the file.
    """

    line: str
    begin: str
    end: str
    columns: dict
    once: frozenset
    listed: frozenset = frozenset()
    outside: frozenset = frozenset()


RIS = Tags(
    r"([A-Z][A-Z0-9]) {0,2}-(?: (.*)|$)", "TY", "ER",
    {
        "TY": "type", "TI": "title", "T1": "title", "AB": "abstract", "N2": "abstract",
        "AU": "authors", "A1": "authors", "PY": "year", "Y1": "year", "DO": "doi",
        "KW": "keywords", "JO": "journal", "JF": "journal", "T2": "journal",
        "UR": "url",
    },
    frozenset({"title", "AB", "doi", "ID", "AN", "SP", "VL", "IS", "PY"}),
)  # fmt: skip
WEB_OF_SCIENCE = Tags(
    r"([A-Z][A-Z0-9])(?: (.*)|$)", "PT", "ER",
    {
        "PT": "type", "TI": "title", "AB": "abstract", "AU": "authors", "PY": "year",
        "DI": "doi", "DE": "keywords", "SO": "journal",
    },
    frozenset({"title", "AB", "doi", "UT", "BP", "VL", "IS", "PY", "SO"}),
    listed=frozenset({"AU", "AF", "BE", "CR", "C1", "C3", "RI", "OI"}),
    outside=frozenset({"FN", "VR", "EF"}),
)  # fmt: skip
PUBMED = Tags(
    r"([A-Z][A-Z0-9]{1,3}) *- ?(.*)", "PMID", "",
    {
        "PMID": "pmid", "TI": "title", "AB": "abstract", "FAU": "authors", "DP": "year",
        "JT": "journal", "MH": "keywords",
    },
    frozenset({"title", "AB", "DP", "VI", "IP", "PG", "JT"}),
)  # fmt: skip
ENDNOTE = Tags(
    r"%([0-9A-Z@!?#$&(*+<>^~\[])(?: +(.*)|$)", "0", "",
    {
        "0": "type", "T": "title", "X": "abstract", "A": "authors", "D": "year",
        "R": "doi", "K": "keywords", "J": "journal", "U": "url",
    },
    frozenset({"title", "X", "doi", "D", "V", "N", "P", "J"}),
)  # fmt: skip


#: First lines of files of the Web of Science, under its names over the years.
NAME_OF_DATABASE = (
    r"FN ((Clarivate( Analytics)?|Thomson Reuters) )?"
    r"(Web of (Science|Knowledge)\W*|ISI Export Format)"
)


class Reference:
    """The fields of a reference in a tagged file, or fields outside of references.

    Parameters
    ----------
    form : Tags
        The format.
    line : int
        Number of the first line.
    has_begin : bool
        Whether that line has the tag that begins a reference.
    after_blank : bool
        Whether the line before is empty.
    """

    def __init__(self, form, line, has_begin, after_blank):
        self.form, self.line = form, line
        self.has_begin, self.after_blank, self.has_end = has_begin, after_blank, False
        self.fields = []  # number of the line, tag, values

    def values(self, column):
        """Return position, line and value of each field of a column or a tag."""
        return [
            (position, line, " ".join(values))
            for position, (line, tag, values) in enumerate(self.fields)
            if column in (tag, self.form.columns.get(tag))
        ]

    def takes(self, other):
        """Return True if no field shows that the other fields are another reference."""
        for column in self.form.once:
            mine, others = (
                {value for *_, value in each.values(column)} for each in (self, other)
            )
            if mine and others - mine:
                return False
        return True

    def check(self):
        """Refuse two references without a mark between them."""
        for column in self.form.once:
            for (k, _, value), (n, line, second) in pairwise(self.values(column)):
                # lines in a row are one field, such as an abstract in two languages
                if value != second and (column == "title" or n > k + 1):
                    marks = " or ".join(filter(None, (self.form.begin, self.form.end)))
                    raise ValueError(
                        f"line {line}: a second {self.fields[n][1]} in one reference. "
                        f"A line {marks} is missing before it, or one of the two is "
                        "wrong."
                    )

    def cells(self):
        """Return the cells of the reference, by column."""
        cells = {}
        for _, tag, values in self.fields:
            name = self.form.columns.get(tag, tag)
            if tag in ("AID", "LID") and values[0].endswith("[doi]"):
                name, values = "doi", [values[0].removesuffix("[doi]").strip()]
            cells.setdefault(name, []).extend(values)
        return {name: joined_values(name, values) for name, values in cells.items()}


def joined_values(name, values):
    """Return different values as one cell; a part of another text says nothing new."""
    if name == "year":
        values = [value.rstrip("/") for value in values]  # Y1 of RIS: 2001///
    values = [*dict.fromkeys(filter(None, values))]
    if name not in ("authors", "keywords"):
        values = [
            each
            for k, each in enumerate(values)
            if not any(each in other for other in values[:k] + values[k + 1 :])
        ]
    return "; ".join(values)


def read_tagged(text, form):
    """Return the cells of the references in a tagged file, and sentences on damages."""
    parts, part, is_blank, stray = [], None, True, []
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if re.fullmatch(r"\d+\.\s*", line) and re.match(
            rf"{form.begin}\b", "".join(lines[number : number + 1])
        ):
            continue  # Ovid numbers the references
        match = re.match(form.line, line)
        tag, value = match.groups() if match else ("", line)
        value = (value or "").strip()
        is_outside = part is None
        if tag and (tag == form.end or tag in form.outside):
            if part is not None:
                part.has_end = tag == form.end
            part, is_outside = None, not re.fullmatch(NAME_OF_DATABASE, line)
        elif tag:
            is_begin, is_outside = tag == form.begin, False
            if part is None or is_begin or (is_blank and not form.end):
                part = Reference(form, number, is_begin, is_blank)
                parts.append(part)
            part.fields.append((number, tag, [value]))
        elif value and part is not None:
            _, tag, values = part.fields[-1]
            if tag in form.listed:
                values.append(value)
            else:
                values[-1] = f"{values[-1]} {value}".strip()
        if is_outside and re.search(r"[^\W\d]", value):
            stray.append(f"{number} ({value[:120]!r})")
        is_blank = not line.strip()
    references, moved = join_parts(parts)
    for each in references:
        each.check()
    lost = [each.line for each in references if not each.has_begin]
    notes = name_lines(f"References begin without {form.begin}", lost)
    notes += name_lines("Fields between two references are read as part of one", moved)
    notes += name_lines("Text outside of references is left out", stray, MOST_TEXTS)
    return [each.cells() for each in references], notes


def name_lines(what, lines, most=MOST_SHOWN):
    """Return a list of one sentence about lines, of none if there is no line."""
    return [f"{what}: line {name_first(lines, most)}."] if lines else []


def name_first(values, most=MOST_SHOWN):
    """Return the first values with commas, and the number of the others."""
    more = f" and {len(values) - most:,} more" if len(values) > most else ""
    return f"{', '.join(map(str, values[:most]))}{more}"


def join_parts(parts):
    """Return references, and the lines of fields that are moved into one of them.

    Fields outside of a reference belong to the one before or after, unless they have a
    title or an end: then they are a reference that has lost its first line.
    """
    references, moved, early = [], [], None
    for part, after in zip(parts, [*parts, None][1:], strict=True):
        if early is not None:
            part.fields += early.fields  # its first line stays first
            early = None
        if part.has_begin:
            references.append(part)
            continue
        before = references[-1] if references else None
        has_title = bool(part.values("title"))
        is_next = after is not None and after.has_begin and not part.has_end
        fits_next = is_next and after.takes(part)
        fits_before = before is not None and before.takes(part)
        if has_title:
            fits_next = fits_next and not after.values("title")
            fits_before = fits_before and not before.values("title")
        is_rest = not part.has_end or (before and len(before.fields) == 1)
        if fits_next and (part.after_blank or has_title or not fits_before):
            moved.append(part.line)
            early = part
        elif fits_before and is_rest:
            moved.append(part.line)
            before.fields += part.fields
        else:
            references.append(part)
    return references, moved


read_ris = partial(read_tagged, form=RIS)
read_web_of_science = partial(read_tagged, form=WEB_OF_SCIENCE)
read_pubmed = partial(read_tagged, form=PUBMED)
read_endnote = partial(read_tagged, form=ENDNOTE)


def read_xml(text):
    """Read an XML file of EndNote or PubMed."""
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise ValueError(f"the file is not XML: {error}.") from None
    records = [each for each in root.iter() if each.tag in XML_COLUMNS]
    if not records:
        raise ValueError(
            f"this XML, a <{root.tag}>, has no references of EndNote or PubMed: export "
            "them as RIS."
        )
    inside = {id(each) for record in records for each in record.iter()}
    for each in root.iter():
        is_outside = id(each) not in inside
        if (is_outside and (each.text or "").strip()) or (
            (is_outside or each.tag in XML_COLUMNS) and (each.tail or "").strip()
        ):
            raise ValueError("there is text outside of the records of this file.")
    references = []
    for number, record in enumerate(records, 1):
        columns = XML_COLUMNS[record.tag]
        if len(record.findall(columns["title"][0])) > 1:
            raise ValueError(f"record {number} has two titles: a mark is missing.")
        cells = {
            name: [text_of(each) for path in paths for each in record.findall(path)]
            for name, paths in columns.items()
        }
        cells["abstract"] = [" ".join(cells["abstract"])]  # its parts
        references.append({name: joined_values(name, cells[name]) for name in cells})
    return references, []


def text_of(element):
    """Return the text of an element of XML without its marks.

    An author is a name, and a part of an abstract begins with its heading.
    """
    names = [element.findtext(part) for part in ("LastName", "ForeName")]
    text = ", ".join(filter(None, names)) or "".join(element.itertext())
    if text.strip() and (heading := element.get("Label")):
        text = f"{heading}: {text}"
    return " ".join(text.split())


def read_bibtex(text):
    """Read a BibTeX file.

    Of an entry that bibtexparser cannot parse, the fields are shown that can be found.
    """
    from bibtexparser import Library, parse_string
    from bibtexparser.middlewares import (
        LatexDecodingMiddleware,
        RemoveEnclosingMiddleware,
        ResolveStringReferencesMiddleware,
    )
    from bibtexparser.model import Entry, ImplicitComment, ParsingFailedBlock

    getLogger("bibtexparser").setLevel(ERROR)
    blocks, damaged = [], []
    for block in parse_string(text, parse_stack=[]).blocks:
        block = getattr(block, "ignore_error_block", None) or block
        is_open = damaged and blocks[-1] is damaged[-1]
        is_rest = isinstance(block, ImplicitComment) or (
            isinstance(block, Entry) and not block.fields
        )
        if is_rest and is_open:  # parts of one entry
            damaged[-1].append(block)
        elif isinstance(block, ParsingFailedBlock) or (
            is_rest and re.search(r"\w\s*[={]", block.raw)
        ):
            damaged.append([block])
            blocks.append(damaged[-1])
        else:
            blocks.append(block)
    entries = [block for block in blocks if isinstance(block, Entry)]
    for number, entry in enumerate(entries):
        entry.key = f"{number} {entry.key}"  # two references may have the same key
    library = Library([block for block in blocks if not isinstance(block, list)])
    for middleware in ResolveStringReferencesMiddleware(), RemoveEnclosingMiddleware():
        library = middleware.transform(library)
    decode = LatexDecodingMiddleware().transform_entry
    for entry in library.entries:
        decode(Entry("", "", [*filter(prepare_latex, entry.fields)]), library)
    n_marks = len(re.findall(BIBTEX_ENTRY, text)) - sum(
        len(re.findall(BIBTEX_ENTRY, each.raw)) for part in damaged for each in part
    )
    found = {int(entry.key.partition(" ")[0]): entry for entry in library.entries}
    if not len(found) == len(entries) == n_marks:
        raise ValueError(
            f"{n_marks} whole references begin in this BibTeX file, and {len(found)} "
            "can be read: a brace or a quote is missing."
        )
    references, lines, numbers = [], [], iter(range(len(entries)))
    for block in blocks:
        if isinstance(block, list):
            line, raw = block[0].start_line + 1, "".join(each.raw for each in block)
            fields = re.findall(BIBTEX_FIELD, re.sub(BIBTEX_START, "", raw))
            cells = read_fields(fields, line)
            if (
                raw.startswith(",")
                and references
                and not cells.keys() & references[-1].keys()
            ):
                references[-1] |= cells  # behind a brace too many
            elif cells.get("title"):
                references.append(cells)
            else:
                references.append(cells | {"title": " ".join(raw.split())})
            lines.append(line)
        elif isinstance(block, Entry):
            entry, line = found[next(numbers)], block.start_line + 1
            cells = read_fields([(each.key, each.value) for each in entry.fields], line)
            references.append({"key": entry.key.partition(" ")[2]} | cells)
    return references, name_lines(
        "Of damaged entries, what can be read is shown", lines
    )


def prepare_latex(field):
    """Prepare a field for a decoder of LaTeX; return True if it has to be decoded.

    The decoder takes ten times as long as the parser, and few fields need it.
    """
    escaped = r"\\([%&_#$])"
    has_latex = re.search(LATEX, re.sub(escaped, "", field.value))
    if field.key.lower() in VERBATIM or not has_latex:
        field.value = re.sub(escaped, r"\1", field.value)
        return False
    # comments and ends of cells in LaTeX, but not in BibTeX; one dollar is no formula
    n_dollars = len(re.findall(r"(?<!\\)\$", field.value))
    marks = "[%&$]" if n_dollars == 1 else "[%&]"
    field.value = re.sub(rf"(?<!\\){marks}", r"\\\g<0>", field.value)
    return True


#: What a decoder of LaTeX changes, and fields that are not LaTeX.
LATEX = r"[\\{}$~]|--|``|''|[!?]`"
VERBATIM = ("doi", "eprint", "file", "pdf", "url")
#: The beginning of a reference in a BibTeX file.
BIBTEX_ENTRY = r"(?mi)(?:^|\})\s*@(?!comment|string|preamble)\w+\s*[{(]"
#: The beginning of a damaged one, and its fields.
BIBTEX_START = r"\A\W*(?:@\w+\s*=?|\w+)\s*[{(](?:[^\s,={}]*\s*,|[^\s,={}]+\s*\n)"
BIBTEX_FIELD = r"(?s)(\w+)\s*=?\s*[{\"](.*?)[}\",\s]*(?:(?<=,)\s*(?=\w+\s*=)|\Z)"


def read_fields(fields, line):
    """Return the cells of names and values; refuse two references in one entry."""
    cells = {}
    for name, value in fields:
        if not name and (field := re.match(r"(?s)\W*(\w+)\s*=(.*)", value)):
            name, value = field.groups()  # behind an equals sign too many
        name = {"date": "year"}.get(name.lower(), name.lower())
        value = " ".join(re.sub(r"[{}]", "", f"{value}").split())
        if name in ("title", "abstract", "doi") and cells.get(name, value) != value:
            raise ValueError(
                f"line {line}: this entry has the field {name} twice, or another entry "
                "in it."
            )
        cells[name] = joined_values(name, [cells.get(name, ""), value])
    return cells


#: Patterns by which the formats are told apart, and their readers.
FORMATS = {
    r"(?m)^TY {0,2}- ?": read_ris,
    r"(?m)^PMID *- ": read_pubmed,
    r"\A\s*(FN |PT |VR )[^\n]*\n(?s:.*)^ER\s*$": read_web_of_science,
    r"(?m)^%0 .*\n%\w ": read_endnote,
    r"\A\s*<\?xml|\A\s*<(!DOCTYPE|xml|records|Pubmed)": read_xml,
    r"(?mi)^\s*@(?!comment|string|preamble)\w+\s*[{(]\s*[^\s,]*\s*,": read_bibtex,
}

#: Packages that readers need.
NEEDS = {read_bibtex: "bibtexparser>=2"}

#: Ends of names of files of references, and their readers.
READERS = {
    ".ris": read_ris,
    ".bib": read_bibtex,
    ".nbib": read_pubmed,
    ".ciw": read_web_of_science,
    ".enw": read_endnote,
    ".xml": read_xml,
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
    first_line = text.lstrip(" \n\t").partition("\n")[0]
    if suffix in (".csv", ".tsv") and (
        re.search(r"[,;|\t]", first_line) or not re.match(r"[A-Z<%]", first_line)
    ):
        return None
    found = [
        reader for pattern, reader in FORMATS.items() if re.search(pattern, text, re.M)
    ]
    if len(found) > 1:
        raise ValueError(
            "this file has references in two formats: make a file of each, or join "
            "them in a reference manager."
        )
    return found[0] if found else READERS.get(suffix)


def to_columns(references):
    """Return references, each a dict of texts, as a dict of columns."""
    if not references:
        raise ValueError("there is no reference in this file.")
    names = dict.fromkeys(name for each in references for name in each)
    return {name: [each.get(name, "") for each in references] for name in names}


def drop_duplicates(table, label=None, *, texts=(), drop_unclear=False):
    """Return a table without duplicate references, those left out, and sentences.

    Two references are the same if

    - their DOIs are the same, and one title begins with the other, if both have one; or
    - their titles have the same letters and digits, and their DOIs, years and abstracts
      agree as far as both have them; with titles of at most three words, such as
      "Editorial", their journals and authors, too.

    Cells that are empty in the first of them are filled from the others.

    Parameters
    ----------
    table : DataFrame of str
        Returned as it is if it has no column of titles or DOIs.
    label : str, optional
        The column of labels. References whose labels differ lose their label.
    texts : sequence of str, default=()
        Columns that also have to agree.
    drop_unclear : bool, default=False
        Whether such references are left out.

    Returns
    -------
    table : DataFrame of str
        The rows keep their numbers.
    repeated : DataFrame of str
        The rows that were left out, with their numbers, and before them the numbers of
        the rows that they repeat, in the columns of `REPEATED`.
    sentences : list of str
        How many rows were left out, and the first of them.

    Raises
    ------
    ValueError
        If no row is left.
    """
    names = {name.lower(): name for name in reversed(table.columns)}
    columns = [
        next((names[name] for name in known if name in names), None)
        for known in (DOIS, TITLES, YEARS, JOURNALS, AUTHORS, ABSTRACTS)
    ]
    others = [name for name in texts if name not in columns[:3] + columns[5:]]
    if columns[:2] == [None, None]:
        return table, table[:0], []
    keys = [
        [""] * len(table) if name is None else [*map(normalize, table[name])]
        for name, normalize in (
            *zip(columns, (doi_of, words_of, year_of, *[words_of] * 3), strict=True),
            *((name, words_of) for name in others),
        )
    ]
    first = find_first([*zip(*keys, strict=True)])
    pairs = [(row, other) for row, other in enumerate(first) if row != other]
    if not pairs:
        return table, table[:0], []
    numbers = table.index.to_numpy()
    listed = [f"{numbers[row]} = {numbers[other]}" for row, other in pairs]
    sentences = [
        f"{len(pairs):,} of {len(table):,} rows are the same reference as an earlier "
        "row, and are left out (--keep-duplicates keeps them): "
        f"{name_first(listed)}"
    ]
    rows = [row for row, _ in pairs]
    repeated = table.iloc[rows]
    for name, which in zip(REPEATED, (first, range(len(first))), strict=True):
        repeated.insert(0, name, [f"{numbers[which[row]]}" for row in rows])
    filled = table.where(table.apply(lambda cells: cells.str.strip()) != "")
    once = filled.groupby(numbers[first]).first().fillna("")
    if label is not None:
        n_labels = filled[label].str.strip().groupby(numbers[first]).nunique()
        unclear = n_labels.index[n_labels > 1]
        if len(unclear):
            words = "left out" if drop_unclear else "unlabelled"
            sentences.append(
                f"{len(unclear):,} of these references have different labels: they are "
                f"{words} (rows {name_first(unclear)})"
            )
        once.loc[unclear, label] = ""
        if drop_unclear:
            once = once.drop(unclear)
    if not len(once):
        raise ValueError("no row is left: each comes twice, with different labels.")
    return once, repeated, sentences


#: Columns of the rows that were left out: the number of the row that each repeats, and
#: its own.
REPEATED = ("repeats row", "row")


def find_first(references):
    """Return for each reference the position of the first one that is the same.

    Parameters
    ----------
    references : list of tuple of str
        DOI, title, year, journal, authors, abstract and further texts; empty if they
        are not known.
    """
    first, alike, known = [], {}, {}
    for row, (doi, title, *rest) in enumerate(references):
        same = row
        for other in alike.get(("doi", doi), []) + alike.get(("title", title), []):
            if is_same(known[other], (doi, title, *rest)):
                same = other
                break
        # what one of the same references lacks, another may have
        merged = zip(known.get(same, references[row]), references[row], strict=True)
        known[same] = tuple(one or other for one, other in merged)
        for key in ("doi", doi), ("title", title):
            if key[1] and same not in alike.setdefault(key, []):
                alike[key].append(same)
        first.append(same)
    return first


def is_same(one, other):
    """Return True if two references agree, whose DOIs or titles are the same."""
    doi, title, year, journal, authors, *texts = one
    doi_2, title_2, year_2, journal_2, authors_2, *texts_2 = other
    if doi and doi == doi_2:
        shorter, longer = sorted((title, title_2), key=len)
        return shorter in ("", longer) or (
            longer.startswith(f"{shorter} ") and len(shorter.split()) > WORDS_OF_A_TITLE
        )
    pairs = [(year, year_2)]
    if len(title.split()) <= WORDS_OF_A_TITLE:
        pairs += [(journal, journal_2), (authors, authors_2)]
    return (
        title == title_2
        and not (doi and doi_2)
        and all(a == b for a, b in pairs if a and b)
        and all(map(is_same_text, texts, texts_2))
    )


#: Titles of so few words, such as "Introduction", are also the beginning of others, and
#: the titles of several references of a year.
WORDS_OF_A_TITLE = 3
#: Share of words that abstracts of one reference have in common. Databases cut them,
#: and add headings or a copyright.
SAME_WORDS = 0.8


def is_same_text(one, other):
    """Return True if a text is missing, cut, or the other one but for a few words."""
    if one.startswith(other) or other.startswith(one):
        return True
    one, other = {*one.split()}, {*other.split()}
    return len(one & other) >= SAME_WORDS * len(one | other)


def words_of(text):
    """Return the letters and digits of a text in lower case."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def doi_of(text):
    """Return a DOI in lower case, without a prefix or a full stop; "" for no DOI."""
    text = re.sub(r"^(https?:/*)?((dx\.|www\.)?doi\.org/)?(doi:?)?", "",
                  re.sub(r"\s+", "", text.lower()))  # fmt: skip
    return text.rstrip(".") if re.fullmatch(r"10\.[\d.]+/.+", text) else ""


def year_of(text):
    """Return the first year in a text; "" for none."""
    return next(iter(re.findall(r"(?<!\d)[12]\d{3}(?!\d)", text)), "")
