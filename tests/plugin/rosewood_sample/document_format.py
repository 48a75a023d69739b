"""A document format in one file: lines that begin with "say: "; all others stay."""

from __future__ import annotations

from rosewood.documents.document import Document, DocumentFormat, Edit, Unit, lines_of

WORD = "say: "


class Notices(Document):
    def edits(self, translations):
        for unit, made in zip(self.units, translations, strict=True):
            if made is not None:
                start = int(unit.name)
                yield Edit(start, start + len(unit.text), made.text)


def read(file, settings):
    document = Notices(file, settings)
    for start, line in lines_of(file.text):
        if line.startswith(WORD):
            text = line[len(WORD) :].rstrip("\n")
            place = start + len(WORD)
            document.units.append(Unit(text, file.line(place), str(place)))
    return document


NOTICES = DocumentFormat(read, (".notices",))
