"""`rosewood rules events` from files to lines."""

from __future__ import annotations

import gzip

import pytest
from typer.testing import CliRunner

from rosewood.cli import app
from rosewood.errors import FormatError, RuleError


@pytest.fixture
def run(tmp_path):
    """Runs the command on a small corpus; gives its lines."""
    (tmp_path / "a.de").write_text("er geht nicht\nja\n")
    (tmp_path / "a.en").write_text("he does not go\nyes\n")
    (tmp_path / "links").write_text("0-0 1-3 2-2\n0-0\n")
    corpus = [str(tmp_path / name) for name in ("a.de", "a.en")]

    def ran(*arguments) -> list[str]:
        typed = [
            "rules",
            "events",
            *corpus,
            "-a",
            str(tmp_path / "links"),
            "-q",
            *map(str, arguments),
        ]
        return CliRunner().invoke(app, typed, catch_exceptions=False).stdout.splitlines()

    return ran


def test_lines_and_files(run, tmp_path):
    lines = run("--max-phrase", 1)
    assert lines == [
        "monotone ||| er ||| he ||| er&he ||| <s> geht",
        "discontinuous ||| nicht ||| not ||| nicht&not ||| geht </s>",
        "swap ||| geht ||| go ||| geht&go ||| er nicht",
        "monotone ||| ja ||| yes ||| ja&yes ||| <s> </s>",
    ]
    assert run("--max-phrase", 1, "-o", tmp_path / "events.gz", "--threads", 2) == []
    assert gzip.decompress((tmp_path / "events.gz").read_bytes()).decode().splitlines() == lines
    split = run(
        "--max-phrase", 1, "--classes", "mslr", "--orientation", "word", "--direction", "forward"
    )
    assert [line.split()[0] for line in split] == ["right", "swap", "right", "monotone"]


def test_errors_tell_where(run, tmp_path):
    with pytest.raises(RuleError, match="no kind of orientation 'best'"):
        run("--orientation", "best")
    (tmp_path / "links").write_text("0-0 1-3 2-2\n0-1\n")
    with pytest.raises(FormatError, match="links:2: the link 0-1 is beyond the 1 words"):
        run("-o", tmp_path / "events")
    assert not (tmp_path / "events").exists()
    assert len(run("--on-bad-line", "skip", "--max-phrase", 1)) == 3  # of the first pair
