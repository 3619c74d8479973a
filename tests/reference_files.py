"""Exports of databases as they look today, and random damages of them."""

import json
import random
import re
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


def make_papers(n, seed=0):
    """Return papers, some without an abstract, a DOI or a year."""
    rng = random.Random(seed)
    words = [
        "soil",
        "carbon",
        "stroke",
        "gait",
        "trial",
        "cohort",
        "school",
        "reading",
        "income",
        "wage",
    ]
    papers = []
    for k in range(n):
        title = f"Effects of {rng.choice(words)} on {rng.choice(words)}: study tq{k}z"
        abstract = f"We asked {rng.randrange(2, 900)} people. Result aq{k}z, p < .05."
        authors = tuple(
            f"{name}, {rng.choice('ABC')}." for name in rng.sample(["Doe", "Roe"], 2)
        )
        papers.append(
            Paper(
                title,
                abstract * (rng.random() < 0.8),
                authors[: rng.randrange(1, 3)],
                f"{rng.randrange(1980, 2024)}",
                f"10.{rng.randrange(1000, 9999)}/x.{k}" * (rng.random() < 0.8),
            )
        )
    return papers


def lines_of(pairs, form):
    """Return the lines of tags that have a value."""
    return [form.format(tag, value) for tag, value in pairs if value]


def ris_of_scopus(papers):
    """TI, then authors; N2 repeats the abstract in some exports."""
    blocks = [
        [
            "TY  - JOUR",
            *lines_of([("TI", p.title), ("T2", "Journal")], "{}  - {}"),
            *(f"AU  - {each}" for each in p.authors),
            *lines_of([("PY", p.year), ("DO", p.doi), ("AB", p.abstract)], "{}  - {}"),
            *lines_of([("N2", p.abstract), ("DB", "Scopus")], "{}  - {}"),
            "ER  - ",
            "",
        ]
        for p in papers
    ]
    return "\n".join(line for block in blocks for line in block)


def ris_of_ovid(papers):
    """Numbers before the references, N2, and C1 after each ER."""
    blocks = [
        [
            f"{k}. ",
            "TY  - JOUR",
            *lines_of(
                [("DB", "MEDLINE"), ("AN", f"90{k}"), ("T1", p.title)], "{}  - {}"
            ),
            *(f"A1  - {each}" for each in p.authors),
            *lines_of(
                [("Y1", p.year and f"{p.year}//"), ("N2", p.abstract)], "{}  - {}"
            ),
            *lines_of([("DO", p.doi)], "{}  - {}"),
            "ER  - ",
            "C1  - Ovid Technologies",
            "",
        ]
        for k, p in enumerate(papers, 1)
    ]
    return "\n".join(line for block in blocks for line in block)


def ciw_of_web_of_science(papers):
    """A tag once, its further lines indented."""
    blocks = [
        [
            "PT J",
            "AU " + "\n   ".join(p.authors),
            "TI " + p.title.replace(": ", ":\n   "),
            *lines_of([("SO", "JOURNAL"), ("AB", p.abstract), ("PY", p.year)], "{} {}"),
            *lines_of([("DI", p.doi), ("UT", f"WOS:000{k}")], "{} {}"),
            "ER",
            "",
        ]
        for k, p in enumerate(papers)
    ]
    lines = [line for block in blocks for line in block]
    return "\n".join(["FN Clarivate Analytics Web of Science", "VR 1.0", *lines, "EF"])


def nbib_of_pubmed(papers):
    """An empty line between references, wrapped titles."""
    blocks = [
        [
            "",
            f"PMID- 300{k}",
            "OWN - NLM",
            *lines_of([("DP", p.year)], "{}  - {}"),
            "TI  - " + p.title.replace(": ", ":\n      "),
            *lines_of([("LID", p.doi and f"{p.doi} [doi]")], "{} - {}"),
            *lines_of([("AB", p.abstract)], "{}  - {}"),
            *(f"FAU - {each}" for each in p.authors),
            *lines_of([("JT", f"Journal {k}")], "{}  - {}"),
        ]
        for k, p in enumerate(papers)
    ]
    return "\n".join([*(line for block in blocks for line in block), ""])


def enw_of_endnote(papers):
    """Google Scholar and JabRef: an empty line between references."""
    blocks = [
        [
            "%0 Journal Article",
            f"%T {p.title}",
            *(f"%A {each}" for each in p.authors),
            *lines_of(
                [("J", f"Journal {k}"), ("D", p.year), ("X", p.abstract)], "%{} {}"
            ),
            *lines_of([("R", p.doi)], "%{} {}"),
            "",
        ]
        for k, p in enumerate(papers)
    ]
    return "\n".join(line for block in blocks for line in block)


def bib_of_zotero(papers):
    """Braces, tabs, and a per cent sign that is escaped or not."""
    entries = [
        "@article{"
        + f"doe_{k},\n"
        + ",\n".join(
            lines_of(
                [
                    ("title", p.title),
                    ("abstract", p.abstract and f"In 5% of them. {p.abstract}"),
                    ("author", " and ".join(p.authors)),
                    ("doi", p.doi),
                    ("year", p.year),
                ],
                "\t{} = {{{}}}",
            )
        )
        + ",\n}\n"
        for k, p in enumerate(papers)
    ]
    return "\n".join(entries)


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


def ris_of_psycinfo(papers):
    """ProQuest: T1, JF, N2, an identifier; two empty lines between references."""
    blocks = [
        [
            "TY  - JOUR",
            *lines_of([("ID", f"57{k}"), ("T1", p.title)], "{}  - {}"),
            *(f"A1  - {each}" for each in p.authors),
            *lines_of([("Y1", f"{p.year}/01//"), ("N2", p.abstract)], "{}  - {}"),
            *lines_of(
                [("JF", f"Journal {k}"), ("SP", f"{k + 1}"), ("DO", p.doi)], "{}  - {}"
            ),
            "KW  - gait",
            "KW  - school",
            "ER  - ",
            "",
            "",
        ]
        for k, p in enumerate(papers)
    ]
    return "\n".join(line for block in blocks for line in block)


def ris_of_zotero(papers):
    """TI, AB, notes of several lines; no space behind ER."""
    blocks = [
        [
            "TY  - BOOK",
            f"TI  - {p.title}",
            *(f"AU  - {each}" for each in p.authors),
            *lines_of([("DA", f"{p.year}/03"), ("PY", p.year)], "{}  - {}"),
            *lines_of([("DO", p.doi), ("AB", p.abstract)], "{}  - {}"),
            "N1  - <p>First</p>",
            "<p>second: a note</p>",
            "ER  -",
            "",
        ]
        for p in papers
    ]
    return "\n".join(line for block in blocks for line in block)


def bib_of_scholar(papers):
    """Google Scholar: two spaces, no comma behind the last field."""
    return "\n".join(
        f"@article{{doe{p.year}effects,\n  title={{{p.title}}},\n"
        f"  author={{{' and '.join(p.authors)}}},\n  journal={{J. of A \\& B}},\n"
        + (f"  doi={{{p.doi}}},\n" if p.doi else "")
        + (f"  abstract={{{p.abstract}}},\n" if p.abstract else "")
        + f"  year={{{p.year}}}\n}}\n"
        for p in papers
    )


def bib_of_jabref(papers):
    """A comment above, aligned fields, groups below."""
    entries = "\n".join(
        f"@Article{{Doe{k},\n"
        + "".join(
            lines_of(
                [
                    ("author", " and ".join(p.authors)),
                    ("title", p.title),
                    ("year", p.year),
                    ("abstract", p.abstract),
                    ("doi", p.doi),
                ],
                "  {:8} = {{{}}},\n",
            )
        )
        + "}\n"
        for k, p in enumerate(papers)
    )
    end = "@Comment{jabref-meta: databaseType:bibtex;}\n"
    return f"% Encoding: UTF-8\n\n{entries}\n{end}"


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
    "scopus.ris": ris_of_scopus,
    "ovid.ris": ris_of_ovid,
    "psycinfo.ris": ris_of_psycinfo,
    "zotero.ris": ris_of_zotero,
    "savedrecs.ciw": ciw_of_web_of_science,
    "pubmed.nbib": nbib_of_pubmed,
    "scholar.enw": enw_of_endnote,
    "zotero.bib": bib_of_zotero,
    "scholar.bib": bib_of_scholar,
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
