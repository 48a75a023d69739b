"""What is written is read again as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.refusals import refuses

from rosewood.corpus import Corpus, SentencePair
from rosewood.corpus.formats import written_formats
from rosewood.errors import CorpusError

PAIRS = [
    SentencePair("Häuser & <b>", "houses", {"domain": "homes", "by": "x"}),
    SentencePair('" tab', "it's\u2028 fine", {"by": "<&>"}),
    SentencePair('<g id="1">a</g> <ph x="1" code="&lt;"/>', "𝔘nicode "),
]
LINE = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff"),
    min_size=1,
).filter(lambda text: not text.isspace())
TAGS = st.dictionaries(LINE.filter(lambda name: name not in ("source", "target")), LINE, max_size=2)


def corpus_of(pairs):
    return Corpus.of(pairs, source_language="de", target_language="en")


def again(path):
    return Corpus.read(path, source_language="de", target_language="en")


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz", "jsonl", "jsonl.xz", "tmx", "tmx.zst"])
def test_pairs_and_tags_come_back(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    assert corpus_of(PAIRS).write(path) == 3
    assert [*again(path)] == PAIRS
    before = path.read_bytes()
    again(path).write(path)
    assert path.read_bytes() == before or ending.startswith("tmx")  # units have names now


def test_text_files(tmp_path):
    paths = tmp_path / "a.de.gz", tmp_path / "a.en"
    corpus_of(PAIRS).write(paths)
    assert [*Corpus.read(paths)] == [SentencePair(pair.source, pair.target) for pair in PAIRS]
    assert paths[1].read_text().endswith("𝔘nicode \n")


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "tmx"])
@given(st.lists(st.builds(SentencePair, LINE, LINE, TAGS), min_size=1, max_size=4))
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
def test_anything_comes_back(tmp_path, ending, pairs):
    path = tmp_path / f"a.{ending}"
    corpus_of(pairs).write(path)
    assert [*again(path)] == pairs


@pytest.mark.parametrize("first", [("source", "target"), ("de", "en"), ("en-US", "de")])
def test_a_pair_that_looks_like_a_header(tmp_path, first):
    pairs = [SentencePair(*first), SentencePair("a", "b")]
    corpus_of(pairs).write(tmp_path / "a.tsv")
    assert [*again(tmp_path / "a.tsv")] == pairs


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("a\nb", "corpus.line-break"),
        ("a\tb", "corpus.line-break"),
        ("a\rb", "corpus.carriage-return"),
        ("a\0", "corpus.control-character"),
        ("\ud800", "file.encoding"),
        ("\ufeffa", "corpus.byte-order-mark"),
    ],
)
@pytest.mark.parametrize("name", ["a.tsv", "a.jsonl", "a.tmx", ("a.de", "a.en")])
def test_pairs_that_no_file_can_hold(tmp_path, text, code, name):
    path = tmp_path / name if isinstance(name, str) else tuple(tmp_path / each for each in name)
    for argument, pair in {
        "target": SentencePair("ok", text),
        "tag 'tag'": SentencePair("ok", "ok", {"tag": text}),
    }.items():
        where = None if code == "corpus.line-break" else argument
        with refuses(CorpusError, code, argument=where):
            corpus_of([SentencePair("a", "b"), pair]).write(path)
    assert list(tmp_path.iterdir()) == []


def test_where_corpora_cannot_go(tmp_path):
    corpus = Corpus.of(PAIRS)
    for path, format, code, fields in (
        (tmp_path / "a.txt", None, "argument.value", {"argument": "path"}),
        (tmp_path / "a.txt", "text", "argument.missing", {"argument": "path"}),
        (tmp_path / "a.po", None, "argument.choice",
         {"value": "po", "expected": written_formats()}),
        (tmp_path / "a.tmx", None, "argument.missing",
         {"argument": "source_language and target_language"}),
        (tmp_path / "a.txt", "new", "argument.unknown", {"argument": "format", "value": "new"}),
        (3, None, "argument.type", {"value": 3}),
        ((tmp_path / "a", 3), None, "argument.type", {"value": 3}),
        ((tmp_path / "a", tmp_path / "a"), None, "argument.duplicate", {"argument": "path"}),
        ((tmp_path / "a", tmp_path / "b"), "tsv", "argument.shape", {"argument": "path"}),
    ):  # fmt: skip
        with refuses(CorpusError, code, **fields):
            corpus.write(path, format)
    tagged = Corpus.of([SentencePair("a", "b", {"source": "x"})])
    for name in ("a.tsv", "a.jsonl"):
        with refuses(CorpusError, "corpus.tag", value="source"):
            tagged.write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("ending", ["", ".gz"])
def test_one_side_does_not_appear_without_the_other(tmp_path, ending):
    other = tmp_path / f"a.en{ending}"
    with pytest.raises(OSError, match="No space left"):
        Corpus.of([("ja", "yes")]).write(("/dev/full", other))
    assert not other.exists()
