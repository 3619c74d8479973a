"""Files of references and tables as people export them: nothing is lost in silence."""

import re
from datetime import date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_activelearn.preprocessing import (
    drop_duplicates,
    find_kinds,
    join_tables,
    read_columns,
)
from sklearn_activelearn.preprocessing._tables import as_text_table, read_table

from .reference_files import COLUMNS, EXPORTS, make_papers, read_damaged, write_export

pytest.importorskip("bibtexparser", "2")
pytest.importorskip("charset_normalizer")

RIS = """TY  - JOUR
TI  - Stroke and walking
AU  - Doe, J.
AB  - People walk again.
PY  - 2001
DO  - 10.1/a
ER  - 

TY  - JOUR
TI  - Soil
AU  - Roe, R.
N1  - a note
ER  - 

TY  - BOOK
T1  - Trees of the north
ID  - 17
ER  - 
"""  # noqa: W291, the lines are those of exports

NBIB = """
PMID- 1
OWN - NLM
TI  - Stroke and walking after
      a long rest
AB  - People walk again.
FAU - Doe, Jane
FAU - Roe, Richard
LID - 10.1/a [doi]
AID - 10.1/a [doi]
DP  - 2001 Jan

PMID- 2
TI  - Soil
DP  - 2002

PMID- 3
TI  - Trees
"""

BIB = """@article{a1,
  title = {Stroke and walking},
  year = {2001}
}

@book{b2,
  title = "Soil",
  author = {Doe, J.}
}

@misc{c3,
  title = {Trees {of} the north},
  doi = {10.1/c}
}
"""

CIW = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Doe, J
TI Stroke and
   walking
PY 2001
ER

PT J
TI Soil
ER

EF
"""

XML = """<?xml version="1.0" encoding="UTF-8"?><xml><records>
<record><titles><title><style face="normal">Stroke</style> and walking</title></titles>
<contributors><authors><author>Doe, J.</author><author>Roe, R.</author></authors>
</contributors><dates><year>2001</year></dates><abstract>Again.</abstract></record>
<record><titles><title>Soil</title></titles></record></records></xml>
"""

ENW = """%0 Journal Article
%T Stroke and walking
%A Doe, J.
%X People walk

again.
%D 2001

%0 Book
%T Soil

%0 Generic
%T Trees of the north
"""

TITLES = {
    "enw": (ENW, ["Stroke and walking", "Soil", "Trees of the north"]),
    "ris": (RIS, ["Stroke and walking", "Soil", "Trees of the north"]),
    "nbib": (NBIB, ["Stroke and walking after a long rest", "Soil", "Trees"]),
    "bib": (BIB, ["Stroke and walking", "Soil", "Trees of the north"]),
    "ciw": (CIW, ["Stroke and walking", "Soil"]),
    "xml": (XML, ["Stroke and walking", "Soil"]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("references")


def read(folder, text, name="refs.txt"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path)


@pytest.mark.parametrize("end", ["its own", "txt", "csv", "ris", "dat"])
@pytest.mark.parametrize("kind", TITLES)
def test_the_content_tells_the_format(folder, kind, end):
    if end == "csv" and kind == "bib":
        pytest.skip("a first line such as @article{a, may be a header")
    text, titles = TITLES[kind]
    for form in (
        text,
        text.replace("\n", "\r\n"),
        text.replace("\n", "\r"),
        f"\ufeff{text}",
    ):
        table = read(folder, form, f"refs.{kind if end == 'its own' else end}")
        assert table["title"].tolist() == titles
        assert table.attrs["references"]


def test_columns(folder):
    table = read(folder, NBIB)
    first = table.iloc[0]
    assert first["authors"] == "Doe, Jane; Roe, Richard"
    assert (first["doi"], first["pmid"], first["year"]) == ("10.1/a", "1", "2001 Jan")
    assert table["abstract"].tolist() == ["People walk again.", "", ""]
    table = read(folder, XML)
    assert table["authors"].tolist() == ["Doe, J.; Roe, R.", ""]


#: How the second reference of the RIS file begins.
SOIL = "ER  - \n\nTY  - JOUR\nTI  - Soil"
#: Damages of the RIS file, and the titles that are read, or the error.
DAMAGES = {
    "no last ER": (RIS.rstrip().removesuffix("ER  -"), 3),
    "no ER in the middle": (RIS.replace("ER  - \n\nTY  - BOOK", "\nTY  - BOOK"), 3),
    "TI before TY": (RIS.replace("TY  - BOOK\nT1", "T1").replace(
        "north\n", "north\nTY  - BOOK\n"), 3),
    "no TY": (RIS.replace("TY  - BOOK\n", ""), 3),
    "no TY, no ER": (RIS.replace("TY  - BOOK\n", "").rstrip()[:-5], 3),
    "neither between": (RIS.replace(SOIL, "TI  - Soil"), "line 7: a second TI"),
    "neither, abstracts": (RIS.replace(SOIL, "AB  - Soil"), "line 7: a second AB"),
    "numbers between": (RIS.replace("\nTY", "\n2.\nTY"), 3),
    "two spaces less": (RIS.replace("  - ", " - "), 3),
    "no space behind": (RIS.replace("ER  - ", "ER  -"), 3),
    "notes of Zotero": (RIS.replace("N1  - a note", "N1  - a\nsecond line"), 3),
    "tags of Embase": (RIS.replace("ID  - 17", "ID  - 17\nM3  - Article\nT2  - A"), 3),
    "C1 behind each ER": (RIS.replace("ER  - ", "ER  - \nC1  - Ovid"), 3),
    "C1 behind the last ER": (RIS + "C1  - Ovid\n", 3),
    "two ER": (RIS.replace("ER  - ", "ER  - \nER  - "), 3),
    "a bad TY": (RIS.replace("TY  - BOOK", "T  - BOOK"), 3),
    "a second title": (
        RIS.replace("T1  - Trees", "TI  - Trees\nT1  - Hills"),
        "line 17: a second T1 in one reference",
    ),
    "T1 and TI": (RIS.replace("T1  - T", "TI  - Trees of the north\nT1  - T"), 3),
    "text above": ("Provider: EBSCO\n" + RIS, 3),
    "one DOI twice": (RIS.replace("DO  - 10.1/a", "DO  - 10.1/a\nDO  - 10.1/b"), 3),
}  # fmt: skip


def test_fields_between_references(folder):
    """They stay with the reference before; behind a blank line, with the next."""
    table = read(folder, RIS.replace("ER  - \n", "ER  - \nC1  - after\n"))
    assert table["C1"].tolist() == ["after"] * 3
    assert "line 8, 15, 21." in table.attrs["notes"][0]
    ris = "".join(f"TY  - A\nTI  - {word}\nER  - \nC1  - b\n" for word in "abcdefgh")
    assert "line 4, 8, 12, 16, 20 and 3 more." in read(folder, ris).attrs["notes"][0]
    table = read(folder, RIS + "lost\n" * 60)
    assert table.attrs["notes"][0].endswith("68 ('lost') and 10 more.")
    table = read(folder, RIS.replace("\nTY  - BOOK", "\nAU  - Poe, P.\nTY  - BOOK"))
    assert table["authors"].tolist() == ["Doe, J.", "Roe, R.", "Poe, P."]
    table = read(folder, RIS.replace("TY  - BOOK\n", ""))
    assert table.attrs["notes"] == ["References begin without TY: line 15."]
    table = read(folder, f"Provider: EBSCO\n{RIS}")
    assert "Provider: EBSCO" in table.attrs["notes"][0]


def test_numbers_of_ovid_and_its_years(folder):
    text = EXPORTS["ovid.ris"](make_papers(3, 1))
    table = read(folder, text)
    assert "3. \nTY  - JOUR" in text
    assert table["C1"].tolist() == ["Ovid Technologies"] * 3
    assert [cell for cell in table["year"] if not cell.isdecimal()] == []
    kept = read(folder, RIS.replace("N1  - a note", "N1  - a\n12. \nb"))["N1"][2]
    assert kept == "a 12. b"


def test_two_references_of_one_title_stay_two(folder):
    text = re.sub("Soil|Trees of the north", "Editorial", RIS)
    no_mark = text.replace("TY  - BOOK\n", "")
    for damaged in (text, no_mark, no_mark.rstrip()[:-5]):
        table = read(folder, damaged)
        assert table["title"].tolist() == [
            "Stroke and walking",
            "Editorial",
            "Editorial",
        ]


def test_text_behind_a_mark_is_named(folder):
    table = read(folder, RIS.replace("ER  - ", "ER  - Hills and dales", 1))
    assert len(table) == 3
    assert table.attrs["notes"] == [
        "Text outside of references is left out: line 7 ('Hills and dales')."
    ]
    table = read(folder, CIW.replace("VR 1.0", "VR 1.0 Hills"), "a.ciw")
    assert "line 2 ('1.0 Hills')" in table.attrs["notes"][0]


def test_two_abstracts_are_kept(folder):
    ris = RIS.replace("AB  - People walk again.", "N2  - People walk.\nAB  - {}")
    table = read(folder, ris.format("Other words."))
    assert table["abstract"][1] == "People walk.; Other words."
    assert read(folder, ris.format("People walk. Again."))["abstract"][1] == (
        "People walk. Again."
    )
    table = read(folder, RIS.replace("AB  - ", "AB  - Los pies.\nAB  - "))
    assert table["abstract"][1] == "Los pies.; People walk again."


#: Damages of the file of the Web of Science, and the titles, or the error.
CIW_DAMAGES = {
    "no first PT": (CIW.replace("PT J\n", "", 1), 2),
    "no second PT": (CIW.replace("ER\n\nPT J\n", "ER\n\n"), 2),
    "no PT": (CIW.replace("PT J\n", ""), 2),
    "no ER": (CIW.replace("PY 2001\nER\n", "PY 2001\n"), 2),
    "neither": (CIW.replace("ER\n\nPT J\n", ""), "line 8: a second TI"),
    "no EF": (CIW.replace("EF", ""), 2),
    "no header": (CIW.partition("VR 1.0\n")[2], 2),
    "three ER, two PT": (CIW.replace("\nEF", "TI Trees\nER\n\nEF"), 3),
    "spaces": (CIW.replace("ER\n", "ER  \n"), 2),
}


#: Damages of the BibTeX file, and the number of titles.
BIB_DAMAGES = {
    "no @": (BIB.replace("@book", "book"), 3),
    "= for {": (BIB.replace("@book{", "@book="), 3),
    "={": (BIB.replace("@book{", "@boo={"), 3),
    "no {": (BIB.replace("@book{", "@book "), 3),
    "no comma behind the key": (BIB.replace("b2,", "b2"), 3),
    "no last }": (BIB.rstrip()[:-1], 3),
    "a } too many": (BIB.replace("walking},", "walking}},"), 3),
    "one key": (re.sub("a1|b2|c3", "x", BIB), 3),
    "no key": (BIB.replace("a1,", ","), 3),
    "one line": (BIB.replace("\n", " "), 3),
    "a comment": ("% Encoding: UTF-8\n" + BIB, 3),
    "groups of JabRef": (BIB + "@Comment{jabref-meta: A:;\n}", 3),
    "a field twice": (BIB.replace("year =", "note = {a},\n  note = {b},\n  year ="), 3),
}  # fmt: skip


DAMAGED = [
    *(("ris", name) for name in DAMAGES),
    *(("ciw", name) for name in CIW_DAMAGES),
    *(("bib", name) for name in BIB_DAMAGES),
]


@pytest.mark.parametrize(("kind", "case"), DAMAGED)
def test_damaged_references(folder, kind, case):
    damages = {"ris": DAMAGES, "ciw": CIW_DAMAGES, "bib": BIB_DAMAGES}[kind]
    text, expected = damages[case]
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            read(folder, text, f"refs.{kind}")
    else:
        titles = [*TITLES[kind][1], "Trees"][:expected]
        assert read(folder, text, f"refs.{kind}")["title"].tolist() == titles


def test_damaged_entries_are_named(folder):
    table = read(folder, BIB.replace("walking}", "walking"), "refs.bib")
    assert len(table) == 3
    assert "Stroke and walking" in table["title"][1]
    table = read(folder, BIB.replace("@book{", "@boo={"))
    assert table.attrs["notes"] == [
        "Of damaged entries, what can be read is shown: line 6."
    ]
    assert table["author"][2] == "Doe, J."
    with pytest.raises(ValueError, match="line 1: this entry has the field title"):
        read(folder, BIB.replace("}\n\n@book{b2", ""))


@pytest.mark.parametrize("percent", ["%", r"\%"])
def test_a_per_cent_sign_is_no_comment(folder, percent):
    bib = f"@article{{a, title = {{Up 50{percent} more}}, doi = {{10.1/a{percent}b}}}}"
    table = read(folder, bib, "refs.bib")
    assert table.iloc[0][["title", "doi"]].tolist() == ["Up 50% more", "10.1/a%b"]


#: Fields of BibTeX, and their texts.
LATEX = {
    r"title = {The {DNA} of R&D and B\&B}": "The DNA of R&D and B&B",
    r"title = {Caf\'e {\"U}ber -- {\O}stby}": "Café Über – Østby",
    r"title = {It costs \$5, or $5}": "It costs $5, or $5",
    r"title = {It costs $5, or \emph{more} & 6% off}": "It costs $5, or more & 6% off",
    r"title = {Of $x^2$ and a~b}": "Of $x^2$ and a b",
    r"title = {``So?'' she said}": "“So?” she said",
    r'title = "Of {"}soil{"}"': 'Of "soil"',
    r"=title = {An equals sign}": "An equals sign",
    r"doi = {10.1007/978\_3--4{\_}x}": "10.1007/978_3--4_x",
    r"url = {http://x.edu/~me?a=1&b=2%20}": "http://x.edu/~me?a=1&b=2%20",
}


@pytest.mark.parametrize("field", LATEX)
def test_latex_in_bibtex(folder, field):
    table = read(folder, f"@article{{a, {field}, year = 2001}}", "refs.bib")
    assert table.iloc[0, 1] == LATEX[field]


def test_a_string_of_bibtex_stands_for_its_text(folder):
    bib = r"""@string{much = "of {\'e}t{\'e}"} @article{a, note = much}"""
    assert read(folder, bib, "refs.bib")["note"].tolist() == ["of été"]


def test_a_title_behind_the_name_of_the_database_is_named(folder):
    table = read(folder, CIW.replace("Science\nVR", "Sc  walking\nVR"), "a.ciw")
    assert (
        "line 1 ('Clarivate Analytics Web of Sc  walking')" in (table.attrs["notes"][0])
    )


PUBMED_XML = """<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle" "a.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">1</PMID><Article>
<Journal><JournalIssue><PubDate><Year>2001</Year></PubDate></JournalIssue>
<Title>Gait</Title></Journal>
<ArticleTitle>H<sub>2</sub>O &amp; <i>soil</i></ArticleTitle>
<Abstract><AbstractText Label="AIM">To walk.</AbstractText>
<AbstractText Label="RESULTS">They do.</AbstractText></Abstract>
<AuthorList><Author><LastName>Doe</LastName><ForeName>Jane</ForeName>
</Author>
<Author><CollectiveName>The Group</CollectiveName></Author></AuthorList></Article>
</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType="pubmed">1</ArticleId>
<ArticleId IdType="doi">10.1/a</ArticleId></ArticleIdList></PubmedData></PubmedArticle>
<PubmedBookArticle><BookDocument><PMID>2</PMID><Book><BookTitle>Gout</BookTitle>
<PubDate><Year>2002</Year></PubDate></Book></BookDocument></PubmedBookArticle>
</PubmedArticleSet>
"""


def test_xml_of_pubmed(folder):
    first, second = read(folder, PUBMED_XML, "refs.xml").to_dict("records")
    assert first == {
        "pmid": "1",
        "title": "H2O & soil",
        "abstract": "AIM: To walk. RESULTS: They do.",
        "authors": "Doe, Jane; The Group",
        "year": "2001",
        "journal": "Gait",
        "doi": "10.1/a",
        "keywords": "",
    }
    assert (second["title"], second["year"], second["pmid"]) == ("Gout", "2002", "2")
    with pytest.raises(ValueError, match="a <html>, has no references of EndNote or"):
        read(folder, "<?xml version='1.0'?><html></html>", "refs.xml")


#: Random damages of each format: a few for each change of the code, many to explore.
N_DAMAGES = 5 if settings.default.max_examples < 100 else 2_000


@pytest.mark.parametrize("name", EXPORTS)
@settings(max_examples=N_DAMAGES)
@given(seed=st.integers(0, 2**32 - 1))
def test_no_record_is_lost_in_silence(folder, name, seed):
    """Of a file with one random damage, each title is shown or named, or none is read.

    Two references are one row only where a cut or a swap left no mark between them.
    """
    read_damaged(folder / name, seed)


@pytest.mark.parametrize("name", EXPORTS)
def test_whole_exports(folder, name):
    papers = make_papers(40)
    write_export(folder / name, EXPORTS[name](papers))
    table = read_table(folder / name).rename(columns=COLUMNS)
    assert table["title"].tolist() == [paper.title for paper in papers]
    assert [cell[:4] for cell in table["year"]] == [paper.year for paper in papers]
    assert table["doi"].tolist() == [paper.doi for paper in papers]
    found = table["abstract"].str.removeprefix("In 5% of them. ")
    assert [" ".join(cell.split()) for cell in found] == [
        paper.abstract for paper in papers
    ]
    first = re.split("; | and ", table["authors"].iloc[0])
    assert first == [*papers[0].authors]


def test_two_formats_in_one_file(folder):
    for other in (BIB, NBIB, ENW):
        with pytest.raises(ValueError, match="references in two formats"):
            read(folder, RIS + other)


def test_a_pubmed_reference_without_its_first_line(folder):
    text = NBIB.replace("PMID- 2\n", "")
    table = read(folder, text)
    assert table["title"].tolist() == TITLES["nbib"][1]
    assert table.attrs["notes"] == ["References begin without PMID: line 13."]


def test_references_that_a_parser_loses_are_counted(folder, monkeypatch):
    import bibtexparser

    parse = bibtexparser.parse_string

    def lose_one(text, **options):
        library = parse(text, **options)
        library.remove(library.blocks[-1])
        return library

    monkeypatch.setattr(bibtexparser, "parse_string", lose_one)
    with pytest.raises(ValueError, match=r"3 whole references .* and 2 can be read"):
        read(folder, BIB)


# Duplicates


def kept(*rows, names="title year doi abstract", texts=()):
    """Return the rows that are left of rows of cells."""
    columns = zip(names.split(), zip(*rows, strict=True), strict=True)
    table, *_ = drop_duplicates(as_text_table(dict(columns)), texts=texts)
    return table.index.tolist()


LONG = "we followed forty people for ten years and saw that they walked again"
#: Title, year, DOI and abstract of two references, and whether they are the same.
PAIRS = {
    "two editorials": ("Editorial|2001||", "Editorial|2015||", False),
    "a title": ("On soil|||", "On Soil.|||", True),
    "a title and a year": ("On soil|2001||", "On soil|2001 Jan||", True),
    "a year is missing": ("On soil|||", "On soil|2001||", True),
    "other abstracts": ("On soil|||A b c", "On soil|||X y z", False),
    "a cut abstract": (f"On soil|||{LONG}", f"On soil|||{LONG[:30]}", True),
    "a copyright": (f"On soil|||{LONG}", f"On soil|||{LONG} (c) 2001", True),
    "one DOI": ("On soil|2001|10.1/a|", "On soil|2002|10.1/A|", True),
    "a link": ("||10.1/a|", "On soil||https://doi.org/10.1/a|", True),
    "an old link": ("||10.1/a|", "||http://dx.doi.org/10.1/A|", True),
    "a prefix": ("On soil||doi: 10.1/ a|", "On soil||10.1/a.|", True),
    "two DOIs": ("On soil||10.1/a|", "On soil||10.1/b|", False),
    "chapters of a book": ("Soil||10.1/a|", "Trees||10.1/a|", False),
    "beginnings": ("Introduction||10.1/a|", "Introduction to x||10.1/a|", False),
    "a subtitle": ("What soil does to trees||10.1/a|",
                   "What soil does to trees: a trial||10.1/a|", True),
    "a placeholder and a DOI": ("Soil||NA|", "Soil||10.1/a|", True),
    **{f"no DOI: {word}": (f"Soil||{word}|", f"Trees||{word}|", False)
       for word in ("NA", "-", "n/a", "none", "10.", "10.1016", "0", "doi", "x.y/z")},
}  # fmt: skip


@pytest.mark.parametrize("case", PAIRS)
def test_which_references_are_the_same(case):
    *texts, is_same = PAIRS[case]
    first, second = (tuple(text.split("|")) for text in texts)
    assert kept(first, second) == [1] + [2] * (not is_same)
    assert kept(second, first) == [1] + [2] * (not is_same)


def test_what_one_lacks_another_may_have():
    assert kept(
        ("Editorial", "", "", ""), ("Editorial", "2001", "", ""),
        ("Editorial", "2015", "", ""), ("Editorial", "2001", "10.1/a", ""),
        ("Editorial", "", "10.1/b", ""),
    ) == [1, 3]  # fmt: skip


def test_short_titles_need_the_same_journal_and_authors():
    names, long = "title year journal authors", "What soil does to trees"
    first = "2001", "J. Soil", "Li, A."
    others = (
        ("2001", "Trees", ""),
        ("2001", "J. Soil", "Wu, B."),
        ("2001", "J Soil", "li a"),
    )
    for title, n_kept in ("Editorial", [1, 2, 3]), (long, [1]):
        rows = [(title, *cells) for cells in (first, *others)]
        assert kept(*rows, names=names) == n_kept
    assert kept(*rows, names=names, texts=["journal"]) == [1, 2]


def test_other_texts_agree_too():
    rows = ("Great", "I loved it"), ("Great", "It broke"), ("Great", "I loved it")
    assert kept(*rows, names="title review", texts=["review"]) == [1, 2]
    assert kept(*rows, names="title review") == [1]
    assert kept(*rows, names="heading review") == [1, 2, 3]


def test_duplicates_are_counted_and_returned():
    table = as_text_table(
        {"title": ["a", "b", "A", "B", "a.", *"AAAA"], "n": [*"123456789"]}
    )
    _, repeated, (sentence,) = drop_duplicates(table)
    assert sentence == (
        "7 of 9 rows are the same reference as an earlier row, and are left out "
        "(--keep-duplicates keeps them): 3 = 1, 4 = 2, 5 = 1, 6 = 1, 7 = 1 and 2 more"
    )
    assert repeated.to_dict("list") == {
        "row": [*"3456789"], "repeats row": [*"1211111"],
        "title": ["A", "B", "a.", *"AAAA"], "n": [*"3456789"],
    }  # fmt: skip
    table["label"] = [*"xyzyxxxxx"]
    _, _, (_, sentence) = drop_duplicates(table, "label")
    assert sentence.endswith("have different labels: they are unlabelled (rows 1)")


def test_tables_of_several_files_are_one(folder):
    papers, tables = make_papers(30), {}
    first = EXPORTS["scopus.ris"](papers[:20]), EXPORTS["jabref.bib"](papers[10:])
    for name, text in zip(("a.ris", "b.bib"), first, strict=True):
        tables[name] = read(folder, text, name)
    tables["c.csv"] = read(folder, EXPORTS["embase.csv"](papers[5:15]), "c.csv")
    table = join_tables(tables)
    assert table.attrs["references"]
    assert table.index.tolist() == [*range(1, 51)]
    assert "b.bib has the rows 21 to 40." in table.attrs["notes"]
    assert table["source file"].value_counts().to_dict() == {
        "a.ris": 20, "b.bib": 20, "c.csv": 10
    }  # fmt: skip
    assert not {"Title", "author", "Publication Year", "DOI"} & {*table}
    once, repeated, _ = drop_duplicates(table)
    assert once["title"].tolist() == [paper.title for paper in papers]
    assert repeated["repeats row"].tolist()[:10] == [*map(str, range(11, 21))]
    same = read(folder, "Year,date,Date\n1,2,3\n", "d.csv")
    table = join_tables({"d.csv": same, "e.csv": read(folder, "DATE\n4\n", "e.csv")})
    assert table.to_dict("list") == {
        "Year": ["1", "4"], "date": ["2", ""], "Date": ["3", ""],
        "source file": ["d.csv", "e.csv"],
    }  # fmt: skip


# Tables


@pytest.mark.parametrize("mark", [";", "\t", "|", ","])
@pytest.mark.parametrize("end", ["csv", "tsv", "txt"])
def test_the_separator_is_recognised(folder, mark, end):
    quoted = '"a, b"' if mark == "," else "a, b"
    text = f"id{mark}text\n1{mark}{quoted}\n2{mark}c\n"
    table = read(folder, text, f"t.{end}")
    assert table["text"].tolist() == ["a, b", "c"]
    notes = table.attrs["notes"]
    assert len(notes) == (mark != ",")
    assert not notes or "separated by" in notes[0]
    assert not table.attrs["references"]


def test_a_line_that_does_not_fit_is_named(folder):
    with pytest.raises(
        ValueError, match="semicolons: line 4 has 3 cells, and the header 2"
    ):
        read(folder, "id;text\n1;a\n2;b\n3;c;d\n", "t.csv")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "SEP=;"])
def test_the_first_line_of_excel_names_the_separator(folder, first, end):
    text = f'{first}\na;b\n1;"x,\ny"\n2;z\n'.replace("\n", end)
    table = read(folder, text, "t.csv")
    assert table.to_dict("list") == {"a": ["1", "2"], "b": ["x,\ny", "z"]}


TWO_SEPARATORS = {  # both fit; commas only; semicolons only; the shorter header
    "both": ("a;b,c\n1;2,5\n3;4,5\n", ["a;b", "c"], "commas. Semicolons fit all lines"),
    "commas": ("a;b,c\n1,2\n3;3;3,4\n", ["a;b", "c"], ""),
    "semicolons": ("a;b, cm\n1;2\n3;4\n", ["a", "b, cm"], "by semicolons."),
    "fewer": ("a;b, in c, d\n1;2\n3;4\n", ["a", "b, in c, d"], "by semicolons."),
    "none": ("a;b,c\n1;2\n3,4\n", ["a;b", "c"], "fewer cells"),
}


@pytest.mark.parametrize("case", TWO_SEPARATORS)
def test_of_two_separators_the_one_that_all_lines_agree_on(folder, case):
    text, names, note = TWO_SEPARATORS[case]
    table = read(folder, text, "t.csv")
    assert [*table] == names
    notes = " ".join(table.attrs["notes"])
    assert note in notes
    assert ("fit all lines" in notes) == (case == "both")


BAD_TABLES = {
    "R's write.table": ("a,b\n1,2,3\n2,3,4\n", "line 2 has 3 cells, and the header 2"),
    "an unnamed column too many": (",a,b\n1,2\n2,3\n", "3 cells, one of them empty"),
    "a quote": ('id,t\n1,"a\n2,"b"\n3,c\n', "line 3: a quote is missing"),
    "a quote at the end": ('id,t\n1,a\n2,"b\n3,c\n', "a quote is missing"),
    "a name twice": ("a,a\n1,2\n", "names the column 'a' twice"),
}


@pytest.mark.parametrize("case", BAD_TABLES)
def test_tables_that_would_lose_rows(folder, case):
    text, message = BAD_TABLES[case]
    with pytest.raises(ValueError, match=message):
        read(folder, text, "t.csv")


def test_what_is_odd_is_said(folder):
    table = read(folder, "a,b,\n1,2\n3\n", "t.csv")
    assert table.to_dict("list") == {"a": ["1", "3"], "b": ["2", ""]}
    assert "line 3." in table.attrs["notes"][0]
    table = read(folder, ",,b\n0,x,1\n1,y,2\n", "t.csv")
    assert table.to_dict("list") == {"column 2": ["x", "y"], "b": ["1", "2"]}
    table = read(folder, "5.1,3.5,setosa\n4.9,3.0,setosa\n", "iris.csv")
    assert "names of columns. If it is a row" in table.attrs["notes"][0]
    table = read(folder, 'a,b\n1,say "hi" now\n', "t.csv")
    assert table["b"].tolist() == ['say "hi" now']


A_B, ABOVE = {"a": ["1", "3"], "b": ["é", "x"]}, "above numbers. If it belongs"
#: Bytes of tables as people have them, their cells, and words of the sentence on them.
ODD_TABLES = {
    "UTF-16": ("\ufeffa;b\n1;é\n3;x\n".encode("utf-16-le"), A_B, "in UTF-16."),
    "UTF-16 without a mark": ("a,b\n1,é\n3,x".encode("utf-16-le"), A_B, "UTF-16-LE"),
    "big-endian": ("a,b\r\n1,é\r\n3,x\r\n".encode("utf-16-be"), A_B, "UTF-16-BE"),
    "UTF-32": ("a\tb\n1\té\n3\tx\n".encode("utf-32"), A_B, "UTF-32"),
    "two marks": ("\ufeff\ufeffa,b\n1,é\n3,x\n".encode(), A_B, ""),
    "a zero byte": ("a,b\n1,\0é\n3,x\n".encode(), A_B, "Zero bytes are left out (1)"),
    "zero bytes at the end": ("a,b\n1,é\n3,x\n\0\0".encode(), A_B, "out (2)"),
    "an end of DOS": ("a,b\n1,é\n3,x\n\x1a".encode(), A_B, ""),
    "mixed line ends": ("a,b\r1,é\r\n3,x\n".encode(), A_B, ""),
    "empty lines above": ("\n\r\n\na,b\n1,é\n3,x".encode(), A_B, ""),
    "commas at the end": ("a,b,,\n1,é,,\n3,x,,\n".encode(), A_B, ""),
    "a row's number": (",a,b\n0,1,é\n9,3,x\n".encode(), A_B, ""),
    "units": (b"a,b\nkg,cm\n7,8\n8,9\n",
              {"a": ["kg", "7", "8"], "b": ["cm", "8", "9"]}, ABOVE),
    "three headers": (b"a,b\nage,\nx,y\n7,w\n8,\n", {"a": ["age", "x", "7", "8"],
                      "b": ["", "y", "w", ""]}, ABOVE),
    "a title above": (b"T,,\nn,k,v\na,u,1\nb,v,2\n", {"T": ["n", "a", "b"],
                      "column 2": ["k", "u", "v"], "column 3": ["v", "1", "2"]}, ABOVE),
    "no words above": (b"a,b\nNA,x\n7,y\n8,z\n", {"a": ["NA", "7", "8"],
                       "b": ["x", "y", "z"]}, ""),
    "lines in quotes": (b'"a;b"\n"1;2"\n"3;4"\n', {"a;b": ["1;2", "3;4"]},
                        "If semicolons separate columns"),
    "an unnamed column": (b"a,,b\n1,7,2\n3,8,4\n", {"a": ["1", "3"],
                          "column 2": ["7", "8"], "b": ["2", "4"]}, ""),
    "quotes between tabs": (b'a\tb\n1\t"So" it\n2\t"x\n', {"a": ["1", "2"],
                            "b": ['"So" it', '"x']}, "tabs"),
    "a list": (b"a thing\nfirst\n", {"a thing": ["first"]}, "above it: a thing"),
    "lines in a cell": (b'a,b\r\n"x\r\ny",1\r\n"z\n",3\r\n', {"a": ["x\ny", "z\n"],
                        "b": ["1", "3"]}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", ODD_TABLES)
def test_tables_as_people_have_them(folder, case):
    data, cells, note = ODD_TABLES[case]
    table = read(folder, data, "t.csv")
    assert table.to_dict("list") == cells
    notes = " ".join(table.attrs["notes"])
    assert note in notes
    assert ("above numbers" in notes) == (note == ABOVE)


OTHER_FILES = {
    b"Sales\n\na,b,c\n1,2,3\n": "line 3 has 3 cells, and the header 1. Delete lines",
    b"PK\3\4\x80\0": "a zip archive or a spreadsheet",
    b"\xd0\xcf\x11\xe0\0": "an Excel file of the old kind: save it as .xlsx",
    b"\x1f\x8b\x08\0": "compressed: unpack it",
    b"<!DOCTYPE html><p>": "a page of HTML",
    b"<table><tr><td>a": "a page of HTML",
}


@pytest.mark.parametrize("data", OTHER_FILES)
def test_files_that_are_no_tables(folder, data):
    for name in ("t.csv", "t.xls", "t.txt"):
        with pytest.raises(ValueError, match=OTHER_FILES[data]):
            read(folder, data, name)


def sheet(folder, *rows, merged=()):
    """Write rows to an Excel file, and read it."""
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    for area in merged:
        book.active.merge_cells(area)
    book.save(folder / "t.xlsx")
    table = read_table(folder / "t.xlsx")
    return table.to_dict("list"), " ".join(table.attrs["notes"])


def test_sheets_as_people_have_them(folder):
    cells, notes = sheet(
        folder, ["k", "v"], ["a", 1], [None, 2], ["b", 3], merged=["A2:A3"]
    )
    assert cells == {"k": ["a", "a", "b"], "v": ["1", "2", "3"]}
    assert "merged cells is read in each of their rows" in notes
    cells, notes = sheet(folder, ["k", "v"], ["", "w"], ["x", 1], merged=["A1:A2"])
    assert cells == {"k": ["", "x"], "v": ["w", "1"]}  # a name is no cell of a row
    assert "merged" not in notes
    for rows in (
        [["Report"], ["a", "b", "c"], ["x", 1, 2]],
        [["a", "b"], ["x", 1], ["y", 3, "z", 5]],
    ):
        with pytest.raises(
            ValueError, match=r"row \d of the sheet has 2 cells to the r"
        ):
            sheet(folder, *rows)
    rows = ["Report"], ["a", "b"], ["x", 1], ["y", 3]
    cells, notes = sheet(folder, *rows, merged=["A1:B1"])
    assert cells == {"Report": ["a", "x", "y"], "column 2": ["b", "1", "3"]}
    assert ABOVE in notes
    cells, notes = sheet(folder, ["a", "b"], [1, "=A2*2"], [5, '="x"'])
    assert (cells["b"], "empty cells (2)" in notes) == (["", ""], True)
    cells, notes = sheet(folder, [], [], [None, "a"], [None, 1], [], [None, 3])
    assert (cells, notes) == ({"a": ["1", "", "3"]}, "")
    days = date(2024, 1, 31), datetime(2024, 1, 3), datetime(2024, 1, 3, 5, 6)
    cells, notes = sheet(folder, [days[0], "b"], *([day, "x_x000D_y"] for day in days))
    assert cells["2024-01-31"] == ["2024-01-31", "2024-01-03", "2024-01-03 05:06:00"]
    with pytest.raises(ValueError, match="'Sheet' is empty: put the rows on this"):
        sheet(folder)


JSON_ROWS = {
    "array": '[{"id": 1, "t": "a"}, {"id": 2, "t": null}]',
    "lines": '{"id": 1, "t": "a"}\n\n{"id": 2}\n',
    "one": '{"id": 1, "t": "a"}',
}


@pytest.mark.parametrize("end", ["json", "jsonl", "ndjson", "txt"])
@pytest.mark.parametrize("case", JSON_ROWS)
def test_json(folder, case, end):
    table = read(folder, JSON_ROWS[case], f"t.{end}")
    expected = {"id": ["1", "2"], "t": ["a", ""]}
    n = 1 if case == "one" else 2
    assert table.to_dict("list") == {k: cells[:n] for k, cells in expected.items()}


def test_days_as_numbers_and_empty_columns(folder):
    days = ["20240131", "20231231", "20240229"]
    cells = {"day": days, "empty": [""] * 3, "id": ["20240131", "20231331", "5"]}
    cells["mixed"] = ["1", "2", "kg"]
    kinds = {each.name: each for each in find_kinds(as_text_table(cells))}
    assert (kinds["day"].kind, kinds["id"].kind) == ("date", "number")
    assert kinds["empty"][1:] == ("left out", "", "is empty")
    assert kinds["mixed"].remark == "2 numbers but not 'kg': --gaps"
    first, second, _ = read_columns(as_text_table(cells), [kinds["day"]])["date: day"]
    assert first - second == 31


def test_cells_of_json_are_as_in_the_file(folder):
    text = (
        '{"a": 59, "b": 59.0, "c": true, "d": "NA", "e": 1e3, "f": 12345678901234567}'
    )
    assert read(folder, text, "t.json").iloc[0].tolist() == (
        ["59", "59.0", "true", "NA", "1e3", "12345678901234567"]
    )


BAD_JSON = {
    "nested": ('[{"a": {"b": 1}}]', "row 1: 'a' holds several values"),
    "a list": ('{"a": 1}\n{"a": [1]}', "row 2: 'a' holds several values"),
    "no objects": ("[1, 2]", "row 1 is no object"),
    "no rows": ("[]", "no row in this file"),
    "cut": ('[{"a": 1}, {"a"', "not JSON"),
    "cut lines": ('{"a": 1}\n{"a"', "line 2 is not JSON"),
    "a name twice": ('[{"a": 1, "a": 2}]', "a row has 'a' twice"),
}


@pytest.mark.parametrize("case", BAD_JSON)
def test_json_that_holds_no_rows(folder, case):
    text, message = BAD_JSON[case]
    with pytest.raises(ValueError, match=message):
        read(folder, text, "t.json")


def test_excel(folder):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["id", "class", "n", None])
    book.active.append(["001", "None", 59, "x"])
    book.active.append(["002", "NA", None, "y"])
    book.active.append(["1e5", "", 1.5, ""])
    book.active.append([None] * 4)
    book.create_sheet("other").append(["=1+1"])  # of a sheet that is not read
    book.save(folder / "t.xlsx")
    table = read_table(folder / "t.xlsx")
    assert table.to_dict("list") == {
        "id": ["001", "002", "1e5"], "class": ["None", "NA", ""],
        "n": ["59", "", "1.5"], "column 4": ["x", "y", ""],
    }  # fmt: skip
    assert table.attrs["notes"] == ["The sheet 'Sheet' is read, and not 'other'."]


def test_whole_numbers_beside_gaps_of_parquet(folder):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    columns = {"n": pd.array([2**53 + 1, None], dtype="Int64"), "x": [59.0, None]}
    pd.DataFrame(columns).to_parquet(folder / "t.parquet")
    table = read_table(folder / "t.parquet")
    assert table.to_dict("list") == {"n": [f"{2**53 + 1}", ""], "x": ["59", ""]}


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("id,text\n1,café\n".encode("cp1252"), "Windows-1252 (confidence 100%)"),
        ("id,text\n1,café\n".encode("utf-16"), "UTF-16"),
        ("\ufeffid,text\n1,café\n".encode("utf-16-be"), "UTF-16"),
        ("id,text\n1,café\n".encode("utf-8-sig"), ""),
        ("id,text\n1,café\n".encode(), ""),
    ],
)
def test_encodings_are_said(folder, data, note):
    table = read(folder, data, "t.csv")
    assert table["text"].tolist() == ["café"]
    assert note in "".join(table.attrs["notes"])
    assert bool(note) == bool(table.attrs["notes"])


FOREIGN = {
    "gb18030": ["中风患者的步行训练", "抑郁症的认知行为治疗", "土壤有机碳的长期变化"],
    "shift_jis": ["脳卒中患者の歩行訓練", "うつ病の認知行動療法", "土壌有機炭素の変化"],
    "big5": ["中風患者的步行訓練", "憂鬱症的認知行為治療", "土壤有機碳的長期變化"],
    "euc_kr": ["뇌졸중 환자의 보행 훈련", "우울증의 인지행동치료", "토양 변화"],
    "cp1251": ["Тренировка ходьбы после инсульта", "Терапия депрессии", "Почвы России"],
    "cp1253": ["Εκπαίδευση βάδισης μετά εγκεφαλικό", "Γνωστική θεραπεία", "Άνθρακας"],
    "cp1256": ["تدريب المشي بعد السكتة", "العلاج السلوكي المعرفي", "محمد أحمد"],
    "cp1252": ["Rééducation à la marche", "Verhaltenstherapie für Ängste", "Mudança à"],
}


@pytest.mark.parametrize("n_plain", [0, 40])
@pytest.mark.parametrize("encoding", FOREIGN)
@pytest.mark.parametrize("form", ["title\n{}\n", "TY  - JOUR\nTI  - {}\nER  - \n"])
def test_encodings_of_other_alphabets(folder, encoding, n_plain, form):
    titles = FOREIGN[encoding] + ["A trial of gait training after stroke"] * n_plain
    rows = [form.format(title) for title in titles]
    text = "".join(rows) if form[0] == "T" else "title\n" + "\n".join(titles)
    table = read(folder, text.encode(encoding))
    assert table["title"].tolist() == titles
    assert "confidence" in table.attrs["notes"][0]


def test_encodings_that_cannot_be_told(folder):
    with pytest.raises(ValueError, match="pass its name with --encoding"):
        read(folder, "t\nтом\n".encode("koi8_r"))
    path = folder / "refs.txt"
    path.write_bytes("t\nтом\n".encode("koi8_r"))
    assert read_table(path, "koi8-r")["t"].tolist() == ["том"]
    with pytest.raises(ValueError, match="there is no encoding 'koi'"):
        read_table(path, "koi")
    with pytest.raises(ValueError, match="byte 2 is not utf-8: pass another"):
        read_table(path, "utf-8")
