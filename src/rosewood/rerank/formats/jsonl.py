"""The canonical form: a list of candidates is a JSON object on a line of its own.

    {"id": "17", "src": "das haus", "refs": ["the house"],
     "hyps": [{"text": "the house", "features": {"lm": -2.5}, "scores": {"comet": 0.9}}]}

`id` (a string or a whole number) and `hyps` must be there, and `text` in each of them.  `src`,
`refs`, `features` and `scores` may be left out.  Other keys are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rosewood.corpus.json_lines import parse_json, show
from rosewood.corpus.lines import TextLine, at
from rosewood.errors import FormatError, RosewoodError
from rosewood.rerank.formats.draft import BadList, CandidateDraft, Drafts


def looks_like_jsonl(line: str) -> bool:
    """Whether a file of lists can begin with this line."""
    return line.lstrip(" \t").startswith("{")


def parse_jsonl(lines: Iterable[TextLine], file: str | None) -> Drafts:
    """A draft of the list on each line."""
    for index, (number, text, wrong) in enumerate(lines):
        if wrong is not None:
            yield BadList(index, wrong)
            continue
        try:
            with at(file, number):
                item: CandidateDraft | BadList = _draft(text, index, number)
        except FormatError as error:
            item = BadList(index, error)
        yield item


def _draft(text: str, index: int, line: int) -> CandidateDraft:
    table = parse_json(text, "list", "candidates")
    if not isinstance(table, dict):
        raise _not("a list", table, "an object {…}")
    draft = CandidateDraft(index, line, _id(table), [], [], [])
    if (source := table.get("src")) is not None:
        draft.source = _string(source, '"src"')
    if "refs" in table:
        references = _list(table["refs"], '"refs"')
        draft.references = tuple(_string(reference, "a reference") for reference in references)
    if "hyps" not in table:
        raise RosewoodError('the list has no "hyps"', code="line.fields", argument="hyps")
    for place, hyp in enumerate(_list(table["hyps"], '"hyps"'), start=1):
        if type(hyp) is not dict:
            raise _not(f"candidate {place}", hyp, "an object {…}")
        words: Any = hyp.get("text")
        features, scores = hyp.get("features", {}), hyp.get("scores", {})
        if type(words) is not str or type(features) is not dict or type(scores) is not dict:
            _refuse(hyp, place)
        draft.texts.append(words)
        draft.features.append(features)
        draft.scores.append(scores)
    # Only an escape can bring half of a surrogate pair into a line that was UTF-8.
    if "\\" in text:
        _check_characters(draft)
    return draft


def _id(table: dict[str, Any]) -> str:
    if "id" not in table:
        raise RosewoodError('the list has no "id"', code="line.fields", argument="id")
    name = table["id"]
    if type(name) is int:
        return str(name)
    if type(name) is not str or not name:
        raise _not('"id"', name, "a string or a whole number")
    return name


def _not(what: str, value: Any, expected: str) -> RosewoodError:
    reason = f"{what} is {show(value)}, expected {expected}"
    return RosewoodError(reason, code="line.value", argument=what, value=value)


def _string(value: Any, what: str) -> str:
    if type(value) is not str:
        raise _not(what, value, "a string")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if type(value) is not list:
        raise _not(what, value, "a list [...]")
    return value


def _refuse(hyp: dict[str, Any], place: int) -> None:
    who = f"candidate {place}"
    if "text" not in hyp:
        reason = f'{who} has no "text"'
        raise RosewoodError(reason, code="line.fields", argument="text", value=place)
    _string(hyp["text"], f'{who}: "text"')
    for key in ("features", "scores"):
        if type(hyp.get(key, {})) is not dict:
            raise _not(f'{who}: "{key}"', hyp[key], "an object {…}")


def _check_characters(draft: CandidateDraft) -> None:
    names = [name for table in (*draft.features, *draft.scores) for name in table]
    kept = (draft.id, draft.source or "", *(draft.references or ()), *draft.texts, *names)
    try:
        "".join(kept).encode()
    except UnicodeEncodeError:
        for text in kept:
            try:
                text.encode()
            except UnicodeEncodeError as error:
                shown = text.encode(errors="backslashreplace").decode()[:40]
                reason = f"there is half of a surrogate pair in {shown!r}"
                raise RosewoodError(reason, code="file.encoding") from error
