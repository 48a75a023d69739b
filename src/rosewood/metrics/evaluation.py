"""Scores of a whole translation, from lines of text; shapes that do not fit are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from rosewood.arguments import check_choice, check_length
from rosewood.arrays import FloatArray
from rosewood.errors import MetricError
from rosewood.metrics.metric import Metric
from rosewood.metrics.parse import parse_metric
from rosewood.metrics.settings import TESTS, ComparisonSettings
from rosewood.metrics.significance import Comparison, paired_bootstrap, paired_randomisation

References = Sequence[Sequence[str | None]]
_TESTS: dict[str, Callable[..., Comparison]] = {
    "bootstrap": paired_bootstrap,
    "randomisation": partial(paired_randomisation, ties=True),
}


@dataclass(frozen=True)
class Score:
    """A metric's score of a corpus, with all that one must know to compare it."""

    name: str
    title: str
    value: float
    signature: str
    sentences: int
    higher_is_better: bool

    def __str__(self) -> str:
        return f"{self.title}|{self.signature} = {self.value:.2f}"


def evaluate(
    hypotheses: Sequence[str],
    references: References | None,
    metrics: Metric | str | Sequence[Metric | str] = "bleu",
    *,
    layout: str = "documents",
    scores: Mapping[str, Sequence[float]] | None = None,
    threads: int = 1,
) -> list[Score]:
    """The corpus scores of one hypothesis a sentence.

    `references` are a list of *documents*, each with a line for each hypothesis (None where it has
    no reference for a sentence), or with layout="sentences" a list of references for each sentence.
    `scores` are columns of numbers, one for each hypothesis, for metrics like "column:comet", which
    need no references.
    """
    hypotheses = _strings("hypotheses", hypotheses)
    asked = _each(metrics)
    by_sentence = _wanted_references(asked, hypotheses, references, layout)
    found = []
    for metric in asked:
        rows = metric.statistics_many(
            [[h] for h in hypotheses], by_sentence, scores, threads=threads
        )
        found.append(
            Score(
                name=metric.name,
                title=metric.title,
                value=metric.score(rows),
                signature=metric.signature_with(**_counted(metric, by_sentence)),
                sentences=len(hypotheses),
                higher_is_better=metric.higher_is_better,
            )
        )
    return found


def compare(
    hypotheses: Sequence[str],
    baseline: Sequence[str],
    references: References | None,
    metrics: Metric | str | Sequence[Metric | str] = "bleu",
    *,
    test: str = ComparisonSettings.test,
    samples: int | None = ComparisonSettings.samples,
    seed: int = ComparisonSettings.seed,
    layout: str = "documents",
    scores: Mapping[str, Sequence[float]] | None = None,
    baseline_scores: Mapping[str, Sequence[float]] | None = None,
    threads: int = 1,
) -> list[Comparison]:
    """Is a translation better than another one of the same sentences?  One answer for each metric.

    `test` is "bootstrap" (1000 resamples) or "randomisation" (10000 trials); the rest is as in
    `evaluate`.  P-values are sacreBLEU's, but for what is no evidence: where nothing differs it is
    1, and randomisation counts ties (`paired_randomisation` itself has both ways).
    """
    check_choice("test", test, TESTS, error=MetricError)
    hypotheses, baseline = _strings("hypotheses", hypotheses), _strings("baseline", baseline)
    check_length("baseline", baseline, len(hypotheses), "hypothesis", error=MetricError)
    asked = _each(metrics)
    by_sentence = _wanted_references(asked, hypotheses, references, layout)
    found = []
    for metric in asked:
        own, other = (
            metric.statistics_many([[h] for h in said], by_sentence, columns, threads=threads)
            for said, columns in ((hypotheses, scores), (baseline, baseline_scores))
        )
        trials = TESTS[test] if samples is None else samples
        count = _counted(metric, by_sentence).get("nrefs")
        done = _TESTS[test](metric, own, other, samples=trials, seed=seed, references=count)
        found.append(done if done.difference else replace(done, p_value=1.0))
    return found


def _each(metrics: Metric | str | Sequence[Metric | str]) -> list[Metric]:
    asked = metrics if isinstance(metrics, Iterable) and not isinstance(metrics, str) else [metrics]
    return [m if isinstance(m, Metric) else parse_metric(m) for m in asked]


def _strings(what: str, lines: Iterable[str]) -> list[str]:
    made = list(lines) if _is_listed(lines) else None
    if made is None or not all(isinstance(line, str) for line in made):
        reason = f"{what} must be a list of strings, one for each sentence"
        raise MetricError(reason, code="argument.type", argument=what)
    return made


def _is_listed(values: object) -> bool:
    """Whether there are many in some order, and it is not a string."""
    return isinstance(values, Iterable) and not isinstance(values, str | bytes | Set | Mapping)


def _wanted_references(
    metrics: Sequence[Metric], hypotheses: list[str], references: References | None, layout: str
) -> list[list[str]]:
    """The references of each sentence; none where there are none and no metric wants any."""
    none = references is None or (isinstance(references, Sequence) and not len(references))
    if none and not any(metric.needs_references for metric in metrics):
        return [[] for _ in hypotheses]
    given = [] if references is None else references
    return references_by_sentence(hypotheses, given, layout=layout)


def _counted(metric: Metric, by_sentence: list[list[str]]) -> dict[str, int | str]:
    """How many references there are, for the signature of a metric that reads them."""
    if not metric.needs_references:
        return {}
    counts = {len(references) for references in by_sentence}
    return {"nrefs": counts.pop() if len(counts) == 1 else "var"}


def corpus_statistics(
    metric: Metric,
    hypotheses: Sequence[str],
    references: References,
    *,
    layout: str = "documents",
    scores: Mapping[str, Sequence[float]] | None = None,
    threads: int = 1,
) -> FloatArray:
    """[sentences, columns]: a row for each sentence of a corpus, for tests of significance."""
    (metric,) = _each(metric)
    hypotheses = _strings("hypotheses", hypotheses)
    by_sentence = references_by_sentence(hypotheses, references, layout=layout)
    return metric.statistics_many([[h] for h in hypotheses], by_sentence, scores, threads=threads)


def references_by_sentence(
    hypotheses: Sequence[str], references: References, *, layout: str = "documents"
) -> list[list[str]]:
    """The references of each sentence; what does not fit is refused, not cut to fit."""
    hypotheses = _strings("hypotheses", hypotheses)
    if not hypotheses:
        reason = "there are no hypotheses to score"
        raise MetricError(reason, code="metric.no-sentences", argument="hypotheses")
    references = list(references) if _is_listed(references) else []
    if not references:
        reason = "references must be a list of reference documents; there is none"
        raise MetricError(reason, code="argument.type", argument="references")
    if any(isinstance(part, str) for part in references):
        raise MetricError(
            f"references are a list of {len(references)} strings, expected a list of documents: "
            "put a single document into a list, [references]",
            code="argument.type", argument="references", value=len(references),
        )  # fmt: skip
    for number, part in enumerate(references):
        if not _is_listed(part):
            reason = f"references[{number}] is {part!r}, expected a list of strings"
            raise MetricError(reason, code="argument.type", argument="references", value=number)
    references = [list(part) for part in references]
    check_choice("layout", layout, ("documents", "sentences"), error=MetricError)
    if layout == "documents":
        rows = _from_documents(len(hypotheses), references)
    else:
        rows = _from_sentences(len(hypotheses), references)
    found = []
    for number, row in enumerate(rows):
        there = [line for line in row if line is not None]
        if not all(isinstance(line, str) for line in there):
            reason = f"references of sentence {number} must be strings"
            raise MetricError(reason, code="argument.type", argument="references", value=number)
        if not there:
            reason = f"sentence {number} has no reference"
            raise MetricError(reason, code="metric.no-reference", value=number)
        found.append(there)
    return found


def _from_documents(count: int, references: References) -> list[Sequence[str | None]]:
    for number, document in enumerate(references):
        if len(document) != count:
            reason = (
                f"{count} hypotheses, but reference document {number} has {len(document)} lines"
            )
            if len(references) == count:
                raise _other_layout(
                    f"{reason}; they look like a list for each sentence", "sentences"
                )
            raise MetricError(
                reason,
                code="argument.shape", argument="references", value=len(document), expected=count,
            )  # fmt: skip
    return list(zip(*references, strict=True))


def _from_sentences(count: int, references: References) -> list[Sequence[str | None]]:
    if len(references) != count:
        reason = f"{count} hypotheses, but references of {len(references)} sentences"
        if all(len(document) == count for document in references):
            raise _other_layout(f"{reason}; they look like documents", "documents")
        raise MetricError(
            reason,
            code="argument.shape", argument="references", value=len(references), expected=count,
        )  # fmt: skip
    return list(references)


def _other_layout(reason: str, layout: str) -> MetricError:
    return MetricError(
        f'{reason}: use layout="{layout}"',
        code="argument.shape", argument="layout", expected=layout,
    )  # fmt: skip
