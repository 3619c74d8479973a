"""Exports of databases as they look today, and random damages of them."""

import json
import random
import re
from functools import partial
from typing import NamedTuple
from xml.sax.saxutils import escape

import openpyxl
import pandas as pd

from sklearn_activelearn.preprocessing._tables import read_table


class Paper(NamedTuple):
    """A reference. Its title and its abstract have a word that no other one has."""

    title: str
    abstract: str
    authors: tuple
    year: str
    doi: str


WORDS = "soil carbon stroke gait trial cohort school reading income wage"
#: What a paper may lack.
OPTIONAL = {"abstract", "doi"}


def make_papers(n, seed=0):
    """Return papers, some without an abstract, a DOI or a year."""
    rng = random.Random(seed)
    words = WORDS.split()
    papers = []
    for k in range(n):
        title = f"Effects of {rng.choice(words)} on {rng.choice(words)}: study tq{k}z"
        abstract = f"We asked {rng.randrange(2, 900)} people. Result aq{k}z, p < .05."
        names = rng.sample(["Doe", "Roe"], 2)
        authors = tuple(f"{name}, {rng.choice('ABC')}." for name in names)
        abstract *= rng.random() < 0.8
        authors = authors[: rng.randrange(1, 3)]
        year = f"{rng.randrange(1980, 2024)}"
        doi = f"10.{rng.randrange(1000, 9999)}/x.{k}" * (rng.random() < 0.8)
        papers.append(Paper(title, abstract, authors, year, doi))
    return papers


def fill(template, papers):
    """Return the lines of a template for each paper.

    A line whose value a paper lacks is left out, and the line of an author comes once
    for each. {start} and {end} are the parts of the title, which some exports wrap.
    """
    lines = []
    for k, paper in enumerate(papers):
        start, _, end = paper.title.partition(": ")
        cells = paper._asdict() | {"k": k, "next_k": k + 1, "start": start, "end": end}
        cells["names"] = " and ".join(paper.authors)
        cells["below_each_other"] = "\n   ".join(paper.authors)
        missing = {name for name in OPTIONAL if not cells[name]}
        for line in template.splitlines():
            if not missing & {*re.findall(r"{(\w+)}", line)}:
                authors = paper.authors if "{author}" in line else [""]
                lines += [line.format(**cells, author=each) for each in authors]
    return "\n".join(lines)


#: TI, then authors; N2 repeats the abstract in some exports.
RIS_OF_SCOPUS = """\
TY  - JOUR
TI  - {title}
T2  - Journal
AU  - {author}
PY  - {year}
DO  - {doi}
AB  - {abstract}
N2  - {abstract}
DB  - Scopus
ER  - \n
"""
#: Numbers before the references, N2, and C1 after each ER.
RIS_OF_OVID = """\
{next_k}. \nTY  - JOUR
DB  - MEDLINE
AN  - 90{next_k}
T1  - {title}
A1  - {author}
Y1  - {year}//
N2  - {abstract}
DO  - {doi}
ER  - \nC1  - Ovid Technologies

"""
#: ProQuest: T1, JF, N2, an identifier; two empty lines between references.
RIS_OF_PSYCINFO = """\
TY  - JOUR
ID  - 57{k}
T1  - {title}
A1  - {author}
Y1  - {year}/01//
N2  - {abstract}
JF  - Journal {k}
SP  - {next_k}
DO  - {doi}
KW  - gait
KW  - school
ER  - \n

"""
#: TI, AB, notes of several lines; no space behind ER.
RIS_OF_ZOTERO = """\
TY  - BOOK
TI  - {title}
AU  - {author}
DA  - {year}/03
PY  - {year}
DO  - {doi}
AB  - {abstract}
N1  - <p>First</p>
<p>second: a note</p>
ER  -

"""
#: A tag once, its further lines indented.
WEB_OF_SCIENCE = """\
PT J
AU {below_each_other}
TI {start}:
   {end}
SO JOURNAL
AB {abstract}
PY {year}
DI {doi}
UT WOS:000{k}
ER

"""
#: An empty line between references, wrapped titles.
PUBMED = """
PMID- 300{k}
OWN - NLM
DP  - {year}
TI  - {start}:
      {end}
LID - {doi} [doi]
AB  - {abstract}
FAU - {author}
JT  - Journal {k}
"""
#: Google Scholar and JabRef: an empty line between references.
ENDNOTE = """\
%0 Journal Article
%T {title}
%A {author}
%J Journal {k}
%D {year}
%X {abstract}
%R {doi}

"""
#: Braces, tabs, and a per cent sign that is escaped or not.
BIB_OF_ZOTERO = """\
@article{{doe_{k},
\ttitle = {{{title}}},
\tabstract = {{In 5% of them. {abstract}}},
\tauthor = {{{names}}},
\tdoi = {{{doi}}},
\tyear = {{{year}}},
}}

"""
#: Google Scholar: two spaces, no comma behind the last field.
BIB_OF_SCHOLAR = """\
@article{{doe{year}effects,
  title={{{title}}},
  author={{{names}}},
  journal={{J. of A \\& B}},
  doi={{{doi}}},
  abstract={{{abstract}}},
  year={{{year}}}
}}

"""
#: A comment above, aligned fields, groups below.
BIB_OF_JABREF = """\
@Article{{Doe{k},
  author   = {{{names}}},
  title    = {{{title}}},
  year     = {{{year}}},
  abstract = {{{abstract}}},
  doi      = {{{doi}}},
}}

"""


def ciw_of_web_of_science(papers):
    """A header above, and a mark of the end."""
    head = "FN Clarivate Analytics Web of Science\nVR 1.0"
    return f"{head}\n{fill(WEB_OF_SCIENCE, papers)}\nEF"


def bib_of_jabref(papers):
    """The entries between a comment and the groups."""
    end = "@Comment{jabref-meta: databaseType:bibtex;}\n"
    return f"% Encoding: UTF-8\n\n{fill(BIB_OF_JABREF, papers)}\n{end}"


def xml_of_endnote(papers):
    """One line for each reference."""
    records = [
        "<record><ref-type>17</ref-type><contributors><authors>"
        + "".join(f"<author>{escape(each)}</author>" for each in p.authors)
        + f"</authors></contributors><titles><title><style>{escape(p.title)}</style>"
        f"</title></titles><dates><year>{p.year}</year></dates><abstract>"
        f"{escape(p.abstract)}</abstract><electronic-resource-num>{escape(p.doi)}"
        "</electronic-resource-num></record>"
        for p in papers
    ]
    return "\n".join(
        ['<?xml version="1.0" encoding="UTF-8" ?><xml><records>', *records,
         "</records></xml>"]
    )  # fmt: skip


def xml_of_pubmed(papers):
    """The DOI twice, the authors by parts of the name."""
    records = [
        "<PubmedArticle><MedlineCitation>"
        f"<PMID Version='1'>300{k}</PMID><Article><Journal><JournalIssue><PubDate>"
        f"<Year>{p.year}</Year><Month>Jan</Month></PubDate></JournalIssue>"
        f"<Title>Journal {k}</Title></Journal>"
        f"<ArticleTitle>{escape(p.title)}</ArticleTitle>"
        f"<ELocationID EIdType='doi'>{escape(p.doi)}</ELocationID>"
        f"<Abstract><AbstractText>{escape(p.abstract)}</AbstractText>"
        "</Abstract><AuthorList>"
        + "".join(
            "<Author><LastName>{}</LastName><ForeName>{}</ForeName></Author>".format(
                *map(escape, each.split(", "))
            )
            for each in p.authors
        )
        + "</AuthorList></Article></MedlineCitation><PubmedData><ArticleIdList>"
        f"<ArticleId IdType='pubmed'>300{k}</ArticleId>"
        f"<ArticleId IdType='doi'>{escape(p.doi)}</ArticleId>"
        "</ArticleIdList></PubmedData></PubmedArticle>"
        for k, p in enumerate(papers)
    ]
    return "\n".join(
        ['<?xml version="1.0" ?>', "<!DOCTYPE PubmedArticleSet PUBLIC '-//NLM' 'a'>",
         "<PubmedArticleSet>", *records, "</PubmedArticleSet>"]
    )  # fmt: skip


def rows_of(papers):
    """Return the papers as dicts."""
    return [p._asdict() | {"authors": "; ".join(p.authors)} for p in papers]


def csv_of_scopus(papers):
    """Commas, quotes where they are needed."""
    return pd.DataFrame(rows_of(papers)).to_csv(index=False)


def csv_of_excel(papers):
    """Semicolons, a first line that says so, all texts in quotes."""
    return "sep=;\n" + pd.DataFrame(rows_of(papers)).to_csv(
        index=False, sep=";", quoting=1
    )


def tabs_of_web_of_science(papers):
    """Tabs, columns named by tags, a mark of UTF-8, no quotes around quotes."""
    names = {
        "authors": "AU",
        "title": "TI",
        "year": "PY",
        "abstract": "AB",
        "doi": "DI",
    }
    rows = [["PT", *names.values(), "UT"]]
    rows += [["J", *(row[name] for name in names), f"WOS:{k}"]
             for k, row in enumerate(rows_of(papers))]  # fmt: skip
    return "\ufeff" + "\n".join("\t".join(row) for row in rows)


def csv_of_embase(papers):
    """All cells in quotes, texts of several lines, long names of columns."""
    names = {"title": "Title", "abstract": "Abstract", "authors": "Author Names",
             "year": "Publication Year", "doi": "DOI"}  # fmt: skip
    table = pd.DataFrame(rows_of(papers)).rename(columns=names)
    table["Abstract"] = table["Abstract"].str.replace(". ", ".\n\n")
    return table.to_csv(index=False, quoting=1)


def json_of_rows(papers):
    """An array of objects."""
    return json.dumps(rows_of(papers), indent=1)


def jsonl_of_rows(papers):
    """An object on each line."""
    return "\n".join(json.dumps(row) for row in rows_of(papers))


#: Exports, by the name of the file.
EXPORTS = {
    "scopus.ris": partial(fill, RIS_OF_SCOPUS),
    "ovid.ris": partial(fill, RIS_OF_OVID),
    "psycinfo.ris": partial(fill, RIS_OF_PSYCINFO),
    "zotero.ris": partial(fill, RIS_OF_ZOTERO),
    "savedrecs.ciw": ciw_of_web_of_science,
    "pubmed.nbib": lambda papers: f"{fill(PUBMED, papers)}\n",
    "scholar.enw": partial(fill, ENDNOTE),
    "zotero.bib": partial(fill, BIB_OF_ZOTERO),
    "scholar.bib": partial(fill, BIB_OF_SCHOLAR),
    "jabref.bib": bib_of_jabref,
    "endnote.xml": xml_of_endnote,
    "pubmed.xml": xml_of_pubmed,
    "scopus.csv": csv_of_scopus,
    "excel.csv": csv_of_excel,
    "embase.csv": csv_of_embase,
    "savedrecs.txt": tabs_of_web_of_science,
    "rows.json": json_of_rows,
    "rows.jsonl": jsonl_of_rows,
    "savedrecs.xlsx": tabs_of_web_of_science,  # a sheet with these cells
}
ENDS = ["\n", "\r\n", "\r"]
LETTERS = "{}@=-\n\r ,;\"'xT%<>[]:"


def damage(text, rng):
    """Return a text with one random damage, and the name of the damage."""
    how = rng.choice(["line", "twice", "swap", "span", "letter", "insert", "ends"])
    lines = text.split("\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    begin = rng.randrange(len(text))
    if how == "line":
        del lines[at]
    elif how == "twice":
        lines.insert(at, lines[at])
    elif how == "swap":
        lines[at], lines[other] = lines[other], lines[at]
    elif how == "ends":
        return "".join(line + rng.choice(ENDS) for line in lines), how
    else:
        end = begin + {"span": rng.randrange(1, 60), "letter": 1, "insert": 0}[how]
        new = "" if how == "span" else rng.choice(LETTERS)
        return text[:begin] + new + text[end:], how
    return "\n".join(lines), how


def write_export(path, text):
    """Write the text of an export: to an Excel file as cells, numbers as numbers."""
    if path.suffix != ".xlsx":
        path.write_text(text, encoding="utf-8", newline="")
        return
    book = openpyxl.Workbook()
    for line in re.split(r"\r\n?|\n", text.lstrip("\ufeff")):
        cells = line.split("\t")
        book.active.append(
            [int(c) if re.fullmatch("[1-9]\\d*", c) else c for c in cells]
        )
        for cell in book.active[book.active.max_row]:
            if cell.data_type == "f":
                cell.data_type = "s"  # a text that begins with =, and no formula
    book.save(path)


#: Names of columns in some exports, and our names.
COLUMNS = {
    "TI": "title", "AB": "abstract", "AU": "authors", "PY": "year", "DI": "doi",
    "Title": "title", "Abstract": "abstract", "Author Names": "authors",
    "Publication Year": "year", "DOI": "doi", "author": "authors",
}  # fmt: skip


def titles_in(text):
    """Return the words of titles that a text has."""
    return {*re.findall(r"tq\d+z", text)}


def read_damaged(path, seed):
    """Damage an export, which the name of the path says; check what is read of it.

    Each title has to be shown in a row or named in a sentence, or nothing is read. Two
    titles are in one row only where a cut or a swap left no mark between them. Other
    line ends change nothing.

    Returns
    -------
    outcome : {"shown", "named", "joined", "refused"}
        What became of the titles of the file.
    """
    rng = random.Random(seed)
    papers = make_papers(rng.randrange(3, 6), seed)
    text, how = damage(EXPORTS[path.name](papers), rng)
    write_export(path, text)
    try:
        table = read_table(path).rename(columns=COLUMNS)
    except ValueError:
        assert how != "ends"
        return "refused"
    rows = [titles_in(" ".join(cells)) for cells in table.to_numpy()]
    named = titles_in(" ".join(table.attrs["notes"]))
    assert titles_in(text) <= named.union(*rows)
    if how == "ends":
        assert table["title"].tolist() == [paper.title for paper in papers]
    if max(map(len, rows)) > 1:
        assert how in ("span", "swap")
        return "joined"
    return "named" if named else "shown"
