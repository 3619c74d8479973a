"""Exports of databases as they look today, and random damages of them."""

import json
import random
import re
from typing import NamedTuple
from xml.sax.saxutils import escape

import pandas as pd


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
    "savedrecs.ciw": ciw_of_web_of_science,
    "pubmed.nbib": nbib_of_pubmed,
    "scholar.enw": enw_of_endnote,
    "zotero.bib": bib_of_zotero,
    "endnote.xml": xml_of_endnote,
    "scopus.csv": csv_of_scopus,
    "excel.csv": csv_of_excel,
    "rows.json": json_of_rows,
    "rows.jsonl": jsonl_of_rows,
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


def titles_in(text):
    """Return the words of titles that a text has."""
    return {*re.findall(r"tq\d+z", text)}
