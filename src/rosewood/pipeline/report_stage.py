"""The stage `report`: translations of held-out sentences by the tuned model, and their scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rosewood.corpus import TextProcessor
from rosewood.decode import Decoder, TextTranslator, TranslatedText, explain
from rosewood.metrics import Metric, evaluate, parse_metric
from rosewood.model.confidence import Confidence
from rosewood.model.weight_files import open_weights
from rosewood.pipeline.confidence import confidences
from rosewood.pipeline.final_model import final_decoder, final_stage
from rosewood.pipeline.settings import TrainingSettings
from rosewood.pipeline.stage import Task
from rosewood.pipeline.tokenise_stage import held_out
from rosewood.pipeline.tune_stage import WEIGHTS, make_decoder
from rosewood.shared_types import ProgressCallback

_EXAMPLES = 9  # translations that are shown
_SHOWN = (4, 30)  # words of such a sentence
_UNKNOWN = 30  # words that are listed
_METRICS = ("bleu", "chrf")


def _translator(decoder: Decoder, words: Path, settings: TrainingSettings) -> TextTranslator:
    """The decoder with the processors of a run, where there are any."""
    if settings.pretokenized:
        return TextTranslator(decoder)
    files = [words / f"{side}.json" for side in ("source", "target")]
    return TextTranslator(decoder, *map(TextProcessor.load, files))


def judge(task: Task, told: ProgressCallback) -> dict[str, Any]:
    """Scores of raw text, or of words where that is all there is; examples; unknown words."""
    settings, threads = task.settings, task.threads
    clean, words, tuned = (task.needs[name] for name in ("clean", "tokenise", "tune"))
    last = final_stage(task.needs)
    metrics = [_metric(name, settings) for name in _METRICS]
    weights = open_weights(last.folder / WEIGHTS)
    translator = _translator(final_decoder(settings, task.needs), words.folder, settings)
    scores: list[dict[str, Any]] = []
    baseline: list[dict[str, Any]] = []
    examples: list[dict[str, Any]] = []
    unknown: Counter[str] = Counter()
    for part in ("test", "dev"):
        if not clean.facts[part]:
            continue
        texts, references = held_out(clean.folder, part)
        said = _said(translator, texts, part, threads, told)
        scores = [*_scores(part, said, references, metrics), *scores]
        if not examples:  # of sentences that were not tuned on, if there are any
            how = Confidence.from_dict(last.facts["confidence"])
            examples = _examples(translator, said, references, part, how)
        if part == "dev" and weights != tuned.facts["start"]:
            decoder = make_decoder(settings, task.needs).with_weights(tuned.facts["start"])
            before = _translator(decoder, words.folder, settings)
            others = _said(before, texts, "dev, weights before tuning", threads, told)
            baseline = _scores(part, others, references, metrics)
        for each in said:
            unknown.update(_unknown_words(each))
    return {
        "text": "words" if settings.pretokenized else "raw",
        "scores": scores,
        "baseline": baseline,
        "examples": examples,
        "unknown_words": [list(each) for each in unknown.most_common(_UNKNOWN)],
        "notes": [],
    }


def _metric(name: str, settings: TrainingSettings) -> Metric:
    """Words that are there already are not cut again."""
    cut = settings.pretokenized and name == "bleu"
    return parse_metric(f"{name}:tokenize=none" if cut else name)


def _said(
    translator: TextTranslator,
    texts: Sequence[str],
    part: str,
    threads: int,
    told: ProgressCallback,
) -> list[TranslatedText]:
    said = []
    for each in translator.translate(texts, threads=threads):
        said.append(each)
        told(f"translating {part}, sentences", len(said), len(texts))
    return said


def _scores(
    part: str,
    said: Sequence[TranslatedText],
    references: Sequence[Sequence[str]],
    metrics: Sequence[Metric],
) -> list[dict[str, Any]]:
    found = evaluate([each.text for each in said], references, metrics, layout="sentences")
    return [
        {"on": part, "name": each.title, "value": each.value, "signature": each.signature,
         "sentences": each.sentences}
        for each in found
    ]  # fmt: skip


def _examples(
    translator: TextTranslator,
    said: Sequence[TranslatedText],
    references: Sequence[Sequence[str]],
    part: str,
    how: Confidence,
) -> list[dict[str, Any]]:
    """Sentences of middling length, from the worst to the best by chrF of each alone."""
    metric = parse_metric("chrf")
    least, most = _SHOWN
    lengths = [len(each.prepared.source.words) for each in said]
    among = [k for k, length in enumerate(lengths) if least <= length <= most] or list(
        range(len(said))
    )
    if not among:
        return []
    texts = [said[k].text for k in among]
    wanted = [references[k] for k in among]
    gains = metric.sentence_gains(metric.statistics_many([[text] for text in texts], wanted))
    order = sorted(range(len(among)), key=lambda k: (gains[k], k))
    count = min(_EXAMPLES, len(order))
    chosen = [order[(len(order) - 1) * k // max(1, count - 1)] for k in range(count)]
    rows = []
    decoder = translator.decoder
    for place in dict.fromkeys(chosen):
        k = among[place]
        found = decoder.search(said[k].prepared.source)
        why = said[k].prepared.shown(explain(found, decoder.weights), found.best)
        [sure] = confidences(
            found, decoder.theta(), how, [found.best], getattr(decoder, "unknown", None)
        )
        rows.append(
            {
                "on": part,
                "number": k + 1,
                "source": said[k].prepared.text,
                "references": list(references[k]),
                "translation": translator.text_of(found.best, said[k].prepared).text,
                "chrf": float(gains[place]),
                "score": found.best.score,
                "confidence": sure.mean,
                "posterior": sure.posterior,
                "explanation": why.to_dict(),
                "svg": why.to_svg(),
            }
        )
    return rows


def _unknown_words(said: TranslatedText) -> list[str]:
    words = said.prepared.source.words
    return [words[use.begin] for use in said.translation.rules if use.is_unknown]
