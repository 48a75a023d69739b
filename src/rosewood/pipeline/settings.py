"""What decides a model, but for its corpora: one field a flag of `rosewood train`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from rosewood.align.models import make_model
from rosewood.align.symmetrize import SYMMETRIZATIONS
from rosewood.corpus import Filters, TextProcessor, make_tokeniser
from rosewood.decode.decoder import decoder_kinds
from rosewood.decode.features import SparseFeature
from rosewood.decode.registry import declared_features
from rosewood.decode.settings import SearchSettings
from rosewood.errors import TrainingError
from rosewood.learn import Learner, make_learner
from rosewood.lm.smoothing import Smoothing
from rosewood.metrics import Metric, parse_metric
from rosewood.model.python_features import FeatureRecord, make_feature
from rosewood.rules.settings import ExtractionSettings

__all__ = ["TrainingSettings"]

_SEEDS = 2**32


@dataclass(frozen=True)
class TrainingSettings:
    """How a model is trained.  None is no limit, and of `dev_size` that the corpus decides."""

    # text
    pretokenized: bool = False  # words stand between spaces, as they are
    tokeniser: str = "unicode"
    lowercase: bool = False  # instead of writing words as they are cased mostly
    min_words: int = 1
    max_words: int | None = 100  # of a sentence that is trained on
    max_ratio: float | None = 9.0  # of the longer side to the shorter
    deduplicate: bool = False
    dev_size: int | None = None  # pairs that are split off where no development set is given
    # models
    aligner: str = "best"
    symmetrization: str = "grow-diag-final-and"
    lm_order: int = 5
    max_phrase: int = 7
    smoothing: str = "kneser-ney"  # of the probabilities of rules
    significance: str | float | None = None
    orientation: str | None = "hierarchy"
    classes: str = "mslr"
    decoder: str = "phrase"
    features: tuple[str, ...] = ()  # written in Python: package.module:Name, then settings as JSON
    # tuning
    tune: str = "mira"  # or none
    set: dict[str, Any] = field(default_factory=dict)  # settings of the learner
    metric: str = "bleu:tokenize=none"  # of words, while weights are tuned
    rounds: int = 6
    nbest: int = 100  # translations of a sentence in each round
    # search
    pop_limit: int | None = 400
    distortion_limit: int | Literal["auto"] | None = "auto"  # by the jumps of the alignment
    option_limit: int | None = 50
    unknown: str = "guess"  # words without rules: by their parts and forms, copy, or drop
    # the rest
    seed: int = 1
    keep_corpus: bool = True  # in the model, so that it can tell where its rules are from

    def __post_init__(self) -> None:
        for name in ("pretokenized", "lowercase", "deduplicate", "keep_corpus"):
            if not isinstance(getattr(self, name), bool):
                raise TrainingError(f"{name} is {getattr(self, name)!r}, want True or False")
        for name, least, most in (
            ("dev_size", 0, 2**40), ("rounds", 1, 10**6), ("nbest", 2, 10**6), ("seed", 0, _SEEDS),
        ):  # fmt: skip
            value = getattr(self, name)
            if value is None and name == "dev_size":
                continue
            if type(value) is not int or not least <= value < most:
                raise TrainingError(f"{name} is {value!r}, want a whole number from {least} on")
        if not isinstance(self.set, dict) or not all(isinstance(name, str) for name in self.set):
            raise TrainingError(f"set is {self.set!r}, want settings of the learner by their names")
        object.__setattr__(self, "set", dict(self.set))
        is_list = isinstance(self.features, list | tuple)
        if not is_list or not all(isinstance(each, str) for each in self.features):
            raise TrainingError(
                f"features are {self.features!r}, expected a list of package.module:Name"
            )
        object.__setattr__(self, "features", tuple(self.features))
        if self.decoder not in decoder_kinds():
            known = ", ".join(decoder_kinds())
            raise TrainingError(f"decoder is {self.decoder!r}, expected one of {known}")
        if self.unknown not in ("guess", "copy", "drop"):
            raise TrainingError(f"unknown is {self.unknown!r}, want guess, copy or drop")
        if self.pretokenized and self.lowercase:
            raise TrainingError(
                "words that are there already are not changed: lowercase them before"
            )
        if self.symmetrization not in SYMMETRIZATIONS:
            told = ", ".join(SYMMETRIZATIONS)
            raise TrainingError(f"symmetrization is {self.symmetrization!r}, want one of {told}")
        # Whatever would be refused hours later is refused now.
        try:
            self.filters()
            make_model(self.aligner)
            Smoothing(order=self.lm_order)
            ExtractionSettings(**self.extraction())
            self.search(None if self.distortion_limit == "auto" else self.distortion_limit)
            self.learner()
            self.tuning_metric()
            self.feature_records()
            self._check_feature_names()
            if not self.pretokenized:
                self.processor(None)
        except TypeError as error:
            raise TrainingError(str(error)) from error

    def _check_feature_names(self) -> None:
        taken = {each.name for each in declared_features() if not each.is_sparse}
        for each in self.python_features():
            for name in (each.template,) if isinstance(each, SparseFeature) else each.names:
                if name in taken:
                    raise TrainingError(
                        f"two features are called {name!r}: rename or remove one of them"
                    )
                taken.add(name)

    def filters(self) -> Filters:
        """Which pairs are trained on, by their words."""
        return Filters(self.min_words, self.max_words, self.max_ratio)

    @property
    def truecase(self) -> bool:
        """Whether words get the case that they have mostly."""
        return not (self.pretokenized or self.lowercase or self.tokeniser == "char")

    def processor(self, language: str | None) -> TextProcessor:
        """How raw text is made into words, before casing is learnt."""
        known = {} if language is None else {"language": language}
        tokeniser = make_tokeniser(self.tokeniser, **known)
        return TextProcessor(tokeniser, lowercase=self.lowercase)

    def extraction(self) -> dict[str, Any]:
        """Settings of rules."""
        names = ("max_phrase", "smoothing", "significance", "orientation", "classes")
        return {name: getattr(self, name) for name in names}

    def search(self, distortion_limit: int | None) -> SearchSettings:
        """Limits of the decoder, while it is tuned and afterwards."""
        return SearchSettings(
            pop_limit=self.pop_limit,
            distortion_limit=distortion_limit,
            option_limit=self.option_limit,
        )

    def learner(self) -> Learner | None:
        """Who finds the weights; nobody if they stay what they are."""
        if self.tune == "none":
            if self.set:
                raise TrainingError("there are settings of a learner, but tune is none")
            return None
        return make_learner(self.tune, self.set)

    def tuning_metric(self) -> Metric:
        """What weights are tuned for."""
        return parse_metric(self.metric)

    def python_features(self) -> tuple[Any, ...]:
        """New objects of the features written in Python."""
        return tuple(make_feature(each)[0] for each in self.features)

    def feature_records(self) -> tuple[FeatureRecord, ...]:
        """What a model keeps of them: import paths, packages, versions, settings."""
        return tuple(make_feature(each)[1] for each in self.features)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "features": list(self.features)}

    @classmethod
    def of(cls, values: dict[str, Any]) -> TrainingSettings:
        """By their names; one that does not exist is refused with those that do."""
        known = [each.name for each in fields(cls)]
        for name in values:
            if name not in known:
                raise TrainingError(f"there is no setting {name!r}; there are {', '.join(known)}")
        return cls(**values)
