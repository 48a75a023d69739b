"""Options that `rosewood decode`, `translate` and `inspect` share: limits, texts, outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rosewood.cli.options import FILES, merged

__all__ = [
    "OUTPUT",
    "SEARCH",
    "TEXT",
    "AlignmentFile",
    "ConsensusName",
    "ConsensusSettings",
    "Distinct",
    "Explain",
    "ForestsFile",
    "GlossaryFile",
    "Inline",
    "LeaveBadLine",
    "ModelFolder",
    "Nbest",
    "OutputFile",
    "Picture",
    "Reference",
    "limit",
    "search_name",
]

SEARCH, TEXT = "Search", "What is known of the text"  # panels of --help
OUTPUT, _CHOICE = "What is written", "Consensus"

_LIMITS = {
    "pop_limit": ("400", "Hypotheses made for each number of words."),
    "stack_size": ("200", "Hypotheses kept for each number of words."),
    "beam": ("none", "Hypotheses worse than the best by more are not kept."),
    "distortion_limit": ("6", "Words that a jump skips."),
    "option_limit": ("50", "Translations of a span."),
    "max_phrase": ("none", "Source words of a phrase."),
    "max_pops": (
        "none",
        "Hypotheses of a whole sentence: a long one is searched less thoroughly, and told of.",
    ),
    "time_limit": (
        "none",
        "Seconds for a sentence. Results then depend on the machine; which do is told.",
    ),
}  # of SearchSettings: what there is without them, and what they say


def limit(name: str, default: str | None = None) -> Any:
    """An option of the search: a number, or `none`."""
    usual, what = _LIMITS[name]
    return typer.Option(
        f"--{name.replace('_', '-')}",
        metavar="N|none",
        show_default=default or usual,
        rich_help_panel=SEARCH,
        help=what,
    )


def search_name(default: str = "cube") -> Any:
    """How the search goes about it."""
    return typer.Option(
        "--search",
        metavar="cube|full",
        show_default=default,
        rich_help_panel=SEARCH,
        help="cube looks at the hypotheses that promise most, full at all.",
    )


ModelFolder = Annotated[
    Path, typer.Argument(metavar="MODEL", help="The folder of a model: from rosewood train.")
]
GlossaryFile = Annotated[
    Path | None,
    typer.Option(
        "--glossary",
        metavar="FILE",
        rich_help_panel=TEXT,
        help="Lines of source phrase, tab, target phrase: what words must become. Lines of one "
        "source are alternatives; with a third column, soft, they are added to the table's.",
    ),
]
Inline = Annotated[
    bool,
    typer.Option(
        "--inline",
        rich_help_panel=TEXT,
        help='The input itself says what words must become: <x translation="the house||the '
        'home">das haus</x>; '
        "< > & of the text are written &lt; &gt; &amp;.",
    ),
]
Reference = Annotated[
    Path | None,
    typer.Option(
        "--reference",
        metavar="FILE",
        rich_help_panel=TEXT,
        help="Search only for what says just this, a line for each of the input.",
    ),
]
ConsensusName = Annotated[
    str | None,
    typer.Option(
        "--consensus",
        metavar="NAME",
        rich_help_panel=_CHOICE,
        help="Choose by agreement with all translations instead of by score: mbr (over the k "
        "best), forest-mbr (linear BLEU over all) or variational (an n-gram model of all).",
    ),
]
ConsensusSettings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        callback=merged,
        rich_help_panel=_CHOICE,
        help="Settings of --consensus: scale and margin; of mbr k and metric; of forest-mbr "
        "order, precision, ratio and posterior (exact or expected); of variational order or "
        "mixture (1:0.5,2:0.5: orders and their weights), and viterbi.",
    ),
]
OutputFile = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        rich_help_panel=FILES,
        help="Where translations go, compressed as the ending says; - is standard output.",
    ),
]
AlignmentFile = Annotated[
    Path | None,
    typer.Option(
        "--alignment",
        metavar="FILE",
        rich_help_panel=FILES,
        help="Which word became which, a line of i-j for each sentence.",
    ),
]
ForestsFile = Annotated[
    Path | None,
    typer.Option(
        "--forests",
        metavar="FILE.rwf",
        rich_help_panel=FILES,
        help="All that the search found, for rosewood forest and for learners.",
    ),
]
Nbest = Annotated[
    int | None,
    typer.Option(
        "--nbest",
        min=1,
        metavar="N",
        rich_help_panel=OUTPUT,
        help="The N best, a line each: number ||| words ||| name=value … ||| score; what tune "
        "reads. ||| among words becomes &#124;&#124;&#124;.",
    ),
]
Distinct = Annotated[
    bool,
    typer.Option("--distinct", rich_help_panel=OUTPUT, help="With --nbest: no two say the same."),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain",
        rich_help_panel=OUTPUT,
        help="What each feature says of each phrase: a table on standard error, or in --json.",
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        metavar="FILE",
        rich_help_panel=FILES,
        help="Pictures of the phrases, and in a page what each feature says of them: .svg for "
        "one sentence, or .html for many.",
    ),
]
LeaveBadLine = Annotated[
    str,
    typer.Option(
        "--on-bad-line",
        metavar="stop|skip",
        help="Stop at a line that cannot be read, or leave it blank and tell of it.",
    ),
]
