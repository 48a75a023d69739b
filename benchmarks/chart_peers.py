"""`moses` with a chart and cdec as peers: a grammar, a language model and weights in their files.

    model = ChartModel.export(table, "lm.arpa", weights, folder)
    model.moses_derivations(sentences, pops)       what `moses` found, as features of ours
    model.cdec_derivations(sentences, pops)
    timed(model.moses(pops, threads), source)      its output, seconds and memory
`moses` is the one in $MOSES/bin, `cdec` the one in $CDEC, or those on the PATH.  Nothing of theirs
is here.  Their values are not quite ours:

Moses   The rules S → <s>, S → S X and S → S </s> count as phrases, and the marks as words.  So the
        weight of its glue rule is that of `glue` less that of `phrase_penalty`.
cdec    Language models and WordPenalty have logarithms to base 10; the first part of a sentence is
        not counted as glue; penalties of rules and unknown words are features of its grammar.
"""

from __future__ import annotations

import gzip
import math
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from benchmarks.moses_decoder import program, read_values, timed
from rosewood.rules import RuleTable
from rosewood.rules.formats import export_grammar
from rosewood.rules.formats.moses import SCORES
from rosewood.rules.settings import GrammarFormat

LOG_OF_TEN = math.log(10)
PENALTY = "RulePenalty"  # of cdec
UNKNOWN_PENALTY = -100.0
# Of a real system: eight rounds of MIRA with tatoeba-zh-en, from our own grammar.
TUNED = {
    "lm": 0.1931, "word_penalty": -0.2737, "phrase_penalty": -0.1353, "unknown_penalty": 1.0,
    "glue": -0.0175, "phrase_fe": 0.0994, "lexical_fe": 0.0981, "phrase_ef": 0.1251,
    "lexical_ef": 0.0311,
}  # fmt: skip
_GLUE = (
    "<s> [X] ||| <s> [S] ||| 1 ||| |||\n"
    "[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 |||\n"
    f"[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| {math.e} ||| 0-0 1-1 |||\n"
)


class Derivation(NamedTuple):
    """A translation as a peer tells it, in our features."""

    words: tuple[str, ...]
    features: dict[str, float]  # Moses does not tell that of unknown words
    score: float


def cdec_program() -> str | None:
    """Where cdec is, if it is there."""
    return shutil.which(os.environ.get("CDEC", "cdec"))


@dataclass(frozen=True)
class ChartModel:
    """One model in the files of Moses and cdec, in a folder."""

    folder: Path
    table: RuleTable
    language_model: Path  # an ARPA file or a binary of KenLM
    weights: Mapping[str, float]
    max_span: int
    option_limit: int  # rules of a source; 0 is no limit

    @classmethod
    def export(
        cls,
        table: RuleTable,
        language_model: str | os.PathLike[str],
        weights: Mapping[str, float],
        folder: Path,
        *,
        max_span: int = 10,
        option_limit: int = 20,
    ) -> ChartModel:
        """Write the grammar of a table for Moses; it has the four scores of Moses."""
        folder.mkdir(parents=True, exist_ok=True)
        made = cls(folder, table, Path(language_model), weights, max_span, option_limit)
        made._write("moses.gz", "moses")
        (folder / "glue").write_text(_GLUE)
        return made

    def _write(self, name: str, format: GrammarFormat) -> None:
        """The grammar without its glue rules: decoders have their own."""
        whole, path = self.folder / f"whole.{name}", self.folder / name
        export_grammar(self.table, whole, format=format, features=SCORES, skip_unwritable=True)
        with (
            gzip.open(whole, "rt", encoding="utf-8") as lines,
            gzip.open(path, "wt", 1, encoding="utf-8") as kept,
        ):
            own = (line for line in lines if not line.partition(" |||")[0].endswith("[S]"))
            kept.writelines(own if format == "moses" else self._for_cdec(own))
        whole.unlink()

    def _for_cdec(self, lines: Iterable[str]) -> Iterator[str]:
        """With a feature that counts rules; the best of each source, for cdec has no such limit."""

        def score(line: str) -> float:
            target, features = line.split(" ||| ")[2:4]
            words = sum(not word.startswith("[") for word in target.split())
            told = (part.split("=") for part in features.split())
            own = sum(self.weights[name] * float(value) for name, value in told)
            return own - self.weights["word_penalty"] * words

        for _, rules in groupby(lines, key=lambda line: line.split(" ||| ")[1]):
            for line in nlargest(self.option_limit or sys.maxsize, rules, key=score):
                first, rest = line.split("=", 1)
                yield f"{first[: first.rindex(' ')]} {PENALTY}=1{first[first.rindex(' ') :]}={rest}"

    # -- Moses -------------------------------------------------------------------------------------

    def ini(self) -> Path:
        """The file moses.ini."""
        own = self.weights
        weights = {
            "UnknownWordPenalty0": [own["unknown_penalty"]], "WordPenalty0": [own["word_penalty"]],
            "PhrasePenalty0": [own["phrase_penalty"]], "LM0": [own["lm"]],
            "TM0": [own[name] for name in SCORES], "TM1": [own["glue"] - own["phrase_penalty"]],
        }  # fmt: skip
        factors = "input-factor=0 output-factor=0"
        lines = [
            "[input-factors]", "0", "[mapping]", "0 T 0", "1 T 1", "[inputtype]", "3",
            "[max-chart-span]", str(self.max_span), "1000", "[non-terminals]", "X",
            "[feature]", "UnknownWordPenalty", "WordPenalty", "PhrasePenalty",
            f"PhraseDictionaryMemory name=TM0 num-features={len(SCORES)} "
            f"path={self.folder}/moses.gz table-limit={self.option_limit} {factors}",
            f"PhraseDictionaryMemory name=TM1 num-features=1 path={self.folder}/glue {factors}",
            f"KENLM name=LM0 factor=0 path={self.language_model}",
            "[weight]", *(f"{name}= {' '.join(map(str, each))}" for name, each in weights.items()),
        ]  # fmt: skip
        path = self.folder / "moses.ini"
        path.write_text("\n".join(lines) + "\n")
        return path

    def moses(self, pops: int, threads: int = 1, *more: object) -> list[str]:
        """The command that writes scores and words of its input."""
        path = program("moses")
        assert path is not None
        asked = (
            "-search-algorithm", 3, "-cube-pruning-pop-limit", pops, "-threads", threads,
            "-output-hypo-score", "-v", 0, *more,
        )  # fmt: skip
        return [path, "-f", str(self.ini()), *map(str, asked)]

    def moses_derivations(self, sentences: Sequence[str], pops: int) -> list[Derivation]:
        """The best derivation of each sentence."""
        return self.read_moses(self.moses_lines(sentences, pops))

    def moses_lines(self, sentences: Sequence[str], pops: int) -> list[str]:
        """The n-best list of Moses with one line for each sentence."""
        with tempfile.TemporaryDirectory() as folder:
            source, best = _written(sentences, folder), Path(folder) / "best"
            timed(self.moses(pops, 1, "-n-best-list", best, 1), source)
            return best.read_text(encoding="utf-8").splitlines()

    def read_moses(self, lines: Sequence[str]) -> list[Derivation]:
        """Derivations of such a list."""
        columns = {
            "LM0": ["lm"], "WordPenalty0": ["word_penalty"], "PhrasePenalty0": ["phrase_penalty"],
            "TM0": SCORES, "TM1": ["glue"],
        }  # fmt: skip
        found = []
        for line in lines:
            _, text, values, score = line.split(" ||| ")[:4]
            features = read_values(values, columns)
            features["word_penalty"] += 2
            features["phrase_penalty"] -= features["glue"] + 2
            own = float(score) + self.moses_offset
            found.append(Derivation(tuple(text.split()), features, own))
        return found

    @property
    def moses_offset(self) -> float:
        """What our scores have more than those of Moses, which counts marks of sentences."""
        return 2 * (self.weights["word_penalty"] - self.weights["phrase_penalty"])

    # -- cdec --------------------------------------------------------------------------------------

    def cdec(self, sentences: Sequence[str], pops: int) -> list[str]:
        """The command that writes lists with the best derivation of each of these sentences."""
        path = cdec_program()
        assert path is not None
        self._write("cdec.gz", "cdec")
        words = sorted({word for line in sentences for word in line.split()})
        rules = [
            f"[X] ||| {word} ||| {word} ||| {PENALTY}=1 PassThrough=1\n"
            for word in words
            if not self.table.lookup(word)
        ]
        (self.folder / "unknown").write_text("".join(rules), encoding="utf-8")
        own = self.weights
        weights = {
            "LanguageModel": own["lm"] * LOG_OF_TEN,
            "WordPenalty": own["word_penalty"] * LOG_OF_TEN,
            "PassThrough": own["unknown_penalty"] * UNKNOWN_PENALTY,
            "Glue": own["glue"], PENALTY: own["phrase_penalty"],
            **{name: own[name] for name in SCORES},
        }  # fmt: skip
        lines = [f"{name} {weight}\n" for name, weight in weights.items()]
        (self.folder / "cdec.weights").write_text("".join(lines))
        lines = [
            "formalism=scfg", "quiet=true", "intersection_strategy=cube_pruning", "k_best=1",
            f"cubepruning_pop_limit={pops}", f"scfg_max_span_limit={self.max_span}",
            f"grammar={self.folder}/cdec.gz", f"grammar={self.folder}/unknown",
            f"weights={self.folder}/cdec.weights", "feature_function=WordPenalty",
            f"feature_function=KLanguageModel {self.language_model}",
        ]  # fmt: skip
        ini = self.folder / "cdec.ini"
        ini.write_text("\n".join(lines) + "\n")
        return [path, "-c", str(ini)]

    def cdec_derivations(self, sentences: Sequence[str], pops: int) -> list[Derivation]:
        """The best derivation of each sentence."""
        with tempfile.TemporaryDirectory() as folder:
            source, said = _written(sentences, folder), []

            def read(line: str) -> tuple[str, str]:
                said.append(line)
                return cdec_line(line)

            timed(self.cdec(sentences, pops), source, read)
            return [self._read_cdec(line) for line in said]

    def _read_cdec(self, line: str) -> Derivation:
        score, text = cdec_line(line)
        told = dict(part.split("=") for part in line.split(" ||| ")[2].split())
        values = {name: float(value) for name, value in told.items()}
        features = {name: values.get(name, 0.0) for name in SCORES}
        features |= {
            "lm": values["LanguageModel"] * LOG_OF_TEN,
            "word_penalty": values.get("WordPenalty", 0.0) * LOG_OF_TEN,
            "unknown_penalty": values.get("PassThrough", 0.0) * UNKNOWN_PENALTY,
            "glue": values.get("Glue", 0.0) + 1,
            "phrase_penalty": values.get(PENALTY, 0.0),
        }
        return Derivation(tuple(text.split()), features, float(score) + self.cdec_offset)

    @property
    def cdec_offset(self) -> float:
        """What our scores have more than those of cdec."""
        return self.weights["glue"]


def cdec_line(line: str) -> tuple[str, str]:
    """Score and words of a line of cdec's list."""
    _, text, _, score = line.split(" ||| ")
    return score, text


def _written(sentences: Sequence[str], folder: str) -> Path:
    path = Path(folder) / "source"
    path.write_text("".join(line + "\n" for line in sentences), encoding="utf-8")
    return path
