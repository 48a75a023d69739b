"""Features that are dice: tuning finds weights all the same, and says that they do not help.

    python examples/rerank_noise.py [FOLDER]

The first candidate of each list is what a system of some sense would have said.  Weights that fit
the dice of one set of sentences are worth nothing on others, and only others tell:

    rosewood tune noise.jsonl -o weights.json --report report.html
"""

from __future__ import annotations

import sys
from pathlib import Path

from rosewood.rerank import toy_lists, tune, write_candidates


def main(folder: Path, *, lists: int = 300, seed: int = 1) -> str:
    """Write everything into a folder; the verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "noise.jsonl"
    write_candidates(toy_lists(lists, noise=True, seed=seed), file)

    print(f"Tuning on {file}\n")
    tuned = tune(file, method="mert", metric="bleu", replicates=3, threads=2)
    print(tuned.summary())
    tuned.write_report(folder / "report.html")
    print(f"\nLook at {folder / 'report.html'}")
    return tuned.verdict


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "rerank_noise"))
