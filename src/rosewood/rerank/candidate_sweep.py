"""Settings of a learner for a set of candidates: try many, keep those that choose best elsewhere.

found = sweep("dev.jsonl", {"step": [0.001, 0.01], "margin": [1, 3]}, method="mira")
tune("dev.jsonl", method="mira", settings=found.best.settings)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from rosewood import learn
from rosewood.arguments import check_type
from rosewood.errors import TuningError
from rosewood.journal import Journal
from rosewood.learn import Sweep, Trial, TuningSet, Uniform, make_learner
from rosewood.learn.learner import no_training
from rosewood.learn.sweeps import Choices, every_settings
from rosewood.learn.tuning_set import whole_number
from rosewood.metrics import Metric, parse_metric
from rosewood.model import weights_vector
from rosewood.rerank.settings import METHOD, SweepSettings
from rosewood.rerank.tuning_sets import Lists, check_apart, tuning_set, two_sets
from rosewood.resources import MAX_MEMORY
from rosewood.settings import check_setting
from rosewood.shared_types import ProgressCallback


def sweep(
    candidates: Lists,
    choices: Mapping[str, Choices],
    *,
    method: str = METHOD,
    metric: Metric | str = SweepSettings.metric,
    select: Lists | None = None,
    training: Lists | None = None,
    split: float = SweepSettings.split,
    trials: int | None = SweepSettings.random,
    start: Mapping[str, float] | None = None,
    seed: int = SweepSettings.seed,
    threads: int = 1,
    max_memory: int = MAX_MEMORY,
    journal: Journal | None = None,
    told: ProgressCallback | None = None,
) -> Sweep:
    """Fit with each combination of `choices` (or with `trials` random ones), and score each on the
    candidates `select`; without them, on a random part `split` of the lists, which is held out.

    `training` are further candidates for learners that use training data, as `tune` has them.
    """
    whole_number("seed", seed)
    whole_number("threads", threads, 1)
    check_type("choices", choices, Mapping, "lists or ranges by setting", error=TuningError)
    if trials is not None:
        whole_number("trials", trials, 1)
    if not choices:
        reason = "choices is empty, expected lists or ranges by setting"
        raise TuningError(reason, code="argument.missing", argument="choices")
    check_setting(SweepSettings, "split", split)
    total = len(every_settings(method, choices, trials=trials, seed=seed))  # all are good
    judge = parse_metric(metric) if isinstance(metric, str) else metric
    tell = told or (lambda what, done, total: None)
    if training is not None and not make_learner(method).uses_training:
        raise no_training(method)
    data, beside = two_sets(candidates, training, judge, threads, tell, max_memory=max_memory)
    if select is None:
        data, other = _halves(data, split, seed)
    else:
        other = tuning_set(
            select, judge, threads, tell, what="the candidates that choose", max_memory=max_memory
        )
        check_apart(data, other, what="the candidates that choose")
        if beside is not None:
            check_apart(beside.tuning, other, what="the candidates that choose")
    if start is not None:
        weights_vector(start, data.features, file="the starting weights")
    workers = max(1, min(threads, total))
    done = 0

    def step(trial: Trial) -> None:
        nonlocal done
        done += 1
        tell("trying settings", done, total)

    tell("trying settings", 0, total)
    return learn.sweep(
        method,
        choices,
        data.subset(
            range(len(data)),
            threads=max(1, threads // workers),
            max_memory=max(1, max_memory // workers),
        ),
        other,
        trials=trials,
        start=start,
        training=beside,
        seed=seed,
        workers=workers,
        journal=journal,
        step=step,
    )


def _halves(data: TuningSet, split: float, seed: int) -> tuple[TuningSet, TuningSet]:
    """What to fit on, and what chooses."""
    if len(data) < 2:
        reason = "there is only one list: none can be held out to choose with"
        raise TuningError(reason, code="tuning.too-few-lists")
    out = min(max(1, round(split * len(data))), len(data) - 1)
    order = np.random.default_rng(seed).permutation(len(data))
    return data.subset(np.sort(order[out:])), data.subset(np.sort(order[:out]))


def parse_choices(texts: Iterable[str]) -> dict[str, Choices]:
    """Choices as they are written: `step=0.001,0.01`, or a range, `step=1e-4..1e-1:log`."""
    choices: dict[str, Choices] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            reason = f"{text!r}: expected name=value,value… or name=low..high[:log]"
            raise TuningError(reason, code="argument.value", argument="choices", value=text)
        if name in choices:
            reason = f"{text!r}: choices for {name} are given twice"
            raise TuningError(reason, code="argument.duplicate", argument="choices", value=name)
        choices[name] = _range(text, values) if ".." in values else _values(text, values)
    return choices


def _values(text: str, values: str) -> list[str]:
    found = values.split(",")
    if not all(found) or len(set(found)) < len(found):
        reason = f"{text!r}: a value is {'missing' if '' in found else 'given twice'}"
        raise TuningError(reason, code="argument.value", argument="choices", value=text)
    return found


def _range(text: str, values: str) -> Uniform:
    ends, colon, scale = values.partition(":")
    low, _, high = ends.partition("..")
    try:
        if colon and scale != "log":
            raise ValueError
        return Uniform(float(low), float(high), log=bool(colon))
    except ValueError:
        reason = f"{text!r}: a range is low..high or low..high:log"
        raise TuningError(reason, code="argument.value", argument="choices", value=text) from None
