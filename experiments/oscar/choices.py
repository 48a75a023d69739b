"""Settings of learners, chosen on devtest by `rosewood sweep` on lists of candidates.

The lists are those of a first round: the 100 best translations under the weights that PRO found
on the development set, with a feature for each rule.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.corpora import Corpus, lines_of, rosewood, stage_folder
from experiments.oscar.systems import METRIC, OscarRun
from experiments.runs import references_of
from rosewood.corpus import IndexedCorpus
from rosewood.decode import Decoder, decoder_kind
from rosewood.forest import ForestSetWriter
from rosewood.learn.registry import learner_class
from rosewood.pipeline import Translator
from rosewood.pipeline.model_stages import LM, estimate_without
from rosewood.pipeline.tuning_data import (
    FOLDS,
    DecodedForests,
    DevSentences,
    TrainingSentences,
    TuningSentences,
)
from rosewood.settings import setting_names

# Settings to try: the method, the lists that are tuned on, and values.
GRIDS: dict[str, tuple[str, str, dict[str, str]]] = {
    "pro_dev_id": ("pro", "dev", {"l2": "1e-4,1e-3,1e-2,1e-1"}),
    "l1_dev_id": ("l1", "dev", {"penalty": "3e-4,1e-3,3e-3,1e-2"}),
    "l1_train_id": ("l1", "train", {"penalty": "3e-4,1e-3,3e-3,1e-2"}),
    "oscar": ("oscar", "both", {"lambda2": "3e-9,1e-8,3e-8,1e-7", "l2": "1e-3,1e-2"}),
}


def chosen_settings(run: OscarRun, name: str | None, base: str, seed: int = 1) -> list[str]:
    """The settings that are best on devtest, as `--set` takes them; done once."""
    if name is None:
        return []
    file = run.folder / f"{name}.sweep.json"
    if not file.exists():
        method, on, values = GRIDS[name]
        if run.quick:
            values = {key: value.partition(",")[0] for key, value in values.items()}
            values |= {"passes": "2"} if "passes" in setting_names(learner_class(method)) else {}
        wanted = {"dev": ("dev",), "train": ("train",), "both": ("train", "dev")}[on]
        lists = _lists(run, base, seed, (*wanted, "devtest"))
        first = lists[wanted[0]]
        grid = [each for key, value in values.items() for each in ("--grid", f"{key}={value}")]
        fixed: list[str] = []
        if name == "oscar":  # as training has it; and a pass of steps before their size falls
            rules = len(Translator.load(run.model("lists", seed)).decoder.table)
            for one in (f"dimension={rules}", "batch=1000", f"delay={50 * run.sentences}"):
                fixed += ["--grid", one]
        dev = ["--dev", lists["dev"]] if on == "both" else []
        command = rosewood(
            "sweep", first, *dev, "--select", lists["devtest"], "--method", method, "--metric",
            METRIC, *grid, *fixed, "--quiet", "--threads", run.threads, "--trials",
            run.folder / f"{name}.trials.jsonl", "-o", file,
        )  # fmt: skip
        subprocess.run(command, check=True)
    found = json.loads(file.read_text("utf-8"))["set"]
    return [f"{key}={value}" for key, value in found.items()]


def train_untuned(run: OscarRun, seed: int = 1) -> dict[str, Any]:
    """Do all stages before tuning; the model has default weights and a feature for each rule."""
    return run.train("lists", seed, "--tune", "none", "--feature", "rule-ids")


def trials(run: OscarRun, name: str) -> list[dict[str, object]]:
    """All trials of a sweep."""
    file = run.folder / f"{name}.trials.jsonl"
    if not file.exists():
        return []
    rows = (json.loads(line) for line in file.read_text("utf-8").splitlines() if line)
    values = [row.get("result", row) for row in rows]
    return [each for each in values if isinstance(each, dict) and "score" in each]


def _lists(run: OscarRun, base: str, seed: int, names: Sequence[str]) -> dict[str, Path]:
    """The candidates of some of the three sets as files."""
    told = train_untuned(run, seed)
    model = Translator.load(run.model("lists", seed))
    tuned = Translator.load(run.model(base, seed)).bundle.weights
    keys = {each["name"]: each["key"] for each in told["stages"]}
    corpus = IndexedCorpus.open(stage_folder(run.work, "tokenise", keys["tokenise"]) / "corpus")
    links = stage_folder(run.work, "align", keys["align"])
    made = {}
    for name in names:
        made[name] = file = run.folder / f"{name}.rwf"
        if file.exists():
            continue
        data: TuningSentences
        decoders: tuple[Decoder, ...] = (model.decoder,)
        if name == "train":
            data = TrainingSentences(corpus, run.sentences, links, model.decoder.table)
            decoders = _without(model, data, run.folder)
        else:
            data = _held_out(run.corpus, name)
        lists = DecodedForests(decoders, data, 100, threads=run.threads)
        with ForestSetWriter(file) as writer:
            for i, forest in enumerate(lists(tuned, 1, range(len(data)))):
                writer.append(forest, {"id": f"{name}-{i}", "refs": list(data.references[i])})
    return made


def _without(model: Translator, data: TrainingSentences, folder: Path) -> tuple[Decoder, ...]:
    """Decoders whose language models have not read parts of the training sentences."""
    made, decoder = [], model.decoder
    kind, parts = decoder_kind(model.bundle.manifest["decoder"]), model.bundle.parts()
    for number in range(FOLDS):
        order, file = decoder.language_models[LM].order, folder / f"without-{number}.rlm"
        lm = estimate_without(data.corpus.target, data.fold(number), order, file)
        made.append(kind.make(
            {**parts, "lm": {**parts["lm"], LM: lm}}, settings=decoder.settings,
            unknown=decoder.unknown, features=decoder.option_features,
        ))  # fmt: skip
    return tuple(made)


def _held_out(corpus: Corpus, part: str) -> DevSentences:
    texts = lines_of(corpus.file(part, corpus.source))
    return DevSentences(texts, references_of(corpus, part))
