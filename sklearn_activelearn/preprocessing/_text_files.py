"""The text of a file: its encoding, its line ends, and bytes that are no text."""

import codecs
import re

#: Marks at the beginning of texts, and their encodings.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}

#: Encodings that are looked for, by Python's name.
ENCODINGS = {
    "cp1252": "Windows-1252",
    "cp1250": "Windows-1250",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "cp1254": "Windows-1254",
    "cp1255": "Windows-1255",
    "cp1256": "Windows-1256",
    "koi8_r": "KOI8-R",
    "gb18030": "GB18030",
    "big5": "Big5",
    "cp932": "Shift_JIS",
    "euc_jp": "EUC-JP",
    "cp949": "EUC-KR",
}

#: Encodings that differ in a few accents; the first is by far the most frequent.
WESTERN = {"cp1252", "cp1250", "cp1254"}

#: Two encodings are both likely if charset-normalizer finds the texts equally messy and
#: as much like a language, up to these differences. No encoding is chosen whose
#: confidence is lower than this.
SAME_CHAOS, SAME_COHERENCE, CONFIDENCE = 0.02, 0.05, 0.9


def decode(data, encoding=None):
    r"""Return the text of a file, with \n as line ends, and sentences on its encoding.

    Raises
    ------
    ValueError
        If the encoding is not given, and cannot be told.
    """
    notes, utf = [], None
    if encoding is None and (utf := find_utf(data)):
        notes.append(f"The file is in {utf.upper()}.")
    try:
        text = data.decode(encoding or utf or "utf-8-sig")
    except LookupError:
        raise ValueError(f"there is no encoding {encoding!r}.") from None
    except UnicodeDecodeError as error:
        if encoding or utf:
            raise ValueError(
                f"byte {error.start} is not {encoding or utf}: pass another --encoding."
            ) from None
        if b"\0" in data:
            raise ValueError("this is no text file: it has zero bytes.") from None
        encoding, confidence, others = guess_encoding(data)
        text = data.decode(encoding)
        more = f", or it may be {' or '.join(others)}" if others else ""
        notes.append(
            f"The file is not in UTF-8: it is read as {ENCODINGS[encoding]} "
            f"(confidence {confidence:.0%}{more}). If letters are wrong, pass "
            "--encoding."
        )
    if n_zeros := text.count("\0"):
        notes.append(f"Zero bytes are left out ({n_zeros:,}): is the file whole?")
    text = text.replace("\0", "").rstrip("\x1a")  # DOS ends texts with this mark
    return re.sub(r"\r\n?", "\n", text).lstrip("\ufeff"), notes


def find_utf(data):
    """Return UTF-16 or UTF-32 if data begin with its mark or look like it, or None."""
    for mark, name in MARKS.items():
        if data.startswith(mark):
            return name
    # without a mark, each letter of ASCII has its zero byte at the same place
    even, odd = data[::2].count(0), data[1::2].count(0)
    if max(even, odd) > max(len(data) / 5, 20 * min(even, odd)):
        return "utf-16-le" if odd > even else "utf-16-be"
    return None


def guess_encoding(data):
    """Return the encoding that bytes look like, the confidence, and other candidates.

    Raises
    ------
    ValueError
        If no encoding is likely, or two of them are, of which the letters differ more
        than a few accents.
    """
    ask = "pass its name with --encoding, as in --encoding windows-1252 or gb18030"
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        raise ValueError(
            f"the file is not in UTF-8: {ask}; or pip install charset-normalizer, "
            "which finds it."
        ) from None
    letters = set(data.decode("cp1252", errors="replace")) - {*"\u00aa\u00b5\u00ba"}
    if not any(each.isalpha() or each == "\ufffd" for each in letters if each > "\x7f"):
        return "cp1252", 1.0, []  # quotes, dashes, degrees: too little to tell from
    # lines in plain ASCII say nothing, and hide the others
    lines = [line for line in re.split(rb"[\r\n]+", data) if not line.isascii()]
    matches = from_bytes(b"\n".join(lines), steps=20, cp_isolation=[*ENCODINGS])
    likely = [
        each.encoding
        for each in matches
        if each.chaos <= matches[0].chaos + SAME_CHAOS
        and each.coherence >= matches[0].coherence - SAME_COHERENCE
        and can_decode(data, each.encoding)
    ]
    # an accent stands in a word of ASCII letters
    n_accents = len(re.findall(rb"(?i)[a-z][\x80-\xff]|[\x80-\xff][a-z]", data))
    if WESTERN & {*likely} and n_accents >= len(re.findall(rb"[\x80-\xff]+", data)) / 2:
        likely = [each for each in likely if each in WESTERN]
    confidence = 1 - matches[0].chaos if likely else 0
    found = "cp1252" if likely and {*likely} <= WESTERN else likely and likely[0]
    names = [ENCODINGS[each] for each in likely]
    if confidence < CONFIDENCE or (len(likely) > 1 and found != "cp1252"):
        may = f"it may be {' or '.join(names)}" if names else "no encoding is likely"
        raise ValueError(f"the file is not in UTF-8, and {may}: {ask}.")
    text = data.decode(found)
    others = [
        name
        for each, name in zip(likely, names, strict=True)
        if data.decode(each) != text
    ]
    return found, confidence / (1 + len(others)), others


def can_decode(data, encoding):
    """Return True if all bytes are letters of an encoding."""
    try:
        return bool(data.decode(encoding))
    except UnicodeDecodeError:
        return False
