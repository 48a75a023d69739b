"""A pair on each line, as a JSON object.

    {"source": "das Haus", "target": "the house", "domain": "homes"}

Where languages are given, they may be the keys, also within an object called "translation":

    {"de": "das Haus", "en": "the house"}
    {"translation": {"de": "das Haus", "en": "the house"}}

Every other key is a tag; values that are not texts become the JSON that writes them, null is none.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rosewood.corpus.checks import BadPair, Gate, Tally
from rosewood.corpus.formats import CorpusFormat, Languages, Layout, Parsed, tag
from rosewood.corpus.inputs import Input, Line, ParserSettings, strict_lines
from rosewood.corpus.json_lines import parse_json, show
from rosewood.corpus.languages import closest
from rosewood.corpus.pairs import SentencePair
from rosewood.errors import RosewoodError


def parse_jsonl(source: Input, settings: ParserSettings, tally: Tally) -> Parsed:
    """A pair of each line."""
    gate = settings.gate(tally, source.name)
    for line in strict_lines(source, settings.checks.max_bytes):
        yield line.bad or _pair(line, settings, gate)


def _pair(line: Line, settings: ParserSettings, gate: Gate) -> SentencePair | BadPair:
    try:
        table = parse_json(line.text, "pair", "sentence pairs")
        if not isinstance(table, dict):
            reason = f"a pair is an object {{…}}, not {show(table)}"
            raise RosewoodError(reason, code="line.value", value=table, expected="an object")
        source, target, tags = _read(table, settings)
    except RosewoodError as error:
        return gate.bad(
            "not a JSON pair", str(error), line.number,
            code=error.code, argument=error.argument, value=error.value,
        )  # fmt: skip
    return gate.pair(source, target, line.number, tags)


def _read(table: dict[str, Any], settings: ParserSettings) -> tuple[str, str, dict[str, str]]:
    nested = table.get("translation")
    if isinstance(nested, dict):
        texts, rest = nested, {key: value for key, value in table.items() if key != "translation"}
    else:
        texts, rest = table, table
    source, target = _keys(texts, settings)
    tags = {
        key: value if isinstance(value, str) else _as_json(key, value)
        for key, value in rest.items()
        if value is not None and (rest is not texts or key not in (source, target))
    }
    return _text(texts, source), _text(texts, target), tags


def _as_json(key: str, value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError as error:  # 1e999 is read as infinite
        reason = f"{show(key)} has a number that is too large"
        raise RosewoodError(reason, code="line.number", argument=key, value=value) from error


def _keys(texts: dict[str, Any], settings: ParserSettings) -> tuple[str, str]:
    if "source" in texts and "target" in texts:
        return "source", "target"
    wanted = settings.source_language, settings.target_language
    if wanted[0] is None or wanted[1] is None:
        missing = "target" if "source" in texts else "source"
        reason = f'there is no "{missing}": say which languages, if they are the keys'
        raise RosewoodError(reason, code="line.fields", argument=missing)
    found = closest(wanted[0], texts), closest(wanted[1], texts)
    if found[0] is None or found[1] is None:
        told = "source" if found[0] is None else "target"
        language = wanted[0] if found[0] is None else wanted[1]
        reason = f'there is no "{told}" and no "{language}"'
        raise RosewoodError(reason, code="line.fields", argument=language)
    return found[0], found[1]


def _text(texts: dict[str, Any], key: str) -> str:
    value = texts[key]
    if not isinstance(value, str):
        raise RosewoodError(
            f'"{key}" is {show(value)}, expected a string',
            code="line.value", argument=key, value=value, expected="a string",
        )  # fmt: skip
    return value


def write_jsonl(languages: Languages, tags: Sequence[str]) -> Layout:
    """An object for each pair."""

    def rows(pair: SentencePair) -> tuple[str]:
        table = {"source": pair.source, "target": pair.target}
        table.update((tag(name), value) for name, value in pair.tags.items())
        return (json.dumps(table, ensure_ascii=False) + "\n",)

    return Layout(rows)


PLUGIN = CorpusFormat(parse_jsonl, endings=(".jsonl", ".ndjson"), write=write_jsonl)
