"""Features that know something: reranking helps, on sentences that were not tuned on.

    python examples/rerank_helps.py [FOLDER]

In Python what these three commands do:

    rosewood tune dev.jsonl --method mert --metric bleu -o weights.json --report report.html
    rosewood rerank test.jsonl --weights weights.json -o best.txt
    rosewood evaluate best.txt --ref ref.txt --baseline first.txt --metric bleu,chrf
"""

from __future__ import annotations

import sys
from pathlib import Path

from rosewood.metrics import compare
from rosewood.rerank import read_candidates, rerank, toy_lists, tune, write_candidates


def main(folder: Path) -> str:
    """Write everything into a folder; the verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    dev, test = folder / "dev.jsonl", folder / "test.jsonl"
    write_candidates(toy_lists(300, seed=1), dev)
    write_candidates(toy_lists(300, seed=2), test)

    print(f"Tuning on {dev}\n")
    tuned = tune(dev, method="mert", metric="bleu", replicates=3, threads=2)
    print(tuned.summary())
    tuned.write_weights(folder / "weights.json")
    tuned.write_report(folder / "report.html")

    print(f"\nReranking {test}, which tuning has not seen\n")
    lists = list(read_candidates(test))
    best = [each.best for each in rerank(lists, tuned.weights)]
    first = [each.texts[0] for each in lists]
    references = [each.references[0] for each in lists]
    for name, lines in (("best", best), ("first", first), ("ref", references)):
        (folder / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines))
    for found in compare(best, first, [references], ["bleu", "chrf"]):
        print(
            f"{found.name}: {found.baseline:.2f} -> {found.score:.2f}, "
            f"{found.difference:+.2f}, p = {found.p_value:.3f}"
        )
    print(f"\nLook at {folder / 'report.html'}")
    return tuned.verdict


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "rerank_helps"))
