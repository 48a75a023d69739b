"""Reordering models: train them from events, look into them, classify events."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rosewood.cli.aligned_corpora import read_aligned
from rosewood.cli.common import bad_value, conflict, lines_to, needs, print_row, print_table, warn
from rosewood.cli.groups import VerbGroup
from rosewood.cli.memory_options import Work
from rosewood.cli.options import FILES, check_files, check_folder
from rosewood.cli.run_options import Json, JsonObject, ThreadedRun
from rosewood.corpus.settings import CorpusSettings
from rosewood.errors import ReorderingError
from rosewood.reorder.plugins import REORDERING
from rosewood.reorder.settings import ReorderingSettings
from rosewood.rules.settings import Direction, EventSettings
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_types import PathName

if TYPE_CHECKING:
    from rosewood.corpus import WordClasses
    from rosewood.reorder import LinearReordering
    from rosewood.reorder.events import Events

app = VerbGroup(
    "Reordering models: train them on the orientations of phrase pairs, inspect them, classify "
    "events."
)
ModelFolder = Annotated[Path, typer.Argument(metavar="MODEL", help="A model of reorder train.")]


def _trained() -> tuple[str, ...]:
    return tuple(name for name in REORDERING.names() if name != "lexicalized")


@dataclass(frozen=True, kw_only=True)
class TrainOptions(Settings):
    """What is read and written, and which model is trained."""

    error = ReorderingError
    group = FILES

    output: PathName = setting(help="The model.", short="o", metavar="FOLDER")
    alignment: PathName | None = setting(
        None, "Links of the corpus in Pharaoh format.", short="a", types_none=False
    )
    events: tuple[PathName, ...] = setting(
        (),
        "Events as text, as rosewood rules events writes them, instead of a corpus; --classes must "
        "be the same there and here. Repeatable.",
    )
    direction: Direction = setting_of(
        EventSettings, "direction", more="Only with --events; a corpus has both."
    )
    method: str = setting("maxent", "Kind of model.", choices=_trained, group="Model")
    set: dict[str, Any] = setting(
        {},
        "Setting of the classifier, such as sigma2=0.1. Of maxent: sigma2, passes, shrink, "
        "tolerance, step, trials, start, shards, seed; of maxent-primal: sigma2, passes, rate, "
        "sample, seed; of bayes and bayes-full: alpha. Repeatable.",
        metavar="NAME=VALUE",
        group="Model",
    )
    source_classes: PathName | None = setting(
        None, "Word classes of the source, from rosewood cluster.", types_none=False
    )
    target_classes: PathName | None = setting(None, "Word classes of the target.", types_none=False)


@app.command()
def train(
    options: TrainOptions,
    settings: ReorderingSettings,
    reading: CorpusSettings,
    run: ThreadedRun,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="CORPUS", help="A corpus as of rosewood align; or --events."),
    ] = None,
    work: Work = None,
    json: JsonObject = False,
) -> None:
    """Train a reordering model on the orientations of phrase pairs, and write it to a folder.

    rosewood reorder train train.de train.en -a train.pharaoh -o maxent --method maxent

    rosewood rules events train.de train.en -a train.pharaoh --classes mslr -o events.gz

    rosewood reorder train --events events.gz -o bayes --method bayes
    """
    from rosewood.output import check_apart
    from rosewood.progress import progress_of_parts
    from rosewood.reorder.linear import MANIFEST

    inputs = [*(sources or []), *options.events, options.alignment, run.config,
              options.source_classes, options.target_classes]  # fmt: skip
    check_files({}, inputs)
    check_folder("-o", options.output, MANIFEST, [*inputs, work])
    output = Path(options.output)
    if work is None:
        work = output.with_name(f"{output.name}.work")
    check_apart(work, [path for path in (*inputs, output) if path and str(path) != "-"])
    kind: Any = REORDERING[options.method]
    kind.settings(options.set)  # bad settings are refused before anything is read
    classes = _classes(options)
    if settings.symbols != "words" and classes is None:
        what = f"--feature-symbols {settings.symbols}"
        raise needs(ReorderingError, what, "--source-classes and --target-classes")
    events = _events(sources or [], options, settings, reading, quiet=run.quiet)
    try:
        with progress_of_parts(quiet=run.quiet) as told:
            model = kind.train(
                events, settings, set=options.set, classes=classes, threads=run.cores, told=told,
                work=work,
            )  # fmt: skip
    except KeyboardInterrupt:
        if work.exists():
            warn(f"{work}: the same command resumes from there")
        raise
    model.save(output)
    _tell(model, json)


def _classes(options: TrainOptions) -> tuple[WordClasses, WordClasses] | None:
    source, target = options.source_classes, options.target_classes
    if source is None and target is None:
        return None
    if source is None or target is None:
        raise needs(ReorderingError, "--source-classes", "--target-classes")
    from rosewood.corpus import WordClasses

    return WordClasses.load(source), WordClasses.load(target)


def _events(
    sources: list[str], options: TrainOptions, settings: ReorderingSettings,
    reading: CorpusSettings, *, quiet: bool,
) -> Events:  # fmt: skip
    from rosewood.reorder import CorpusEvents, TextEvents

    if options.events:
        if sources or options.alignment:
            raise conflict(
                ReorderingError, "--events", "CORPUS", "events are read from one of them"
            )
        if "-" in map(str, options.events):
            raise bad_value(ReorderingError, "--events", "-", "a file: events are read twice")
        return TextEvents(
            options.events, kind=settings.kind, classes=settings.classes,
            direction=options.direction,
        )  # fmt: skip
    if not sources:
        raise typer.BadParameter("a corpus or --events is missing", param_hint="CORPUS")
    if options.alignment is None:
        raise needs(ReorderingError, "CORPUS", "--alignment")
    corpus, links = read_aligned(sources, options.alignment, reading, quiet=quiet)
    return CorpusEvents(
        corpus, links, kind=settings.kind, classes=settings.classes, directions=settings.directions,
        max_phrase=settings.max_phrase,
    )  # fmt: skip


@app.command()
def info(
    model: ModelFolder,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="Features shown.")] = 10,
    json: JsonObject = False,
) -> None:
    """What a model is, how it was trained, and its strongest features.

    rosewood reorder info maxent
    """
    from rosewood.reorder import LinearReordering

    opened = LinearReordering.open(model)
    _tell(opened, json, limit)


@app.command()
def verify(model: ModelFolder, json: Json = False) -> None:
    """Check every byte of a model.

    rosewood reorder verify maxent
    """
    from rosewood.reorder import LinearReordering

    opened = LinearReordering.open(model)
    opened.verify()
    if json:
        found = {"model": str(model), "features": len(opened), "bytes": opened.size, "ok": True}
        print_row(found, as_json=True)
    else:
        print(f"{model}: {len(opened):,} features, {opened.size:,} bytes, all as they were written")


@dataclass(frozen=True, kw_only=True)
class ClassifyOptions(Settings):
    """What is read and written."""

    error = ReorderingError

    direction: Direction = setting_of(EventSettings, "direction")
    output: PathName = setting(
        "-", "Output file, .gz .xz .zst too.", short="o", default_text="stdout"
    )


@app.command()
def classify(
    model: ModelFolder,
    events: Annotated[
        list[str], typer.Argument(metavar="EVENTS", help="Files of events; - is standard input.")
    ],
    options: ClassifyOptions,
    run: ThreadedRun,
    json: Json = False,
) -> None:
    """The probability of each class for events, a line each; the error at the end.

    rosewood rules events dev.de dev.en -a dev.pharaoh --classes mslr -o dev.events

    rosewood reorder classify maxent dev.events
    """
    import numpy as np

    from rosewood.reorder import LinearReordering, TextEvents
    from rosewood.rules.settings import EVENT_CLASSES

    check_files({"-o": options.output}, [*events, run.config])
    opened = LinearReordering.open(model)
    names = EVENT_CLASSES[opened.classes]
    if options.direction not in opened.directions:
        listed = ", ".join(opened.directions)
        raise bad_value(ReorderingError, "--direction", options.direction, listed)
    first = opened.directions.index(options.direction) * len(names)
    read = TextEvents(events, classes=opened.classes, direction=options.direction)
    if not run.quiet and int(opened.features.window) > read.widest:
        warn(f"the model looks at {opened.features.window} words on each side: events have 1")
    wrong = seen = 0
    with lines_to(options.output) as write:
        for rows, labels in opened.classify(read, run.cores):
            own = rows[:, first : first + len(names)]
            label = labels[options.direction]
            found = own.argmax(axis=1)
            wrong += int((found != label).sum())
            seen += len(label)
            for row, best, true in zip(np.exp(own).tolist(), found, label, strict=True):
                if json:
                    chances = dict(zip(names, row, strict=True))
                    print_row(
                        {"class": names[best], "true": names[true], "probabilities": chances},
                        as_json=True,
                    )  # fmt: skip
                else:
                    write(f"{names[best]} {' '.join(f'{chance:.6f}' for chance in row)}")
    if not seen:
        warn("there are no events to classify")
    elif not run.quiet:
        warn(f"{wrong:,} of {seen:,} events are of another class ({wrong / seen:.2%})")


def _tell(model: LinearReordering, as_json: bool, limit: int = 0) -> None:
    facts = model.facts["facts"]
    told = {
        "model": model.name,
        "kind": model.kind,
        "classes": model.classes,
        "directions": list(model.directions),
        "features": len(model),
        "features_seen": facts.get("features_seen"),
        "bytes": model.size,
        "settings": facts.get("settings", {}),
        "training": facts.get("directions", {}),
    }
    strongest = model.strongest(limit) if limit else []
    if as_json:
        shown = [{"feature": each.feature, "weights": each.weights} for each in strongest]
        print_row({**told, "strongest": shown}, as_json=True)
        return
    names = ("model", "kind", "classes", "directions", "features", "features_seen", "bytes")
    rows = [[name, _shown(told[name])] for name in names]
    for way, own in told["training"].items():
        for name in ("examples", "error", "objective", "gap", "passes"):
            if own.get(name) is not None:
                rows.append([f"{way} {name}", _shown(own[name])])
        if own.get("ran_out_of_passes"):
            rows.append([f"{way} converged", "no: allow more passes (--set passes=N)"])
    print_table(rows)
    if strongest:
        print("\nstrongest features")
        columns = list(strongest[0].weights)
        print_table([["", *columns]] + [
            [each.feature, *(f"{each.weights[name]:+.3f}" for name in columns)]
            for each in strongest
        ])  # fmt: skip


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:,.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


PLUGIN = app
