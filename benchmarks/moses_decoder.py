"""Moses's decoders as peers: a table, a language model and weights, as they want them.

    model = MosesModel.export(table, "lm.arpa", weights, folder)
    model.derivations(sentences, "-search-algorithm", 1)      what `moses` found, and how
    timed(model.command("moses", "compact", 2), source)       its output, seconds and memory
`moses` and `moses2` are those in $MOSES/bin or, without $MOSES, those on the PATH.  They have
three forms of tables: text, compact (for `moses`) and probing (for `moses2`), which their own
programs make.  Nothing of Moses is here.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rosewood.rules import RuleTable
from rosewood.rules.formats import export_moses
from rosewood.rules.settings import CLASSES, DIRECTIONS

KINDS = {"word": "wbe", "phrase": "phrase", "hierarchy": "hier"}
# Those of a real system: three rounds of Moses's kbmira on 400 sentences of multi30k-de-en's dev.
TUNED = {
    "lm": 0.0995, "word_penalty": -0.1325, "phrase_penalty": 0.1208, "unknown_penalty": 1.0,
    "distortion": 0.0627, "phrase_fe": 0.0437, "lexical_fe": 0.0402, "phrase_ef": 0.0761,
    "lexical_ef": 0.0254,
    "reorder_backward_monotone": 0.0842, "reorder_backward_swap": 0.0750,
    "reorder_backward_left": 0.0034, "reorder_backward_right": 0.0540,
    "reorder_backward_discontinuous": 0.0287,
    "reorder_forward_monotone": 0.0716, "reorder_forward_swap": 0.0291,
    "reorder_forward_left": 0.0268, "reorder_forward_right": 0.0550,
    "reorder_forward_discontinuous": 0.0409,
}  # fmt: skip
POLL = 0.02  # seconds
_PHRASE = re.compile(r"(.*?) ?\|(\d+)-(\d+)\| ?")


def program(name: str) -> str | None:
    """Where a program of Moses is, if it is there."""
    home = os.environ.get("MOSES")
    return shutil.which(str(Path(home) / "bin" / name) if home else name)


def tuned(classes: str) -> dict[str, float]:
    """Weights of a real system, for features of these orientations."""
    wanted = reorder_names(classes)
    return {
        name: weight
        for name, weight in TUNED.items()
        if not name.startswith("reorder_") or name in wanted
    }


def reorder_names(classes: str) -> list[str]:
    """In Moses's order."""
    return [f"reorder_{way}_{name}" for way in DIRECTIONS for name in CLASSES[classes]]


class Derivation(NamedTuple):
    """A translation as Moses tells it: its phrases, their values and their score."""

    phrases: tuple[tuple[int, int, tuple[str, ...]], ...]  # from, to (half open), target words
    features: dict[str, float]  # all but that of unknown words, which it does not tell
    score: float

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(word for _, _, target in self.phrases for word in target)


class Run(NamedTuple):
    """What a decoder wrote, in how many seconds, those of processors, and the most memory."""

    texts: list[str]
    scores: list[float]
    wall: float
    processor: float
    memory: int


@dataclass(frozen=True)
class MosesModel:
    """One model in Moses's files, in a folder."""

    folder: Path
    language_model: Path
    weights: Mapping[str, float]
    scores: tuple[str, ...]  # of the phrase table, in its order
    kind: str
    classes: str
    limits: Mapping[str, int]  # of distortion, and of options a span

    @classmethod
    def export(
        cls,
        table: RuleTable,
        language_model: str | os.PathLike[str],
        weights: Mapping[str, float],
        folder: Path,
        *,
        kind: str = "hierarchy",
        classes: str = "mslr",
        distortion_limit: int = 6,
        option_limit: int = 20,
    ) -> MosesModel:
        """Write the tables as text; the language model is an ARPA file or a binary of KenLM."""
        folder.mkdir(parents=True, exist_ok=True)
        made = export_moses(
            table, folder / "phrase-table.gz", reordering=folder / "reordering-table.gz"
        )
        for name in ("phrase-table.gz", "reordering-table.gz"):
            _sort(folder / name)
        limits = {"distortion": distortion_limit, "options": option_limit}
        return cls(folder, Path(language_model), weights, made.features, kind, classes, limits)

    # -- forms of tables ---------------------------------------------------------------------------

    def has_form(self, form: str) -> bool:
        """Whether the tables are there in a form, made now if they can be."""
        if form == "text":
            return True
        made = self.folder / form
        wanted = {
            "compact": ("processPhraseTableMin", "processLexicalTableMin"),
            "probing": ("processLexicalTableMin", "addLexROtoPT", "CreateProbingPT"),
        }[form]
        found = [path for name in wanted if (path := program(name))]
        if not made.exists() and len(found) == len(wanted):
            with tempfile.TemporaryDirectory(dir=self.folder) as aside:
                work = Path(aside) / form
                work.mkdir()
                (self._make_compact if form == "compact" else self._make_probing)(work, *found)
                work.rename(made)
        return made.exists()

    def _make_compact(self, to: Path, phrases: str, orientations: str) -> None:
        pairs = self.folder / "phrase-table.gz"
        quietly(phrases, "-in", pairs, "-out", to / "phrase-table", "-nscores", len(self.scores))
        self._compact_orientations(to, orientations)

    def _compact_orientations(self, to: Path, orientations: str) -> None:
        table = self.folder / "reordering-table.gz"
        quietly(orientations, "-in", table, "-out", to / "reordering-table", "-T", to)

    def _make_probing(self, to: Path, orientations: str, add: str, create: str) -> None:
        """As Moses's own script does it, but for the pruning."""
        self._compact_orientations(to, orientations)
        pairs, compact = self.folder / "phrase-table.gz", to / "reordering-table.minlexr"
        added = subprocess.run([add, pairs, compact], capture_output=True, check=True).stdout
        together = to / "both.gz"
        together.write_bytes(gzip.compress(added, 1))
        quietly(
            create, "--num-scores", len(self.scores), "--log-prob", "--num-lex-scores",
            len(reorder_names(self.classes)), "--input-pt", together, "--output-dir", to,
        )  # fmt: skip
        together.unlink()
        compact.unlink()

    def ini(self, form: str) -> Path:
        """The file moses.ini for a form of the tables."""
        pairs, orientations = {
            "text": ("PhraseDictionaryMemory path=phrase-table.gz", "path=reordering-table.gz"),
            "compact": (
                "PhraseDictionaryCompact path=compact/phrase-table",
                "path=compact/reordering-table",
            ),
            "probing": ("ProbingPT path=probing", "property-index=0"),
        }[form]
        names = reorder_names(self.classes)
        factors = "input-factor=0 output-factor=0"
        orientation_type = f"{KINDS[self.kind]}-{self.classes}-bidirectional-fe-allff"
        weights = {
            "UnknownWordPenalty0": ["unknown_penalty"], "WordPenalty0": ["word_penalty"],
            "PhrasePenalty0": ["phrase_penalty"], "Distortion0": ["distortion"], "LM0": ["lm"],
            "TM0": self.scores, "Reordering0": names,
        }  # fmt: skip
        lines = [
            "[input-factors]", "0", "[mapping]", "0 T 0",
            "[distortion-limit]", str(self.limits["distortion"]),
            "[feature]", "UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion",
            f"{pairs.replace('=', f'={self.folder}/')} name=TM0 num-features={len(self.scores)} "
            f"table-limit={self.limits['options']} {factors}",
            f"LexicalReordering name=Reordering0 num-features={len(names)} "
            f"type={orientation_type} {orientations.replace('path=', f'path={self.folder}/')} "
            f"{factors}",
            f"KENLM name=LM0 factor=0 path={self.language_model}",
            "[weight]",
            *(
                f"{name}= {' '.join(str(self.weights[each]) for each in several)}"
                for name, several in weights.items()
            ),
        ]  # fmt: skip
        path = self.folder / f"{form}.ini"
        path.write_text("\n".join(lines) + "\n")
        return path

    # -- decoding ----------------------------------------------------------------------------------

    def command(self, name: str, form: str, threads: int, *more: object) -> list[str]:
        """`moses` or `moses2` that writes scores and words of its input."""
        path = program(name)
        assert path is not None
        asked = ("-threads", threads, "-output-hypo-score", "-v", 0, *more)
        return [path, "-f", str(self.ini(form)), *map(str, asked)]

    def derivations(self, sentences: Sequence[str], *more: object) -> list[Derivation]:
        """The best derivation of each sentence by `moses`, with text tables."""
        with tempfile.TemporaryDirectory() as folder:
            source, best = Path(folder) / "source", Path(folder) / "best"
            source.write_text("".join(line + "\n" for line in sentences), encoding="utf-8")
            timed(self.command("moses", "text", 1, "-t", "-n-best-list", best, 1, *more), source)
            return self.read(best.read_text(encoding="utf-8").splitlines())

    def read(self, lines: Sequence[str]) -> list[Derivation]:
        """Derivations of a list with the best of each sentence, written with segmentation."""
        columns = {
            "LM0": ["lm"], "Distortion0": ["distortion"], "WordPenalty0": ["word_penalty"],
            "PhrasePenalty0": ["phrase_penalty"], "TM0": self.scores,
            "Reordering0": reorder_names(self.classes),
        }  # fmt: skip
        found = []
        for line in lines:
            _, text, values, score = line.split(" ||| ")
            phrases = tuple(
                (int(begin), int(last) + 1, tuple(words.split()))
                for words, begin, last in _PHRASE.findall(text)
            )
            found.append(Derivation(phrases, read_values(values, columns), float(score)))
        return found


def read_values(text: str, columns: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Values of features as n-best lists of Moses have them, under these names."""
    return {
        feature: float(value)
        for name, numbers in re.findall(r"(\S+)= ((?:[-+.\de]+ ?)+)", text)
        for feature, value in zip(columns[name], numbers.split(), strict=True)
    }


def score_and_words(line: str) -> tuple[str, str]:
    score, _, text = line.strip().partition(" ")
    return score, text


def timed(
    command: Sequence[str],
    source: Path,
    read: Callable[[str], tuple[str, str]] = score_and_words,
) -> Run:
    """A decoder on a file; `read` finds score and words in each line of its output."""
    begin = time.perf_counter()
    with source.open("rb") as given, tempfile.TemporaryFile("w+", encoding="utf-8") as told:
        process = subprocess.Popen(command, stdin=given, stdout=told, stderr=subprocess.DEVNULL)
        peak: list[int] = [0]
        watcher = threading.Thread(target=_watch, args=(process.pid, peak))
        watcher.start()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - begin
        watcher.join()
        told.seek(0)
        lines = [read(line) for line in told.read().splitlines()]
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {process.returncode}")
    processor = used.ru_utime + used.ru_stime
    texts, scores = [text for _, text in lines], [float(score) for score, _ in lines]
    return Run(texts, scores, wall, processor, peak[0])


def _watch(process: int, peak: list[int]) -> None:
    """The most memory of a process until it ends; that of wait4 has the parent's in it."""
    while True:
        try:
            told = Path(f"/proc/{process}/status").read_text()
        except OSError:
            return
        if (most := re.search(r"^VmHWM:\s+(\d+) kB", told, re.M)) is None:
            return  # it has ended
        peak[0] = max(peak[0], int(most[1]) * 1024)
        time.sleep(POLL)


def _sort(path: Path) -> None:
    """Lines by their bytes, as programs that make other forms want them."""
    lines = sorted(gzip.decompress(path.read_bytes()).splitlines(keepends=True))
    path.write_bytes(gzip.compress(b"".join(lines), 1))


def quietly(*command: object) -> None:
    """Run a program whose talk nobody wants."""
    subprocess.run([str(part) for part in command], check=True, capture_output=True)
