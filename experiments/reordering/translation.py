"""Whole systems with each reordering model: BLEU, significance, model size, speed of decoding.

Each system is tuned with several seeds on the same rules, language model and alignment.  A run
that is finished is kept in the work folder as a small file, and not done again.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.corpora import Corpus, lines_of, prepare, rosewood, train
from rosewood.metrics import paired_randomisation, parse_metric

# Options of `rosewood train` for each system.  Rules without orientations show what these take.
SYSTEMS: dict[str, list[str]] = {
    "lexicalized": ["--reordering", "lexicalized"],
    "none": ["--reordering", "none", "--orientation", "none"],
    "bayes": ["--reordering", "bayes"],
    "bayes_full": ["--reordering", "bayes-full"],
    "maxent_primal": ["--reordering", "maxent-primal"],
    "maxent": ["--reordering", "maxent"],
    "both": ["--reordering", "maxent", "--reordering", "lexicalized"],
}
BASELINE, NONE = "lexicalized", "none"
METRIC = "bleu:tokenize=none"


def measure(
    corpus: Corpus,
    work: Path,
    seeds: Sequence[int],
    threads: int,
    systems: Sequence[str] = tuple(SYSTEMS),
) -> dict[str, Any]:
    """Train, tune and test all systems with all seeds; a summary of each system."""
    prepare(corpus, work, threads)
    runs = {
        (name, seed): _run(corpus, work, name, seed, threads) for name in systems for seed in seeds
    }
    return summary(corpus, runs, _plain_rules(work))


def _plain_rules(work: Path) -> int | None:
    """Bytes of the rule table without orientations, if a system without them was trained."""
    for model in sorted((work / "systems").glob(f"{NONE}-*.model")):
        return model_bytes(model)["rules"]
    return None


def model_folder(work: Path, name: str, seed: int) -> Path:
    """Where the model of a system is."""
    return work / "systems" / f"{name}-{seed}.model"


def trained(corpus: Corpus, work: Path, name: str, seed: int, threads: int) -> dict[str, Any]:
    """Train and tune a system, unless it was done; what `rosewood train` told."""
    model = model_folder(work, name, seed)
    note = model.with_suffix(".trained.json")
    if not note.exists():
        model.parent.mkdir(parents=True, exist_ok=True)
        told = train(corpus, work, model, threads, *SYSTEMS[name], "--seed", seed)
        _write(note, told)
    found: dict[str, Any] = json.loads(note.read_text("utf-8"))
    return found


def _run(corpus: Corpus, work: Path, name: str, seed: int, threads: int) -> dict[str, Any]:
    """One system with one seed: its translation of the test set and what it took."""
    model = model_folder(work, name, seed)
    note = model.with_suffix(".json")
    if note.exists():
        found: dict[str, Any] = json.loads(note.read_text("utf-8"))
        return found
    told = trained(corpus, work, name, seed, threads)
    source = lines_of(corpus.file("test", corpus.source))
    said, spent = translated(model, source, model.with_suffix(".out"))
    _, loading = translated(model, source[:1], model.with_suffix(".first"))
    run = {
        "said": said,
        "decoding": max(0.0, spent - loading),
        "loading": loading,
        "sentences": len(source),
        "stages": {
            each["name"]: each["seconds"] for each in told["stages"] if not each["was_done"]
        },
        "model_bytes": model_bytes(model),
        "dev": next((each["value"] for each in told["scores"] if each["on"] == "dev"), None),
    }
    _write(note, run)
    return run


def _write(note: Path, run: dict[str, Any]) -> None:
    """Write a file whole or not at all."""
    aside = note.with_suffix(".part")
    aside.write_text(json.dumps(run, ensure_ascii=False), "utf-8")
    aside.rename(note)


def translated(model: Path, source: list[str], output: Path) -> tuple[list[str], float]:
    """Translations, and processor seconds of the whole command, with one thread."""
    text = output.with_suffix(".in")
    text.write_text("".join(f"{line}\n" for line in source), "utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        rosewood("translate", model, text, "--threads", 1, "--quiet", "-o", output), check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return lines_of(output), spent


def model_bytes(model: Path) -> dict[str, int]:
    """Bytes on disk of the rule table and of trained reordering models."""
    return {
        name: sum(each.stat().st_size for each in (model / name).rglob("*") if each.is_file())
        for name in ("rules", "reorder")
    }


def summary(
    corpus: Corpus, runs: dict[tuple[str, int], dict[str, Any]], plain: int | None
) -> dict[str, Any]:
    """BLEU of each system, its mean and spread, and how it compares with the baseline."""
    metric = parse_metric(METRIC)
    references = [
        list(each) for each in zip(*map(lines_of, corpus.references("test")), strict=True)
    ]
    rows = {
        key: metric.statistics_many([[line] for line in run["said"]], references)
        for key, run in runs.items()
    }
    names = list(dict.fromkeys(name for name, _ in runs))
    seeds = list(dict.fromkeys(seed for _, seed in runs))
    systems = {}
    for name in names:
        own = [runs[name, seed] for seed in seeds]
        scores = [float(metric.score(rows[name, seed])) for seed in seeds]
        size = own[0]["model_bytes"]["reorder"]
        if BASELINE in SYSTEMS[name]:  # the columns of the rule table that only it needs
            size = None if plain is None else size + own[0]["model_bytes"]["rules"] - plain
        systems[name] = {
            "bleu": scores,
            "mean": statistics.mean(scores),
            "spread": statistics.stdev(scores) if len(scores) > 1 else None,
            "dev": [run["dev"] for run in own],
            "milliseconds": statistics.median(
                1000 * run["decoding"] / run["sentences"] for run in own
            ),
            "training_seconds": next(
                (run["stages"]["reordering"] for run in own if "reordering" in run["stages"]), None
            ),
            "bytes": size,
        }
        if name != BASELINE and BASELINE in names:
            systems[name] |= _compared(metric, name, seeds, rows)
    return {
        "seeds": seeds,
        "sentences": len(references),
        "references": len(references[0]),
        "signature": metric.signature_with(nrefs=len(references[0])),
        "systems": systems,
    }


def _compared(metric: Any, name: str, seeds: Sequence[int], rows: Any) -> dict[str, Any]:
    """Randomisation with each seed, and with all: replicates of a sentence are swapped together."""
    each = [
        paired_randomisation(metric, rows[name, seed], rows[BASELINE, seed], ties=True).p_value
        for seed in seeds
    ]
    own, other = (sum(rows[which, seed] for seed in seeds) for which in (name, BASELINE))
    return {"p_each": each, "p": paired_randomisation(metric, own, other, ties=True).p_value}
