"""`rosewood rules events` from files to lines."""

from __future__ import annotations

import gzip

import pytest
from tests.refusals import shows
from tests.system.commands import command  # noqa: F401


@pytest.fixture
def run(tmp_path, command):  # noqa: F811
    """Runs the command on a small corpus."""
    (tmp_path / "a.de").write_text("er geht nicht\nja\n")
    (tmp_path / "a.en").write_text("he does not go\nyes\n")
    (tmp_path / "links").write_text("0-0 1-3 2-2\n0-0\n")
    corpus = [tmp_path / name for name in ("a.de", "a.en")]

    def ran(*arguments):
        return command("rules", "events", *corpus, "-a", tmp_path / "links", "-q", *arguments)

    return ran


def test_lines_and_files(run, tmp_path):
    lines = run("--max-phrase", 1).out.splitlines()
    assert lines == [
        "monotone ||| er ||| he ||| er&he ||| <s> geht",
        "discontinuous ||| nicht ||| not ||| nicht&not ||| geht </s>",
        "swap ||| geht ||| go ||| geht&go ||| er nicht",
        "monotone ||| ja ||| yes ||| ja&yes ||| <s> </s>",
    ]
    assert run("--max-phrase", 1, "-o", tmp_path / "events.gz", "--threads", 2) == (0, "", "")
    assert gzip.decompress((tmp_path / "events.gz").read_bytes()).decode().splitlines() == lines
    split = run(
        "--max-phrase", 1, "--classes", "mslr", "--orientation", "word", "--direction", "forward"
    ).out.splitlines()
    assert [line.split()[0] for line in split] == ["right", "swap", "right", "monotone"]


def test_errors_tell_where(run, tmp_path):
    for option in ("--orientation", "--direction", "--classes"):
        shows(run(option, "best"), "usage", option, "'best'")
    (tmp_path / "links").write_text("0-0 1-3 2-2\n0-1\n")
    shows(run("-o", tmp_path / "events"), "line.value", f"{tmp_path / 'links'}:2:", "0-1")
    assert not (tmp_path / "events").exists()
    for word in ("skip", "blank"):
        lines = run("--on-bad-line", word, "--max-phrase", 1).out.splitlines()
        assert len(lines) == 3  # of the first pair
