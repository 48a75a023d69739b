"""Language codes: which exist, which are typical mistakes, and those in names of files."""

from __future__ import annotations

import pytest

from rosewood.corpus.language_codes import codes_of_files, same_language, unknown_code
from rosewood.corpus.text import languages


@pytest.mark.parametrize(
    "code",
    [
        "de",
        "EN",
        "pt-BR",
        "zh_Hant",
        "yue",
        "gsw",
        "x-dialect",
        "qaa",
        "qtz",
        "sr-Latn-RS",
        "no",
        "en-GB",
        "es-419",
        "de-AT-1901",
        "en-XX",
        "sl-rozaj-biske",
        "x-en-uk",
        "de-x-uk",
        "en-a-zq",
    ],
)
def test_codes_that_exist(code):
    assert unknown_code(code) is None


@pytest.mark.parametrize(
    ("code", "hint"),
    [("xx", ""), ("jp", "ja"), ("cz", "cs"), ("german", "de"), ("English", "en"), ("d", ""),
     ("en-UK", "en-GB"), ("en_uk", "en-GB"), ("ja-JA", "ja-JP"),
     ("de-QB", ""), ("zh-Hans-ZH", "zh-CN"),
     ("de-", ""), ("abcd", ""), ("qq-DE", ""), ("x", "")],
)  # fmt: skip
def test_codes_that_do_not(code, hint):
    problem = unknown_code(code)
    assert problem is not None
    assert hint in problem


def test_every_language_of_the_tokeniser_is_known():
    assert [code for code in languages._LANGUAGES if unknown_code(code)] == []


@pytest.mark.parametrize(
    ("files", "codes"),
    [
        (("train.de", "train.en"), ("de", "en")),
        (("a/train.de.gz", "b/train.en.xz"), ("de", "en")),
        (("dev.zh", "dev.en0.gz"), ("zh", "en")),
        (("de.txt", "en.txt"), ("de", "en")),
        (("news-deu.txt", "news-eng.txt"), ("deu", "eng")),
        (("memory.de-en.de", "memory.de-en.en"), ("de", "en")),
        (("en_US.txt", "pt_BR.txt"), ("en", "pt")),
        (("train.source", "train.target"), None),
        (("book.in", "book.out"), None),
        (("train.de", "train.de"), None),
        (("train.de", "train.xx"), None),
        (("de-corpus.txt", "translations.txt"), None),
    ],
)
def test_codes_in_names(files, codes):
    assert codes_of_files(*files) == codes


def test_the_same_language():
    assert same_language("deu", "de-AT")
    assert same_language("en_US", "en")
    assert not same_language("de", "en")
