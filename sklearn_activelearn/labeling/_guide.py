"""Guidelines in Markdown: their parts, and what they say about each class."""

import re
from typing import NamedTuple

HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*")
ITEM = re.compile(r"(?:[-*+]|\d+[.)])\s+(.*)")


class Guide(NamedTuple):
    """Guidelines.

    Attributes
    ----------
    blocks : list of dict
        In order, each with ``kind`` ("heading", "item" or "text") and ``text``.
    descriptions : dict of label to str
        What is below the heading that is the name of a class, without marks.
    """

    blocks: list
    descriptions: dict


def parsed_guide(text, classes):
    """Return guidelines in their parts.

    Parameters
    ----------
    text : str
        Markdown: headings, lists and paragraphs; everything else is text.
    classes : list
        The labels.
    """
    blocks = []
    for line in text.splitlines():
        line = line.strip()
        if heading := HEADING.fullmatch(line):
            blocks.append({"kind": "heading", "text": heading[2]})
        elif item := ITEM.fullmatch(line):
            blocks.append({"kind": "item", "text": item[1]})
        elif not line:
            blocks.append({"kind": "gap", "text": ""})
        elif blocks and blocks[-1]["kind"] in ("item", "text"):
            blocks[-1]["text"] += f" {line}"
        else:
            blocks.append({"kind": "text", "text": line})
    blocks = [block for block in blocks if block["text"]]
    names, descriptions = {f"{label}".casefold(): label for label in classes}, {}
    label = None
    for block in blocks:
        if block["kind"] == "heading":
            label = names.get(block["text"].strip("`*").casefold())
        elif label is not None:
            words = block["text"].replace("**", "").replace("`", "")
            descriptions[label] = f"{descriptions.get(label, '')} {words}".strip()
    return Guide(blocks, descriptions)
