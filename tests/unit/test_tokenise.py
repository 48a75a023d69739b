"""Tokenisers: laws that hold for any text, and what becomes of some."""

from __future__ import annotations

import pickle
import sys
import time
import unicodedata
from functools import cache

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests import real
from tests.refusals import refuses

from rosewood.corpus import Tokeniser, make_tokeniser
from rosewood.corpus.text import TOKENISERS
from rosewood.errors import TextError

LANGUAGES = ["", "de", "en", "fr", "fr-CA", "it", "ja", "nl", "sv", "cs"]
# Characters that mean something to some rule, and then anything at all.
AWKWARD = "aAbéßI1 9\t\u00a0\u3000\u2028.,:;!?…'’\"“”„«»‹›()[]{}-–—/\\&@#%$€°￭￬␣0fed|<>_*+^~"
AWKWARD += "東京ひらカタカー。、「」あ한글กี\u0301\u0308\u200b\u200d\ufe0f😀👩🇩🇪हिं\u0000\u001c"
texts = st.text(AWKWARD, max_size=30) | st.text(st.characters(exclude_categories=["Cs"]))
texts |= st.lists(
    st.sampled_from(["z.B.", "3.", "don't", "n't", "'s", "l'eau", "Dr.", "www.a.de", "a@b.org",
                     "12:30", "-5%", "￬ffed￬", "￭", "“so”", "dogs'", "(x)", "B.", "U.S.", "…",
                     "&amp;", ":-)"])
).map(" ".join)  # fmt: skip
exact = st.builds(
    make_tokeniser,
    st.just("unicode"),
    language=st.sampled_from(LANGUAGES),
    joiners=st.just(True),
    hyphens=st.sampled_from(["keep", "split"]),
    han=st.sampled_from(["characters", "runs"]),
    nfc=st.booleans(),
) | st.builds(make_tokeniser, st.sampled_from(["char", "none"]), nfc=st.booleans())
plain = st.builds(
    make_tokeniser,
    st.just("unicode"),
    language=st.sampled_from(LANGUAGES),
    hyphens=st.sampled_from(["keep", "split"]),
)


@pytest.mark.slow
@given(exact | plain, texts)
def test_words_are_words(tokeniser, text):
    for word in tokeniser.tokenise(text):
        assert word
        assert not any(map(str.isspace, word))


@pytest.mark.slow
@given(exact, texts)
@example(make_tokeniser(joiners=True), "￭ ￬ffed￬ a￭ ￭b￬")
@example(make_tokeniser("char"), "a ␣ ￬2423￬")
def test_every_text_comes_back(tokeniser, text):
    assert tokeniser.detokenise(tokeniser.tokenise(text)) == tokeniser.normalised(text)


@given(plain, texts)
def test_plain_words_come_back_but_for_spaces(tokeniser, text):
    words = tokeniser.tokenise(text)
    back = tokeniser.detokenise(words)
    assert "".join(back.split()) == "".join(tokeniser.normalised(text).split())
    assert back == back.strip()
    assert tokeniser.unmark(words).tokens == tokeniser.cut(tokeniser.composed(text).strip()).tokens
    if tokeniser.nfc:
        assert unicodedata.is_normalized("NFC", tokeniser.normalised(text))


@given(plain | exact, st.lists(st.text("a￭￬␣fed0'\"“.-「東1/", max_size=5)))
def test_any_words_can_be_joined(tokeniser, words):
    """A translation may say anything, and marks may stand anywhere in it."""
    assert isinstance(tokeniser.detokenise(words), str)


CUT = [
    ("de", "Der Hund, z.B. Rex, läuft.", "Der Hund , z.B. Rex , läuft ."),
    ("de", "Am 3. Mai um 12:30 Uhr: 3,14 und 1.000.", "Am 3. Mai um 12:30 Uhr : 3,14 und 1.000 ."),
    ("de", "Ich sah Plan B. Du sahst 3.", "Ich sah Plan B. Du sahst 3 ."),
    ("de", "Geht's? Hans' „BBQ“-Schild.", "Geht 's ? Hans' „ BBQ “ -Schild ."),
    ("de", "Ess- und Wohnzimmer, T-Shirt (5-jährig)", "Ess- und Wohnzimmer , T-Shirt ( 5-jährig )"),
    ("en", "I don't, can't; it's the dogs' day.", "I do n't , ca n't ; it 's the dogs ' day ."),
    ("en", "Mr. O'Brien isn’t at 5 o'clock", "Mr. O'Brien is n’t at 5 o'clock"),
    ("en", "Get 'em! 'So' he said...", "Get 'em ! ' So ' he said ..."),
    ("en", "See https://a.b/c?d=1, x@y.org (#5).", "See https://a.b/c?d=1 , x@y.org ( #5 ) ."),
    ("en", "It costs $5.50, -3 °C or 50%.", "It costs $5.50 , -3 °C or 50% ."),
    ("en", "Wow!!! :-) 👩‍👩‍👧🇩🇪 1️⃣", "Wow !!! :-) 👩‍👩‍👧🇩🇪 1️⃣"),
    ("fr", "L'homme d’aujourd'hui qu'il", "L' homme d’ aujourd'hui qu' il"),
    ("it", "L'amico ha un po' d'acqua.", "L' amico ha un po' d' acqua ."),
    ("ja", "東京でラーメンを食べた。", "東 京 で ラーメン を 食 べた 。"),
    ("ja", "2020年、Linuxカーネル", "2020 年 、 Linux カーネル"),
    ("zh", "见http://a.b/c。写信到a@b.org吧", "见 http://a.b/c 。 写 信 到 a@b.org 吧"),
    ("ko", "한국어 문장.", "한국어 문장 ."),
    ("hi", "यह हिन्दी है।", "यह हिन्दी है ।"),
    ("", "e\u0301te\u0301 a\u200bb q\u0323\u0307", "été a\u200bb q\u0323\u0307"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "words"), CUT)
def test_what_is_a_word(language, text, words):
    tokeniser = make_tokeniser(language=language)
    assert tokeniser.tokenise(text) == words.split()
    assert tokeniser.detokenise(words.split()) == tokeniser.normalised(text)


@pytest.mark.parametrize(
    ("language", "words", "text"),
    [
        ("fr", "Il dit : « Quoi ? ! » ; oui !", "Il dit : « Quoi ?! » ; oui !"),
        ("fr-CA", "Quoi ! « oui » :", "Quoi! « oui » :"),
        ("fr-CH", "« oui » !", "«oui»!"),
        ("es", "¿ Qué ? « sí »", "¿Qué? «sí»"),
        ("de", '» so « und „ so “ und ‚ so ‘ und " so “', '»so« und „so“ und ‚so‘ und "so“'),
        ("en", "“ a ‘ b ’ c ” ' d ' \" e \"", "“a ‘b’ c” 'd' \"e\""),
        ("en", 'he said " so ( no ) " . "', 'he said "so (no)"."'),
        ("sv", "” så ” .", "”så”."),
        ("zh", "我 爱 北 京 ， hello world 天 安 门 。", "我爱北京，hello world天安门。"),
        ("zh", "他 说 “ 好 ” “ 来 吗 ？ ” ok “ a b ”", "他说“好”“来吗？” ok “a b”"),
        ("de", "die Stadt 東 京 ist", "die Stadt 東京 ist"),
        ("nl", "'s morgens zo'n foto's", "'s morgens zo'n foto's"),
        ("en", "\" a ' b ' c \" d", "\"a 'b' c\" d"),
        ("en", "and / or", "and/or"),
        ("en", "", ""),
    ],
)
def test_spaces_by_rule(language, words, text):
    assert make_tokeniser(language=language).detokenise(words.split()) == text


def test_joiners_stand_on_punctuation():
    tokeniser = make_tokeniser(language="fr", joiners=True)
    words = tokeniser.tokenise("(L'eau), 東京")
    assert words == ["(￭", "L'￭", "eau", "￭)", "￭,", "東", "￭京"]
    assert tokeniser.detokenise(["￭", "a", "￭", "b"]) == "ab"


def test_words_that_stand_apart_already():
    tokeniser = make_tokeniser(language="en")
    assert tokeniser.tokenise("they 're n't") == ["they", "'re", "n't"]


def test_hyphens_can_be_split():
    tokeniser = make_tokeniser(language="de", hyphens="split")
    words = ["T", "￭-￭", "Shirt", "und", "Ess", "￭-", "und", "-", "so"]
    assert tokeniser.tokenise("T-Shirt und Ess- und - so") == words
    assert tokeniser.detokenise(words) == "T-Shirt und Ess- und - so"


def test_characters():
    tokeniser = make_tokeniser("char")
    assert tokeniser.tokenise(" ſo  q\u0323. ") == ["ſ", "o", "␣", "q\u0323", "."]
    assert tokeniser.tokenise("a␣") == ["a", "￬2423￬"]
    assert tokeniser.detokenise(["a", "␣", "￬2423￬", "￬110000￬"]) == "a ␣￬110000￬"


def test_han_in_runs():
    assert make_tokeniser(han="runs").tokenise("東京に行く") == ["東京", "に", "行", "く"]


def test_settings_are_checked():
    known = tuple(TOKENISERS)
    assert set(known) >= {"char", "moses", "none", "unicode"}
    with refuses(TextError, "argument.unknown", argument="tokeniser", value="x", expected=known):
        make_tokeniser("x")
    with refuses(TextError, "argument.type", argument="tokeniser", value=["x"]):
        make_tokeniser(["x"])
    with refuses(TextError, "argument.unknown", value="joiners", expected=["language", "nfc"]):
        make_tokeniser("char", joiners=True)
    with refuses(TextError, "argument.choice", argument="hyphens", value="x"):
        make_tokeniser(hyphens="x")
    with refuses(TextError, "argument.type", argument="joiners", value=1):
        make_tokeniser(joiners=1)
    with refuses(TextError, "argument.value", argument="language", value="German!"):
        make_tokeniser(language="German!")


@pytest.mark.parametrize("name", TOKENISERS)
def test_settings_make_it_again(name):
    tokeniser = make_tokeniser(name, language="de")
    assert isinstance(tokeniser, Tokeniser)
    assert make_tokeniser(name, **tokeniser.to_dict()) == tokeniser
    again = pickle.loads(pickle.dumps(tokeniser))
    assert again == tokeniser
    assert again.tokenise("Ja, so.") == tokeniser.tokenise("Ja, so.")
    assert tokeniser != make_tokeniser(name, language="en")


@pytest.mark.parametrize(
    "unit", ["a", "a-+", "a.", "(", "<!--", "www.", "'", "x@", "東a", "{ ", "%", "“"]
)
def test_long_lines_take_no_longer_than_their_length(unit):
    tokeniser = make_tokeniser(language="en", joiners=True)
    text = (unit * (30_000 // len(unit))).strip()
    begin = time.process_time()
    assert tokeniser.detokenise(tokeniser.tokenise(text)) == text
    bare = make_tokeniser(language="en")
    assert bare.detokenise(bare.tokenise(text))
    assert time.process_time() - begin < 3


def test_what_is_remembered_is_bounded():
    tokeniser = make_tokeniser()
    for number in range(70_000):
        tokeniser.tokenise(f"x{number}")
    assert tokeniser.num_remembered < 1 << 16
    assert tokeniser.tokenise("x1,") == ["x1", ","]


def test_moses():
    tokeniser = make_tokeniser("moses", language="en")
    words = ["It", "'s", "<", "b", ">", "&", '"', "so", '"', "."]
    assert tokeniser.tokenise('It\'s <b> & "so".') == words
    assert (
        tokeniser.detokenise(["It", "'s", "so", ",", "(", "really", ")", "."])
        == "It's so, (really)."
    )
    odd = ["DOTMULTI", "a\x01b,", "DOTDOTMULTI"]
    assert tokeniser.tokenise(" ".join(odd)) == odd
    assert tokeniser.tokenise(" ") == tokeniser.tokenise("") == []
    assert tokeniser.detokenise([]) == ""


@cache
def moses(language: str) -> list[Tokeniser]:
    """With joiners, and without: making them takes longer than their work."""
    return [
        make_tokeniser("moses", language=language, joiners=joiners) for joiners in (True, False)
    ]


@pytest.mark.slow
@given(st.sampled_from(["de", "en", "fr", "ja"]), texts)
def test_moses_changes_no_text(language, text):
    tokeniser, bare = moses(language)
    assert tokeniser.detokenise(tokeniser.tokenise(text)) == tokeniser.normalised(text)
    back = bare.detokenise(bare.tokenise(text))
    assert "".join(back.split()) == "".join(bare.normalised(text).split())


def test_moses_is_an_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacremoses", None)
    with refuses(TextError, "package.missing", value="sacremoses") as refused:
        make_tokeniser("moses")
    assert "pip install 'rosewood[text]'" in str(refused.value)


@pytest.mark.parametrize("language", ["de", "en"])
def test_real_text_comes_back(language):
    lines = real.lines(f"multi30k-de-en-raw/train.{language}.gz", 5000)
    tokeniser = make_tokeniser(language=language)
    wanted = list(map(tokeniser.normalised, lines))
    back = [tokeniser.detokenise(tokeniser.tokenise(line)) for line in lines]
    same = sum(a == b for a, b in zip(back, wanted, strict=True))
    assert same >= 0.995 * len(lines)
    joining = make_tokeniser(language=language, joiners=True)
    assert [joining.detokenise(joining.tokenise(line)) for line in lines] == wanted
