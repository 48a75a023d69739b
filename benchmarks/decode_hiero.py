"""The hierarchical decoder beside `moses` with a chart and cdec: a section of benchmarks.decode.

The same grammar, language model, weights and limits (rules of 10 words, 20 rules a source) for all;
ours has the whole table, the peers one that is filtered to the test set.  Seconds with loading and
without, memory and the mean score of the model by pops; time against the length of sentences.
`moses` is the one in $MOSES/bin, `cdec` is $CDEC, or those on the PATH.  cdec has one thread and no
limit of rules: it gets those of a source that are best by table and penalties.  It scores each of
them with the best of its gaps before the first pop, so that equal pops are not equal work.  Text:
tatoeba-zh-en of $ROSEWOOD_DATA (or ../shared/data), its test set with four references; or else the
phrasebook.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.chart_peers import TUNED, ChartModel, cdec_line, cdec_program
from benchmarks.decode_runs import (
    HEAD,
    Measured,
    Models,
    beside,
    length_chart,
    measured,
    save_plots,
    say,
)
from benchmarks.moses_decoder import program
from benchmarks.plots import Panel, chart
from benchmarks.rules import DATA, corpus, rosewood, run
from rosewood.decode import HieroDecoder, HieroSettings
from rosewood.lm import Model
from rosewood.rules import RuleTable

CORPUS = "tatoeba-zh-en"
SPAN, OPTIONS = 10, 20
POPS = (10, 20, 30, 50, 75, 100, 150, 200, 400, 1000)  # ours
PEER_POPS = (30, 100, 200, 1000)


def compare(count: int, threads: int, repeat: int, plots: Path | None) -> None:
    """All of it."""
    with tempfile.TemporaryDirectory() as folder:
        models = build(Path(folder), count, threads)
        pops = peers(models, threads, repeat)
        settings = {each: settings_of(each) for each in (50, 200)}
        decoder = decoder_of(models, settings[200])
        title = "Hierarchical search: cost of length"
        length = length_chart(title, decoder, models.sentences(), settings, repeat)
        save_plots({"hiero-pops": pops, "hiero-length": length}, plots)


# -- models ----------------------------------------------------------------------------------------


def build(place: Path, count: int, threads: int) -> Models:
    """Our own grammar and language model of the training text, and sentences of the test set."""
    if (DATA / CORPUS).exists():
        source, target, links = (place / name for name in ("source", "target", "links"))
        source.write_text(unpacked("train.zh"), encoding="utf-8")
        target.write_text(unpacked("train.en"), encoding="utf-8")
        run(rosewood("align", source, target, "-o", links, "--threads", threads, "--quiet"))
        print(f"text: {CORPUS}")
        names = ("test.zh", *(f"test.en{number}" for number in range(4)))
        texts = [unpacked(name) for name in names]
    else:
        source, target, links = corpus(place, threads)
        texts = [(place / "book" / f"test.{language}").read_text() for language in ("de", "en")]
    lines, *references = [text.splitlines()[:count] for text in texts]
    models = Models.of(place, lines, references)
    models.learn(source, target, links, "--hierarchical")
    return models


def unpacked(name: str) -> str:
    """A file of the corpus, without the byte order marks that are in it."""
    packed = (DATA / CORPUS / f"{name}.gz").read_bytes()
    return gzip.decompress(packed).decode().replace("\ufeff", "")


def settings_of(pops: int) -> HieroSettings:
    """The limits that all decoders have, and so many pops."""
    return HieroSettings(pop_limit=pops, max_span=SPAN, option_limit=OPTIONS)


def decoder_of(models: Models, settings: HieroSettings) -> HieroDecoder:
    table, model = RuleTable.open(models.rules), Model.open(models.language_model)
    return HieroDecoder(table, model, weights=TUNED, settings=settings)


# -- decoders --------------------------------------------------------------------------------------


def ours(models: Models, pops: int, threads: int, repeat: int) -> Measured:
    work = (models.place, pops, threads)
    command = [sys.executable, "-m", "benchmarks.decode_hiero", *map(str, work)]
    return measured(f"rosewood, {pops} pops", command, threads, models, repeat)


def theirs(models: Models, threads: int, repeat: int) -> Iterator[tuple[str, int, Measured]]:
    """Every peer that is there, by its name and pops; scores are as ours."""
    filtered = models.place / "filtered"
    run(rosewood("rules", "filter", models.rules, models.source, "-o", filtered, "--quiet"))
    table = RuleTable.open(filtered)
    print(f"{len(table):,} rules of them can be used; peers have no others")
    folder = models.place / "peers"
    model = ChartModel.export(
        table, models.kenlm(), TUNED, folder, max_span=SPAN, option_limit=OPTIONS
    )
    if program("moses") is None:
        print("moses takes no part: it is neither in $MOSES/bin nor on the PATH")
    else:
        for pops in PEER_POPS:
            for number in sorted({1, threads}):
                found = measured(
                    f"moses, {pops} pops", model.moses(pops, number), number, models, repeat
                )
                yield "moses", pops, shifted(found, model.moses_offset)
    if cdec_program() is None:
        print("cdec takes no part: it is neither $CDEC nor on the PATH")
    else:
        for pops in PEER_POPS:
            command = model.cdec(models.sentences(), pops)
            found = measured(f"cdec, {pops} pops", command, 1, models, repeat, cdec_line)
            yield "cdec", pops, shifted(found, model.cdec_offset)


def shifted(found: Measured, offset: float) -> Measured:
    """With scores as ours."""
    scores = [score + offset for score in found.whole.scores]
    return found._replace(whole=found.whole._replace(scores=scores))


# -- comparisons -----------------------------------------------------------------------------------


def peers(models: Models, threads: int, repeat: int) -> str:
    """A table of all decoders, and a picture of those with one thread."""
    print(f"\n{HEAD}")
    own: list[tuple[int, Measured]] = []
    for number in sorted({1, threads}):
        for pops in POPS:
            own.append((pops, ours(models, pops, number, repeat)))
            print(own[-1][1].row(models.references))
    points = [("rosewood", pops, found) for pops, found in own]
    for name, pops, other in theirs(models, threads, repeat):
        print(other.row(models.references))
        beside([found for _, found in own], other)
        points.append((name, pops, other))
    return pops_chart([point for point in points if point[2].threads == 1])


def pops_chart(points: Sequence[tuple[str, int, Measured]]) -> str:
    milliseconds: dict[str, list[tuple[float, float]]] = {}
    scores: dict[str, list[tuple[float, float]]] = {}
    for name, pops, found in points:
        took = found.seconds * 1e3 / len(found.whole.texts)
        milliseconds.setdefault(name, []).append((pops, took))
        scores.setdefault(name, []).append((pops, found.score))
    panels = [Panel("ms a sentence", milliseconds, is_log=True), Panel("mean score", scores)]
    what = "pops of a span"
    return chart("Hierarchical search: cost of the beam", what, panels, is_log=True)


if __name__ == "__main__":  # one run of ours: see `ours`
    folder, pops, threads = sys.argv[1:]
    say(decoder_of(Models.at(folder), settings_of(int(pops))), int(threads))
