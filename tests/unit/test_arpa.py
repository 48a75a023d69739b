r"""Reading and writing ARPA files: what is mended, what is refused, and what it says then."""

from __future__ import annotations

import gc
import gzip
import io
import lzma

import numpy as np
import pytest
from tests.refusals import refuses

from rosewood.errors import DamagedFileError, FormatError
from rosewood.lm import estimate
from rosewood.lm.arpa import read_arpa, write_arpa

GOOD = """
some notes, as SRILM's users leave them

\\data\\
ngram  1=  5
ngram 2=3

\\1-grams:
-2.5	<unk>
-99	<s>	-0.5
-1	</s>
-0.5 a -0.25
-0.75	b	0

\\2-grams:
-0.125	<s> a
-0.0625	a b
-0.25	b </s>

\\end\\
whatever follows
"""
HEAD = "\\data\\\nngram 1=3\nngram 2=1\n\n\\1-grams:\n-1\t<s>\n-1\t</s>\n-1\ta\n\n\\2-grams:\n"


def read(text: str | bytes, **options):
    return read_arpa(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


def written(table, words) -> str:
    out = io.BytesIO()
    write_arpa(out, table, words)
    return out.getvalue().decode()


def test_a_file_as_it_occurs():
    table, words, facts = read(GOOD, file="lm.arpa")
    assert (table.order, table.size(1), table.size(2)) == (2, 5, 3)
    assert facts == {"made_from": {"arpa": "lm.arpa", "ngrams": [5, 3]}}
    assert words.word_bytes.tobytes() == b"<unk><s></s>ab"
    assert written(table, words) == (
        "\\data\\\nngram 1=5\nngram 2=3\n\n\\1-grams:\n-2.5\t<unk>\t0\n-99\t<s>\t-0.5\n"
        "-1\t</s>\t0\n-0.5\ta\t-0.25\n-0.75\tb\t0\n\n\\2-grams:\n-0.25\tb </s>\n-0.125\t<s> a\n"
        "-0.0625\ta b\n\n\\end\\\n"
    )
    backoff = table.columns(1)[3]
    assert np.signbit(backoff).tolist() == [True, True, True, True, False]  # b is a context


def test_files_are_written_whole_and_compressed(tmp_path):
    table, words, _ = read(GOOD)
    plain = written(table, words).encode()
    for ending, opened in ((".gz", gzip.decompress), (".xz", lzma.decompress)):
        path = tmp_path / f"lm.arpa{ending}"
        write_arpa(path, table, words, threads=2)
        assert opened(path.read_bytes()) == plain
        again, _, facts = read_arpa(path)
        assert written(again, words).encode() == plain
        assert facts["made_from"]["arpa"] == path.name
    (tmp_path / "cut.gz").write_bytes((tmp_path / "lm.arpa.gz").read_bytes()[:-9])
    with refuses(DamagedFileError, "file.damaged", file=str(tmp_path / "cut.gz")):
        read_arpa(tmp_path / "cut.gz")
    with pytest.raises(OSError, match="nowhere"):
        write_arpa(tmp_path / "nowhere" / "x.arpa", table, words)


def test_files_of_a_table_go_with_it(tmp_path):
    lines = "\n".join(f"-1\tw{n} w{n + 1}" for n in range(4999))
    unigrams = "\n".join(f"-1\tw{n}" for n in range(5000))
    text = (f"\\data\\\nngram 1=5000\nngram 2=4999\n\\1-grams:\n{unigrams}\n\\2-grams:\n{lines}\n"
            "\\end\\")  # fmt: skip
    table, words, _ = read(text, max_memory=1 << 16, temporary=tmp_path)
    assert any(tmp_path.iterdir())
    assert written(table, words) == written(*read(text)[:2])
    del table
    gc.collect()
    assert not any(tmp_path.iterdir())
    with refuses(FormatError, "file.damaged"):
        read(text.removesuffix("\\end\\"), max_memory=1 << 16, temporary=tmp_path)
    gc.collect()
    assert not any(tmp_path.iterdir())


def test_words_that_every_model_has_are_added():
    table, words, facts = read("\\data\\\nngram 1=1\n\\1-grams:\n-0.5\ta\n\\end\\\n")
    assert facts["mended"] == {"missing_words": ["<unk>", "<s>", "</s>"]}
    assert words.word_bytes.tobytes() == b"<unk><s></s>a"
    assert table.columns(1)[2].tolist() == [-100.0, -99.0, -100.0, -0.5]


def test_unk_in_capitals_is_unk():
    text = HEAD.replace("ngram 1=3", "ngram 1=4").replace("\n\n\\2", "\n-3\t<UNK>\n\n\\2")
    table, words, facts = read(text + "-1\ta <UNK>\n\\end\\\n")
    assert "mended" not in facts
    assert table.columns(1)[2][0] == -3
    assert "-1\ta <unk>\n" in written(table, words)


def test_numbers_that_are_mended_are_counted():
    text = HEAD.replace("-1\t<s>", "-inf\t<s>\t-inf").replace("-1\ta", "0.00001\ta")
    table, _, facts = read(text + "-1\ta a\n\\end\\\n")
    assert facts["mended"] == {
        "missing_words": ["<unk>"],
        "infinite_as_-99": 2,
        "positive_as_0": 1,
    }
    assert table.columns(1)[2].tolist() == [-100.0, -99.0, -1.0, 0.0]
    assert table.columns(1)[3][1] == -99


def test_what_pruning_took_away_comes_back():
    """a b is a suffix, <s> a a prefix; both are backed off to."""
    text = ("\\data\\\nngram 1=4\nngram 2=0\nngram 3=1\n\\1-grams:\n-2 <s> -0.5\n-1 </s>\n"
            "-0.5 a -0.25\n-0.75 b\n\\2-grams:\n\\3-grams:\n-0.125 <s> a b\n\\end\\\n")  # fmt: skip
    for each in (text, text.replace("\\2-grams:\n", "")):  # orders of no n-grams need no section
        table, words, facts = read(each)
        assert facts["mended"]["added_ngrams"] == [0, 2, 0]
        assert "-1\t<s> a\t0\n-1\ta b\t0\n" in written(table, words)


def test_keys_may_have_all_bits():
    """256 words have 8 bits each, and 8 of them fill a number."""
    words = ["<unk>", "<s>", "</s>", *(f"w{n}" for n in range(253))]
    counts = "".join(f"ngram {n}={256 if n == 1 else int(n == 8)}\n" for n in range(1, 9))
    unigrams = "".join(f"-1\t{word}\n" for word in words)
    longest = " ".join(["w252"] * 8)
    table, found, facts = read(
        f"\\data\\\n{counts}\\1-grams:\n{unigrams}\\8-grams:\n-0.5\t{longest}\n\\end\\\n"
    )
    assert facts["mended"]["added_ngrams"] == [0, 1, 1, 1, 1, 1, 1, 0]
    assert f"\n-0.5\t{longest}\n" in written(table, found)


def test_orders_without_ngrams():
    text = HEAD.replace("ngram 2=1", "ngram 2=0")
    table, words, _ = read(text + "\\end\\\n")
    assert (table.order, table.size(2)) == (2, 0)
    assert written(table, words).endswith("\\2-grams:\n\n\\end\\\n")


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("", 1, "file.kind"),
        ("hello\nworld\n", 2, "file.kind"),
        ("\\data\\\nngram 1=1\n", 2, "file.damaged"),
        ("\\data\\\n\\1-grams:\n", 2, "file.empty"),
        ("\\data\\\nngram 1=x\n", 2, "line.fields"),
        ("\\data\\\nngrams\n", 2, "line.fields"),
        ("\\data\\\nfoo\n", 2, "line.fields"),
        ("\\data\\\nngram 2=1\n", 2, "line.order"),
        ("\\data\\\nngram 1=0\n", 2, "file.empty"),
        ("\\data\\\nngram 1=1\n\\2-grams:\n", 3, "line.order"),
        (HEAD + "\\end\\", 10, "lm.ngrams"),
        (HEAD + "-1 a a\n-1 a </s>\n", 10, "lm.ngrams"),
        (HEAD.replace("1=3", "1=2"), 5, "lm.ngrams"),
        (HEAD.replace("1=3", "1=4"), 5, "lm.ngrams"),
        (HEAD + "-1 a a\n\\3-grams:\n", 12, "line.order"),
        (HEAD + "-1 a a\n\\foo\n", 12, "line.unknown"),
        (HEAD + "-1 a\n", 11, "line.fields"),
        (HEAD + "-1 a a a a\n", 11, "line.fields"),
        (HEAD + "x a a\n", 11, "line.number"),
        (HEAD + "nan a a\n", 11, "line.number"),
        (HEAD + "-1e99 a a\n", 11, "line.number"),
        (HEAD + "0.5 a a\n", 11, "line.value"),
        (HEAD + "inf a a\n", 11, "line.value"),
        (HEAD + "-1 a a -1\n", 11, "line.value"),
        (HEAD + "-1 a a b\n", 11, "line.number"),
        (HEAD + "-1 a größe\n", 11, "line.unknown"),
        (HEAD + "-1 a <unk>\n", 11, "line.unknown"),
        (HEAD.replace("2=1", "2=2") + "-1 a a\n-1 a a\n\\end\\", 10, "line.duplicate"),
        (HEAD.replace("-1\t</s>", "-1 a"), 8, "line.duplicate"),
        (HEAD.encode().replace(b"\ta", b"\ta\xff"), 8, "file.encoding"),
        (HEAD + "-1 " + "x" * (1 << 24), 11, "corpus.too-long"),
        ("x" * (17 << 20), 1, "corpus.too-long"),
    ],
)
def test_what_is_refused(text, line, code):
    with refuses(FormatError, code, file="bad.arpa", line=line):
        read(text, file="bad.arpa")


def test_a_word_like_unknown_goes_out_and_in(tmp_path):
    """<UNK> is the unknown word where there is no other, in either order."""
    estimate(["a <UNK> b", "a"], 2).write_arpa(tmp_path / "u.arpa")
    table, words, facts = read_arpa(tmp_path / "u.arpa")
    assert "<UNK>" in words.list()
    assert "mended" not in facts
    write_arpa(tmp_path / "again.arpa", table, words)
    text = (tmp_path / "u.arpa").read_text()
    assert (tmp_path / "again.arpa").read_text() == text
    head, _, rest = text.partition("\t<unk>")
    swapped = (head + "\t<?>" + rest).replace("<UNK>", "<unk>").replace("<?>", "<UNK>")
    (tmp_path / "swapped.arpa").write_text(swapped)
    assert set(read_arpa(tmp_path / "swapped.arpa")[1].list()) == set(words.list())
    (tmp_path / "upper.arpa").write_text(text.replace("<UNK>", "x").replace("<unk>", "<UNK>"))
    table, words, facts = read_arpa(tmp_path / "upper.arpa")
    assert "<UNK>" not in words.list()
    assert "mended" not in facts
