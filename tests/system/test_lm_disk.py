"""A disk that is full: the file is told, and nothing is left behind."""

from __future__ import annotations

import pytest
from tests import forked

resource = pytest.importorskip("resource")

LINES = "\n".join(f"w{k % 97} w{k % 89} w{k % 83} w{k % 79} w{k}" for k in range(20_000)) + "\n"


def run(folder, limit, *arguments):
    """The command in a process that may write files of so many bytes and no more."""
    code = (
        "import resource, signal, sys; from rosewood.cli import main; "
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit})); "
        "sys.argv[0] = 'rosewood'; main()"
    )
    return forked.run(["lm", "estimate", "text", *map(str, arguments)], place=folder, code=code)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("limit", "arguments", "named"),
    [
        (300_000, ["-o", "lm.rlm"], "lm.rlm"),
        (300_000, ["--arpa", "lm.arpa"], "lm.arpa"),
        (300_000, ["-o", "lm.rlm", "--layout", "small"], "lm.rlm"),
        (100_000, ["-o", "lm.rlm", "--max-memory", "1M"], "lm.rlm.work"),
    ],
)
def test_a_full_disk(tmp_path, limit, arguments, named, threads):
    (tmp_path / "text").write_text(LINES)
    done = run(tmp_path, limit, "--order", 3, "--quiet", "--threads", threads, *arguments)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert named in done.stderr
    assert "large" in done.stderr or "space" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
