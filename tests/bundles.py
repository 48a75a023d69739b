"""A model bundle of a few words, for tests of what stands around models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np

from rosewood.corpus import IndexedCorpus, TextProcessor, make_tokeniser
from rosewood.decode import SearchSettings
from rosewood.forest import SecondStage, Weights
from rosewood.lm import estimate
from rosewood.model import Bundle
from rosewood.model.bundle import write_bundle
from rosewood.model.confidence import Confidence
from rosewood.model.origins import write_origins
from rosewood.model.python_features import describe_feature, write_records
from rosewood.model.registry import new_entry
from rosewood.model.weight_files import save_weights
from rosewood.rules import RuleTable
from tests.decoders import ENGLISH, PAIRS, WEIGHTS, small_rules

CONFIDENCE = Confidence(scale=2.0, slope=0.5, offset=0.25, unknown=-1.5)
TRAINED = [
    ("heute ist das haus klein .", "the house is small today ."),
    ("wir gehen nach hause .", "we go home ."),
]


def small_bundle(
    folder: Path,
    *,
    raw: bool = False,
    corpus: bool = True,
    how: Confidence = CONFIDENCE,
    unknown: str = "copy",
    weights: Weights | None = None,
    features: Sequence[object] = (),
    second: SecondStage | None = None,
) -> Bundle:
    """Its rules were seen in `TRAINED`, all in the first pair but for those of the second.

    `features` are written in Python; dense ones have weights among `weights`.
    """
    weights = Weights.of(WEIGHTS) if weights is None else weights
    made = folder.with_name(f"{folder.name}.parts")
    made.mkdir()
    rules = []
    for rule in small_rules():
        is_second = {*rule.source} < {*TRAINED[1][0].split()} - {"."}
        rules.append(
            replace(rule, sentence=int(is_second), count=2.0, source_count=3.0, target_count=1.0)
        )
    RuleTable.build(made / "rules", rules)
    with estimate(ENGLISH, order=3) as model:
        model.save(made / "lm.rlm")
    files: dict[str, object] = {"rules": made / "rules", "lm.rlm": made / "lm.rlm"}
    parts = {"rules": new_entry("rules", path="rules")}
    parts["lm"] = new_entry("lm", paths={"lm": "lm.rlm"})
    parts["weights"] = new_entry("weights", path="weights")
    if second is not None:
        weights = weights | {"second_stage": 1.0}
        second.save(made / "second_stage.json")
        parts["second_stage"] = new_entry("second_stage", path="second_stage.json")
        files["second_stage.json"] = made / "second_stage.json"
    files["weights"] = partial(save_weights, weights=weights)
    if features:
        records = [describe_feature(each) for each in features]
        parts["features"] = new_entry("features", path="features.json")
        files["features.json"] = partial(write_records, records=records)
    if raw:
        for side, language in (("source", "de"), ("target", "en")):
            file = made / f"{side}.json"
            TextProcessor(make_tokeniser(language=language), lowercase=True).save(file)
            parts[f"{side}_text"] = new_entry(f"{side}_text", path=file.name)
            files[file.name] = file
    if corpus:
        sides = [[pair[side] for pair in TRAINED] for side in (0, 1)]
        for name, lines in zip(("de", "en"), sides, strict=True):
            (made / name).write_text("\n".join(lines) + "\n")
        IndexedCorpus.build(made / "corpus", source=made / "de", target=made / "en")
        write_origins(
            made / "origins", ["train.de"], np.zeros(2, np.int32), np.array([7, 9], np.int64)
        )
        for name in ("corpus", "origins"):
            parts[name], files[name] = new_entry(name, path=name), made / name
    own = [name for each in features for name in getattr(each, "names", ())]
    last = [] if second is None else ["second_stage"]
    facts = {
        "decoder": "phrase",
        "languages": ["de", "en"],
        "features": ["phrase_ef", *own, "word_penalty", "phrase_penalty", "unknown_penalty",
                     "distortion", "lm", *last],
        "search": asdict(SearchSettings(pop_limit=300)),
        "unknown": unknown,
        "confidence": how.to_dict(),
        "settings": {"lm_order": 3, "tune": "none", "set": {}},
        "seed": 1,
        "stages": {"clean": "0" * 64},
        "corpus": {"pairs": 2, "rules": len(PAIRS)},
        "scores": [{"on": "dev", "name": "BLEU", "value": 31.5, "signature": "nrefs:1|tok:13a"}],
        "fallbacks": ["weights are untuned ones"],
    }  # fmt: skip
    return write_bundle(folder, parts, files, facts)
