"""Tags and placeholders: found, lifted out, put back, and the processor as a whole."""

from __future__ import annotations

import json
import pickle
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.refusals import refuses
from tests.unit.test_tokenise import AWKWARD, exact, plain

from rosewood.corpus import Encoded, TextProcessor, Truecaser, make_tokeniser
from rosewood.corpus.text.tags import Protection
from rosewood.corpus.text.tokeniser import JOINER
from rosewood.corpus.text.value_symbols import VALUE, matched
from rosewood.errors import FormatError, TextError

GOLDEN = Path(__file__).parents[1] / "golden" / "text"
PIECES = ["<b>", "</b>", "<i>", "</i>", '<g id="2">', "</g>", '<ph id="1"/>', "<br>", "{0}",
          "{name}", "%s", "%(count)d", "${x}", "%1$s", "<bpt i='1'>{\\b </bpt>",
          "<ept i='1'>}</ept>", "&nbsp;", '<a t="x > y">', "</a>", "Hund", "das", "so", ".", ",",
          " ", " ", "  ", "￭", "￬", "<", ">", "%", "l'", "東", "e\u0301", "-", '"']  # fmt: skip
tagged = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(AWKWARD, max_size=25)
processors = st.builds(
    TextProcessor,
    exact | plain | st.deferred(lambda: st.just(make_tokeniser("moses", language="en"))),
    protect_urls=st.booleans(),
    symbols=st.booleans(),
    patterns=st.sampled_from([(), ("Hu+nd",), (r"(s)(o)\b", "a*")]),
)


@given(processors, tagged)
@example(TextProcessor(), "un<b>believ</b>able {0}{1} <i> x</i >")
@example(TextProcessor(make_tokeniser("none")), "a{0}b <b>c</b>d")
@example(TextProcessor(), "<b><i>x</b></i>")
def test_what_is_not_translated_comes_back_exactly(processor, text):
    encoded = processor.encode(text)
    for word in encoded.words:
        assert word
        assert not any(map(str.isspace, word))
    wanted = processor.normalised(text)
    assert processor.decode(encoded.words, encoded) == wanted
    same = [(i, i) for i in range(len(encoded.words))]
    assert processor.decode(encoded.words, encoded, same) == wanted
    assert Encoded.from_dict(json.loads(json.dumps(encoded.to_dict()))) == encoded
    if processor.tokeniser.is_exact and not encoded.tags and not encoded.kept:
        assert processor.decode(encoded.words) == wanted


@given(
    tagged,
    st.lists(st.sampled_from(["x", "y", ".", "{0}"]), max_size=8),
    st.none() | st.lists(st.tuples(st.integers(0, 20), st.integers(0, 7)), max_size=12),
)
def test_every_tag_comes_back_once(text, words, links):
    processor = TextProcessor()
    encoded = processor.encode(text)
    alignment = links
    if links is not None:
        alignment = [(i, j) for i, j in links if i < len(encoded.words) and j < len(words)]
    said = processor.decode(words, encoded, alignment)
    was = [f for f in Protection().find(text) if f.kind != "value"]
    now = [f for f in Protection().find(said) if f.kind != "value"]
    assert sorted(text[f.start : f.end] for f in was) == sorted(said[f.start : f.end] for f in now)
    if is_balanced(was):
        assert is_balanced(now)
    bare = said
    for tag in encoded.tags:
        bare = bare.replace(tag.text, "", 1)
    assert "".join(bare.split()) == "".join(words)


def is_balanced(found):
    opened = []
    for each in found:
        if each.kind == "open":
            opened.append(each.key)
        elif not opened or opened.pop() != each.key:
            return False
    return not opened


@pytest.mark.parametrize(
    ("text", "words", "alignment", "wanted"),
    [
        ("Klicken Sie <b>hier</b>!", "click here !", "0-0 2-1 3-2", "click <b>here</b>!"),
        ("das <b>rote Haus</b>", "la maison rouge", "0-0 1-2 2-1", "la <b>maison rouge</b>"),
        ("<p>a b</p>", "x y z", "0-1", "<p>x y z</p>"),
        ("<b>a</b> <i>b</i>", "y x", "0-1 1-0", "<i>y</i> <b>x</b>"),
        ("<b>a c</b> <i>b</i>", "x y z", "0-0 1-2 2-1", "<b>x y z</b><i></i>"),
        ("<b>a</b> <i>b c</i>", "x y z", "0-1 1-0 2-2", "<i>x</i> <b>y</b> z"),
        ("a<br>b {0} c", "y {0} <br> x", "", "y {0} <br> x"),
        ("a <b></b> b", "y x", "0-1 1-0", "<b></b>y x"),
        ("<b>a b <i>c</i></b> d", "x y z", "0-0 3-2", "<b>x</b> <i></i>y z"),
        ("a </b> c", "x y", "0-1 1-0", "x y</b>"),
        ("<b>a", "x", "", "<b>x"),
        ("{0}%, {n}px", "bis {n} px und {0} %", "", "bis {n}px und {0}%"),
        ("a <b>b</b>, c", "x , y", "0-2 1-0 2-1", "<b>x</b>, y"),
    ],
)
def test_tags_follow_their_words(text, words, alignment, wanted):
    processor = TextProcessor(make_tokeniser(language="en"))
    links = [tuple(map(int, link.split("-"))) for link in alignment.split()]
    encoded = processor.encode(text)
    assert processor.decode(words.split(), encoded, links) == wanted


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Hi {name}, {0:.2f} {} {{x}} ${a.b}", "{name} {0:.2f} {} {{x}} ${a.b}"),
        ("%s %d %5.2f %(count)d %1$s %% %name% %@", "%s %d %5.2f %(count)d %1$s %% %name% %@"),
        ("100%s 50% der, 5 %discount {so nicht} { a b }", ""),
        ("%ds, %sKB %dx%dpx %s_%s.txt %ssec", "%d %s %d %d %s %s %s"),
        ("Haus%s (v%d) %s%s x%1$s %ds%d %ds%%", "%s %d %s %s %1$s %d %d %d %%"),
        ("%5.2fs %02dh %lds %user% %d%%", "%5.2f %02d %ld %user% %d %%"),
        ("100%ig 50 %der 5%d? 7%iger %ige 5\u00a0%ige a%20b %d0 %-satz 3%s", ""),
        ("https://a.de/Stra%c3%dfe%de/%dax", ""),
        ("<br> <img src='a>b'> <x/> <!-- a <b> --> &amp; &#160;", None),
        ("a < b > c <3 x<y && {", ""),
        ('<ph id="1">&lt;br&gt;</ph> <it pos="begin">q</it>', None),
    ],
)
def test_what_is_a_value(text, values):
    found = [text[f.start : f.end] for f in Protection().find(text)]
    assert all(f.kind == "value" for f in Protection().find(text))
    if values is None:
        assert re.sub(r"\s", "", "".join(found)) == re.sub(r"\s", "", text)
    else:
        assert found == values.split()


def test_pairs_of_exchange_formats():
    tmx = '<bpt i="1">x</bpt>a<ept i="1">y</ept>'
    old, new = '<bx id="2"/>b<ex id="2"/>', '<sc id="3"/>c<ec startRef="3"/>'
    encoded = TextProcessor().encode(f"{tmx} {old} {new}")
    assert encoded.words == ("a", "b", "c")
    assert [tag.half for tag in encoded.tags] == [1, 0, 3, 2, 5, 4]
    said = TextProcessor().decode(["c", "a", "b"], encoded, [(0, 1), (1, 2), (2, 0)])
    assert said == f"{new} {tmx} {old}"


def test_own_patterns_and_addresses():
    processor = TextProcessor(protect_urls=True, patterns=(r"ISBN \d+", r"(?i)acme\b"))
    encoded = processor.encode("See Acme at http://a.b/<b>x</b>, ISBN 123.")
    assert encoded.words == ("See", "Acme", "at", "http://a.b/", "x", ",", "ISBN￬20￬123", ".")
    assert encoded.values == (1, 3, 6)
    assert encoded.lost(["ISBN￬20￬123", "Acme", "Acme"]) == ["http://a.b/"]
    assert processor.decode(["ISBN￬20￬123", "!"]) == "ISBN 123!"
    with refuses(TextError, "argument.value", argument="patterns", value="("):
        TextProcessor(patterns=("(",))
    with refuses(TextError, "argument.conflict", argument="protect_tags"):
        TextProcessor(patterns=("a",), protect_tags=False)
    assert TextProcessor(protect_tags=False).encode("<b>").words == ("<", "b", ">")


def test_a_tag_is_not_the_end_of_a_sentence():
    processor = TextProcessor(make_tokeniser(language="de"))
    assert processor.encode("Am 3. <b>Mai</b>").words == ("Am", "3.", "Mai")


def test_bad_alignments_are_refused():
    encoded = TextProcessor().encode("<b>a</b>")
    with refuses(TextError, "argument.range", argument="alignment", value=(1, 0)):
        TextProcessor().decode(["x"], encoded, [(1, 0)])
    with refuses(TextError, "argument.range", argument="alignment", value=(0, 1)):
        TextProcessor().decode(["x"], TextProcessor().encode("a"), [(0, 1)])
    with refuses(TextError, "argument.missing", argument="encoded"):
        TextProcessor().decode(["x"], alignment=[(0, 0)])


def test_letters_of_values_stay():
    processor = TextProcessor(make_tokeniser(language="de"), lowercase=True, patterns=("foo",))
    encoded = processor.encode("{Name} SAGT <B>NEIN</B> ZU foo")
    assert encoded.words == ("{Name}", "sagt", "nein", "zu", "foo")
    assert processor.decode(encoded.words, encoded) == "{Name} SAGT <B>NEIN</B> ZU foo"
    assert processor.decode(["foo", "sagt", ".", "nein"]) == "foo sagt. Nein"
    assert processor.decode(["ja", "."], processor.encode("so.")) == "ja."


def test_saved_and_loaded(tmp_path):
    path = tmp_path / "text.json"
    cased = Truecaser({"der": 3, "Hund": 2})
    for processor in (
        TextProcessor(),
        TextProcessor(make_tokeniser("char"), protect_tags=False),
        TextProcessor(make_tokeniser(language="de", joiners=True), cased, patterns=("ä+",)),
        TextProcessor(make_tokeniser("moses", language="de"), lowercase=True, recase=False),
    ):
        processor.save(path)
        assert TextProcessor.load(path) == processor
        assert pickle.loads(pickle.dumps(processor)) == processor
    table = processor.to_dict()
    for change, code, fields in [
        ({"version": 4}, "file.version", {"value": 4, "expected": 3}),
        ({"version": "1"}, "argument.type", {"argument": "version"}),
        ({"format": "x"}, "file.kind", {}),
        ({"lowercase": 1}, "argument.type", {"argument": "lowercase"}),
        ({"extra": 1}, "file.damaged", {"argument": "extra"}),
        ({"patterns": "a"}, "argument.type", {"argument": "patterns", "value": "a"}),
        ({"patterns": [1]}, "argument.type", {"argument": "patterns", "value": [1]}),
        ({"patterns": ["("]}, "argument.value", {"argument": "patterns"}),
        ({"tokeniser": {}}, "argument.type", {"argument": "name of the tokeniser"}),
        ({"tokeniser": {"name": "new"}}, "argument.unknown", {"argument": "tokeniser"}),
        ({"tokeniser": {"name": "unicode", "future": 1}}, "argument.unknown", {"value": "future"}),
        ({"tokeniser": {"name": "unicode", "nfc": "yes"}}, "argument.type", {"argument": "nfc"}),
        ({"truecaser": {"forms": {}}}, "argument.value", {"argument": "truecaser"}),
        ({"truecaser": {"forms": {"a": 0}, "language": ""}}, "argument.value", {"value": {"a": 0}}),
        ({"truecaser": {"forms": {"a": 1, "A": 1}, "language": ""}}, "argument.duplicate",
         {"value": "a"}),
        ({"truecaser": {**cased.to_dict(), "others": {"x": 1}}}, "argument.value", {"value": "x"}),
        ({"truecaser": {**cased.to_dict(), "others": {"Der": 0}}}, "argument.value",
         {"argument": "others"}),
        ({"truecaser": {**cased.to_dict(), "others": []}}, "argument.type",
         {"argument": "others"}),
        ({"truecaser": {**cased.to_dict(), "before": {"der": 1}}}, "argument.type",
         {"argument": "before"}),
        ({"truecaser": {**cased.to_dict(), "after": {"x": {"y": 1}}}}, "argument.value",
         {"argument": "after"}),
    ]:  # fmt: skip
        path.write_text(json.dumps({**table, "lowercase": False, **change}))
        with refuses(FormatError, code, file=str(path), **fields):
            TextProcessor.load(path)
    for damaged in (b"", b"{", b"\xff", b"[]", b"[" * 100_000, path.read_bytes()[:-9]):
        path.write_bytes(damaged)
        code = "file.kind" if damaged == b"[]" else "file.format"
        with refuses(FormatError, code, file=str(path)):
            TextProcessor.load(path)


def test_what_the_first_release_wrote_is_read():
    processor = TextProcessor.load(GOLDEN / "processor-1.json")
    encoded = processor.encode("Der Hund (AB-12): <b>https://a.de</b>.")
    assert encoded.words == ("der", "Hund", "(￭", "AB-12", "￭)", "￭:", "https://a.de", "￭.")
    assert processor.decode(encoded.words, encoded) == "Der Hund (AB-12): <b>https://a.de</b>."


def test_damaged_encoded_texts_are_refused():
    good = TextProcessor().encode("<b>a</b> {0}").to_dict()
    assert Encoded.from_dict(good).words == ("a", "{0}")
    tag = ["<b>", "open", 0, False, 1]
    for change, argument in (
        ({"joined": [9]}, "joined"), ({"joined": ["a"]}, "joined"), ({"values": [2]}, "values"),
        ({"tags": [1]}, "tags"), ({"tags": [["<b>", "open", 0, False]]}, "tags"),
        ({"tags": [tag]}, "half"), ({"tags": [[*tag[:4], 0]]}, "half"),
        ({"tags": [tag, ["</b>", "close", 3, False, 0]]}, "place"),
        ({"tags": [["x", "odd", 0, False, None]]}, "place"),
        ({"tags": [["</b>", "close", 0, False, 0]]}, "half"), ({"more": 1}, "table"),
    ):  # fmt: skip
        with refuses(TextError, "argument.value", argument=argument):
            Encoded.from_dict({**good, **change})
    for name, value in (("words", 1), ("shouted", 0)):
        with refuses(TextError, "argument.type", argument=name, value=value):
            Encoded.from_dict({**good, name: value})
    with refuses(TextError, "argument.value", argument="table", value=[]):
        Encoded.from_dict([])


@pytest.mark.parametrize(
    "unit",
    ["<a>", "<a></a> x ", "</a>", "<ph>", "<!--", "<a '", "{ ", "{{", "%s ", "a@", "<a \"'", "&"],
)
def test_many_tags_take_no_longer_than_they_are_many(unit):
    processor = TextProcessor(protect_urls=True)
    text = (unit * (20_000 // len(unit))).strip()
    begin = time.process_time()
    encoded = processor.encode(text)
    assert processor.decode(encoded.words, encoded) == text
    assert time.process_time() - begin < 10


# -- symbols of values --------------------------------------------------------------------------


@pytest.mark.parametrize("joiners", [False, True])
def test_one_symbol_stands_for_all_values(joiners):
    tokeniser = make_tokeniser("unicode", language="de", joiners=joiners)
    processor = TextProcessor(tokeniser, symbols=True)
    encoded = processor.encode("({name}) hat %d <b>&amp;</b> ￬value￬")
    plain = replace(processor, symbols=False).encode("({name}) hat %d <b>&amp;</b> ￬value￬")
    assert [word.strip(JOINER) for word in encoded.words] == [
        "(", VALUE, ")", "hat", VALUE, VALUE, "￬ffec￬", "value", "￬ffec￬"
    ]  # fmt: skip
    assert encoded.kept == ("{name}", "%d", "&amp;")
    assert encoded.written == plain.words
    assert processor.decode(encoded.words, encoded) == "({name}) hat %d <b>&amp;</b> ￬value￬"
    assert Encoded.from_dict(encoded.to_dict()) == encoded
    cut = processor.cut("({name}) hat %d <b>&amp;</b> ￬value￬")
    assert tuple(processor.words(cut)) == encoded.words


def test_symbols_become_the_values_that_they_stand_for():
    processor = TextProcessor(make_tokeniser("unicode"), symbols=True)
    encoded = processor.encode("{a} of {b} and {c}")
    words = (VALUE, "and", VALUE, VALUE)
    assert encoded.filled(words) == ("{a}", "and", "{b}", "{c}")
    assert encoded.filled(words, {0: 4, 2: 0}) == ("{c}", "and", "{a}", "{b}")
    assert encoded.filled((VALUE,) * 4)[3] == VALUE  # there are no more
    rules = [([0, 1], [3]), ([2], [0]), ([3, 4], [1, 2])]
    assert matched(encoded.words, words, rules) == {3: 0, 0: 2, 2: 4}


def test_values_are_parted_from_what_would_change_them():
    processor = TextProcessor(make_tokeniser("unicode", language="en"), symbols=True)
    encoded = processor.encode("nicht %d")
    assert processor.decode([VALUE, "n't"], encoded) == "%d n't"
    assert processor.decode([VALUE, "."], encoded) == "%d."
    assert processor.decode(["ich", VALUE], processor.encode("ich<b></b>%d")) == "ich<b></b>%d"


@pytest.mark.parametrize(
    ("text", "words", "wanted"),
    [
        ("Haus%s", ["house", VALUE], "house%s"),
        ("%dHunde", [VALUE, "dogs"], "%ddogs"),
        ("Dauer: %ds", ["duration", ":", VALUE, "s"], "duration: %ds"),
        ("%sKB frei", [VALUE, "KB", "free"], "%sKB free"),
        ("Haus %s", ["house", VALUE], "house %s"),
        ("Haus%s", ["house5", VALUE], "house5 %s"),  # else it would be no value
    ],
)
def test_values_attached_to_letters_are_spaced_as_in_the_source(text, words, wanted):
    processor = TextProcessor(make_tokeniser("unicode", language="de"), symbols=True)
    encoded = processor.encode(text)
    same = [(place, place) for place in range(len(words))]
    assert processor.decode(words, encoded, same) == wanted
    assert processor.decode(encoded.words, encoded) == text


def test_processors_of_earlier_releases_have_no_symbols():
    table = TextProcessor(make_tokeniser("unicode"), symbols=True).to_dict()
    assert TextProcessor.from_dict(table).symbols
    del table["symbols"]
    with refuses(TextError, "file.damaged", argument="symbols"):
        TextProcessor.from_dict(table)
    assert not TextProcessor.from_dict({**table, "version": 1}).symbols
