"""Files of references and tables as people export them: nothing is lost in silence."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_activelearn.preprocessing._tables import read_table

rispy = pytest.importorskip("rispy")
pytest.importorskip("bibtexparser", "2")

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

TITLES = {
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
        pytest.skip("a first line such as @article{ may be a header")
    text, titles = TITLES[kind]
    for form in (text, text.replace("\n", "\r\n"), f"\ufeff{text}", f"{text}\n\n"):
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


#: Damages of the RIS file, and the titles that are read, or the error.
DAMAGES = {
    "no last ER": (RIS.rstrip().removesuffix("ER  -"), 3),
    "no ER in the middle": (RIS.replace("ER  - \n\nTY  - BOOK", "\nTY  - BOOK"), 3),
    "TI before TY": (RIS.replace("TY  - BOOK\nT1", "T1").replace(
        "north\n", "north\nTY  - BOOK\n"), 3),
    "no TY": (RIS.replace("TY  - BOOK\n", ""), "line 17: a reference ends that has no"),
    "no TY, no ER": (
        RIS.replace("TY  - BOOK\n", "").rstrip()[:-5],
        "a reference is cut",
    ),
    "neither between": (
        RIS.replace("ER  - \n\nTY  - JOUR\nTI  - Soil", "TI  - Soil"),
        "line 7: a second TI in one reference",
    ),
    "numbers between": (RIS.replace("\nTY", "\n2.\nTY"), 3),
    "two spaces less": (RIS.replace("  - ", " - "), 3),
    "no space behind": (RIS.replace("ER  - ", "ER  -"), 3),
    "notes of Zotero": (RIS.replace("N1  - a note", "N1  - a\nsecond line"), 3),
    "tags of Embase": (RIS.replace("ID  - 17", "ID  - 17\nM3  - Article\nT2  - A"), 3),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGES)
def test_damaged_ris(folder, case):
    text, expected = DAMAGES[case]
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            read(folder, text)
    else:
        assert read(folder, text)["title"].tolist() == TITLES["ris"][1]


@settings(max_examples=12 * settings.default.max_examples)
@given(
    kind=st.sampled_from(["ris", "nbib", "bib"]),
    how=st.sampled_from(["line", "span", "letter", "twice", "swap"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_records_in_are_records_out_or_a_sentence(folder, kind, how, seed):
    """Of a file with one random damage, all three records are read, or none."""
    text, titles = TITLES[kind]
    rng, lines = random.Random(seed), text.split("\n")
    at = rng.randrange(len(lines))
    if how == "line":
        del lines[at]
    elif how == "twice":
        lines.insert(at, lines[at])
    elif how == "swap":
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    damaged = "\n".join(lines)
    if how == "span":
        begin = rng.randrange(len(text))
        damaged = text[:begin] + text[begin + rng.randrange(1, 12) :]
    elif how == "letter":
        begin = rng.randrange(len(text))
        damaged = text[:begin] + rng.choice('{}@=-\n ,"xT') + text[begin + 1 :]
    try:
        table = read(folder, damaged, f"refs.{kind}")
    except ValueError:
        return
    n_marks = {"ris": "TY", "nbib": "PMID", "bib": "@"}
    if how == "twice" and lines[at].startswith(n_marks[kind]):
        assert len(table) >= len(titles)
    else:
        assert len(table) == len(titles), damaged


def test_a_pubmed_reference_without_its_first_line(folder):
    text = NBIB.replace("PMID- 2\nTI  - Soil\n", "")
    with pytest.raises(ValueError, match="line 13: a reference begins without PMID"):
        read(folder, text)


def test_references_that_a_parser_loses_are_counted(folder, monkeypatch):
    import bibtexparser

    whole, parse = rispy.loads, bibtexparser.parse_string
    monkeypatch.setattr(rispy, "loads", lambda *a, **kw: whole(*a, **kw)[:-1])
    with pytest.raises(ValueError, match=r"3 references begin .* and 2 can be read"):
        read(folder, RIS)

    def lose_one(text, **options):
        library = parse(text, **options)
        library.remove(library.blocks[-1])
        return library

    monkeypatch.setattr(bibtexparser, "parse_string", lose_one)
    with pytest.raises(ValueError, match=r"3 references begin .* and 2 can be read"):
        read(folder, BIB)


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
        ValueError, match="semicolons: Expected 2 fields in line 4, saw 3"
    ):
        read(folder, "id;text\n1;a\n2;b\n3;c;d\n", "t.csv")


@pytest.mark.parametrize(
    ("data", "note"),
    [
        ("id,text\n1,café\n".encode("cp1252"), "Windows-1252"),
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
