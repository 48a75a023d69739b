"""XML from anybody: inline elements, entities that are refused, files that are large."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from tests.refusals import refuses

from rosewood.corpus import Corpus
from rosewood.corpus.inline_elements import as_markup, as_text
from rosewood.errors import FormatError

HEAD = '<tmx version="1.4"><header srclang="en"/><body>'
TAIL = "</body></tmx>"


def unit(source: str, target: str) -> str:
    return (
        f'<tu><tuv xml:lang="en"><seg>{source}</seg></tuv>'
        f'<tuv xml:lang="de"><seg>{target}</seg></tuv></tu>\n'
    )


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_entities_are_refused(tmp_path):
    laughs = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12)
    )
    for name, declared in {
        "laughs": laughs,
        "file": '<!ENTITY x SYSTEM "file:///etc/passwd">',
        "network": '<!ENTITY x SYSTEM "http://localhost:9/x">',
        "parameter": '<!ENTITY % p SYSTEM "http://localhost:9/x.dtd"> %p;',
    }.items():
        text = f"<!DOCTYPE tmx [{declared}]>{HEAD}{unit('&a11;', 'x')}{unit('&x;', 'x')}{TAIL}"
        with refuses(FormatError, "corpus.entity"):
            list(Corpus.read(write(tmp_path / f"{name}.tmx", text)))
    in_root = f'<!DOCTYPE tmx [{laughs}]><tmx version="&a11;"/>'
    with refuses(FormatError, "file.format"):
        list(Corpus.read(write(tmp_path / "root.tmx", in_root)))


def test_an_entity_that_nobody_declared_is_named(tmp_path):
    path = write(tmp_path / "a.tmx", f"{HEAD}\n{unit('y', 'z')}{unit('a&nbsp;b', 'x')}{TAIL}")
    with refuses(FormatError, "file.format", file=str(path), line=3) as refused:
        list(Corpus.read(path))
    assert "Entity 'nbsp' not defined" in str(refused.value)


def test_entities_of_another_file_are_not_looked_up(tmp_path):
    (tmp_path / "own.dtd").write_text('<!ENTITY own "secret">')
    text = f'<!DOCTYPE tmx SYSTEM "own.dtd">{HEAD}{unit("&own;", "x")}{unit("y", "z")}{TAIL}'
    path = write(tmp_path / "a.tmx", text)
    with refuses(FormatError, "corpus.entity", value="&own;", line=1):
        list(Corpus.read(path))
    corpus = Corpus.read(path, on_bad_line="skip")
    assert [pair.source for pair in corpus] == ["y"]
    assert corpus.skipped == {"entity": 1}


@pytest.mark.parametrize(
    ("text", "code", "fields"),
    [
        ("", "file.format", {}),
        ("hello", "file.format", {}),
        (f"{HEAD}{unit('a', 'b')}", "file.format", {}),
        (f"{HEAD}{unit('a', '<b>')}{TAIL}", "file.format", {}),
        (f"{HEAD}{unit('a', '&#0;')}{TAIL}", "file.format", {}),
        ("<html/>", "file.kind", {"value": "html", "expected": "tmx"}),
        (f"{HEAD}{TAIL}", "file.empty", {}),
        (f"{HEAD}{unit('a', ' ')}{TAIL}", "corpus.empty-side", {"argument": "target"}),
        (f"{HEAD}{unit('a', 'b&#13;c')}{TAIL}", "corpus.carriage-return", {"argument": "target"}),
        (f"{HEAD}<tu><tuv><seg>a</seg></tuv></tu>{TAIL}", "corpus.no-language", {}),
        (f"{HEAD}<tu><tuv xml:lang='en'/><tuv xml:lang='de'/></tu>{TAIL}", "corpus.no-segment",
         {"value": "en"}),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_memory(tmp_path, text, code, fields):
    with refuses(FormatError, code, **fields):
        list(Corpus.read(write(tmp_path / "a.tmx", text)))


def test_elements_of_strangers_keep_out_of_it(tmp_path):
    text = (
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2" xmlns:s="urn:s">'
        '<file source-language="en"><body><trans-unit id="1"><source>a</source><target>b</target>'
        "<s:group/><s:unit><source>c</source></s:unit></trans-unit></body></file></xliff>"
    )
    (pair,) = Corpus.read(write(tmp_path / "a.xlf", text))
    assert (pair.source, pair.target) == ("a", "b")


def test_utf16_is_welcome(tmp_path):
    path = tmp_path / "a.tmx"
    text = f'<?xml version="1.0" encoding="UTF-16"?>\n{HEAD}{unit("größer", "ja")}{TAIL}'
    path.write_bytes(text.encode("utf-16"))
    assert [pair.source for pair in Corpus.read(path)] == ["größer"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tmx", "xliff"])
def test_memory_does_not_grow_with_the_file(tmp_path, kind):
    if not Path("/proc/self/statm").exists():
        pytest.skip("only Linux tells how much memory is in use")
    path = tmp_path / f"a.{kind}"
    filler = "word " * 20
    if kind == "tmx":
        head, tail, one = HEAD, TAIL, unit(filler, filler)
    else:
        head, tail = '<xliff version="1.2"><file><body>', "</body></file></xliff>"
        one = f"<trans-unit><source>{filler}</source><target>{filler}</target></trans-unit>\n"
        one = f"<group>{one * 5}</group>"
    with path.open("w") as file:
        file.write(head + one * (8 * 2**20 // len(one)) + tail)
    code = (
        "import sys\nfrom pathlib import Path\nfrom rosewood.corpus import Corpus\n"
        "from lxml import etree\n"
        "def pages(): return int(Path('/proc/self/statm').read_text().split()[1])\n"
        "sizes = [pages() for i, _ in enumerate(Corpus.read(sys.argv[1])) if i % 1000 == 0]\n"
        "print(len(sizes), max(sizes) - sizes[0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    thousands, pages = map(int, done.stdout.split())
    assert thousands > 10
    assert pages * 4096 < 4 * 2**20


# Inline elements

TAGS = st.sampled_from(
    ['<ph x="1"/>', '<ph x="1" code="&lt;b&gt;"/>', '<g id="1">', "</g>", "<hi>", "</hi>", "<x/>",
     '<g id="1" id="2">', "<ph>", "</ph>", "<b>", "</b>", "&lt;", "&amp;", '<x a="&#10;"/>',
     '<x a="&apos;"/>', "<x />", "<x a='1'/>", '<x z:a="1"/>', '<x xml:lang="de"/>',
     '<ph code=""/>',
     '<it code="a" x="1"/>', '<mrk mtype="seg">', "</mrk>", '<bpt code="&quot;"/>', '<x a="<"/>',
     '</g a="1">', "</g/>", '<g id="1"/>', "<sub>"]
)  # fmt: skip


@given(st.lists(TAGS | st.text("a<>&\"'/ =", max_size=4), max_size=8).map("".join))
@settings(max_examples=200)
def test_text_with_tags_comes_back_as_it_was(text):
    element = etree.fromstring(f"<seg>{as_markup(text)}</seg>")
    assert as_text(element) == text


@pytest.mark.parametrize("text", ['<mrk mtype="seg">a</mrk>', "<g></g>", "<g><x/></g>", "</g>"])
def test_some_text_with_tags(text):
    assert as_text(etree.fromstring(f"<seg>{as_markup(text)}</seg>")) == text


def test_tags_become_elements_again():
    text = 'a <g id="1">b <x id="2"/></g> <ph x="3" code="&lt;br&gt;"/> 1 < 2'
    element = etree.fromstring(f"<seg>{as_markup(text)}</seg>")
    assert [child.tag for child in element.iter()] == ["seg", "g", "x", "ph"]
    assert element[1].text == "<br>"
    assert as_markup("a <g> b") == "a &lt;g&gt; b"


def test_foreign_attributes_keep_their_prefixes():
    element = etree.fromstring('<seg xmlns:m="u"><x m:id="1" xml:space="preserve"/>t</seg>')
    assert as_text(element) == '<x m:id="1" xml:space="preserve"/>t'
