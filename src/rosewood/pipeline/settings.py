"""Everything that decides a model besides its files (`file_settings.py`): `TrainingSettings`.

Options of `rosewood train`, keywords of `Translator.train` and the documents are made from these
fields.  This module imports only registries and settings of other rooms; checks import more when
they run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from rosewood.arguments import check_choice
from rosewood.corpus.clusters_settings import ClusterSettings
from rosewood.corpus.text.tokenisers import TOKENISERS
from rosewood.decode.plugins import DECODERS, FEATURES
from rosewood.decode.settings import SearchSettings
from rosewood.errors import RosewoodError, TrainingError
from rosewood.learn.registry import learner_names
from rosewood.metrics.registry import metric_names
from rosewood.reorder.plugins import REORDERING
from rosewood.reorder.settings import ReorderingSettings
from rosewood.rules.settings import Classes, ExtractionSettings, Kind, SmoothingName
from rosewood.settings import Settings, setting, setting_names, setting_of
from rosewood.shared_settings import SharedSettings

if TYPE_CHECKING:
    from rosewood.corpus import Filters, TextProcessor
    from rosewood.learn import BoostSettings, Learner
    from rosewood.learn.second_stage import SecondStageSettings
    from rosewood.metrics import Metric
    from rosewood.model.python_features import FeatureRecord

_corpus, _text = partial(setting, group="Corpus"), partial(setting, group="Text")
_models, _tuning = partial(setting, group="Models"), partial(setting, group="Tuning")
_rules = partial(setting_of, ExtractionSettings, group="Models")

_tokenisers = TOKENISERS.names
_decoders, _features = DECODERS.names, FEATURES.names


BEST_REORDERING = ("maxent", "lexicalized")  # decision 0017 says why
_RULE_IDS = "rule-ids"


def _classifier_names(name: str) -> list[str]:
    """Settings of the classifier of a trained reordering model; threads are those of training."""
    from rosewood.reorder.trained_kind import TrainedKind

    kind = REORDERING[name]
    names = kind.setting_names() if isinstance(kind, TrainedKind) else []
    return [each for each in names if each != "threads"]


def _forest_learners() -> list[str]:
    """Tuning algorithms that learn from forests."""
    from rosewood.learn.registry import LEARNERS

    return [name for name, kind in LEARNERS.working() if kind.takes_forests]


def unlabelled_learners() -> list[str]:
    """Tuning algorithms that learn from sentences without references."""
    from rosewood.learn.registry import LEARNERS

    return [name for name, kind in LEARNERS.working() if kind.takes_unlabelled]


def _tuners() -> tuple[str, ...]:
    return (*learner_names(), "none")


@dataclass(frozen=True)
class TrainingSettings(Settings):
    """How a model is trained; None is no limit."""

    error = TrainingError

    pretokenized: bool = _text(
        False, "Treat all text as words between spaces and do not change it."
    )
    tokeniser: str = _text("unicode", "Tokeniser.", choices=_tokenisers)
    lowercase: bool = _text(False, "Lowercase all text instead of truecasing it.")
    min_words: int = _text(1, "Minimum sentence length in words.", low=0)
    max_words: int | None = _text(100, "Maximum sentence length in words.", low=1)
    max_ratio: float | None = _text(9.0, "Drop sentence pairs whose length ratio exceeds N.", low=1)
    deduplicate: bool = _text(False, "Train on each distinct sentence pair once.")
    dev_size: int | None = _corpus(
        None,
        "Sentence pairs held out for tuning if no development set is given; 0 disables tuning.",
        low=0,
        high=2**40 - 1,
        default_text="a tenth, up to 1000",
    )
    memory: Literal["auto", "on", "off"] = _corpus(
        "auto",
        "Translation memory: keep the sentence pairs of the corpus in the model, so that translate "
        "returns sentences that it has as they are. auto keeps those of TMX, PO and XLIFF files, "
        "on all.",
    )
    aligner: Literal["model1", "diag", "hmm", "best"] = _models("best", "Word alignment model.")
    symmetrization: Literal[
        "intersection", "union", "grow-diag", "grow-diag-final", "grow-diag-final-and"
    ] = _models("grow-diag-final-and", "Method that merges the alignments of both directions.")
    lm_order: int = _models(5, "Order of the n-gram language model.", low=1)
    max_phrase: int = _rules("max_phrase")
    max_span: int = _rules("max_span", 15, "The decoder lets no rule span more words, either.")
    smoothing: SmoothingName = _rules("smoothing", "kneser-ney")
    significance: float | Literal["a+e", "a-e"] | None = _rules("significance")
    orientation: Kind | None = _rules("orientation")
    classes: Classes = _rules("classes")
    reordering: tuple[str, ...] = _models(
        ("auto",),
        "Reordering model of phrases; auto is maxent and lexicalized from 10,000 sentence pairs "
        "on, lexicalized below; none leaves it out. "
        "Repeatable: several are separate features.",
        metavar="NAME",
        known=REORDERING.names,
    )
    select: float | None = setting_of(
        ReorderingSettings,
        "select",
        more="For trained reordering models: without --reordering, maxent is trained on fewer than "
        "10,000 sentence pairs, too.",
        group="Models",
    )
    reordering_set: dict[str, Any] = _models(
        {},
        "Setting of trained reordering models, for all of them that have it: an option of rosewood "
        "reorder train about features, events or the model, as in window=2, or what --set has "
        "there, as in sigma2=0.1. As with --select, maxent is then trained on few sentence pairs, "
        "too. Repeatable.",
        metavar="NAME=VALUE",
    )
    word_classes: int = setting_of(
        ClusterSettings,
        "classes",
        more="For reordering models with features of classes (--reordering-set "
        "feature-symbols=both).",
        group="Models",
    )
    decoder: str = _models(
        "phrase",
        "Decoder: phrase moves phrases, hiero nests rules with gaps.",
        choices=_decoders,
    )
    features: tuple[str, ...] = _models(
        (),
        "Add a feature by its name, or package.module:Name, with settings as JSON in braces. "
        "Repeatable.",
        metavar="NAME",
        known=_features,
        option="feature",
    )
    feature_set: Literal["base", "large"] = _models(
        "base",
        "Dense features: those of the decoder (base), or about 170 more of rules (large): counts, "
        "lexical weights over morphemes, inserted and deleted words and word classes.",
        option="features",
    )
    feature_classes: int = setting_of(
        ClusterSettings, "classes", 20, "Of each language, for --features large.", group="Models"
    )
    tune: str = _tuning("mira", "Tuning algorithm.", choices=_tuners)
    set: dict[str, Any] = _tuning(
        {},
        "Setting of the tuning algorithm (rosewood tune --list-settings lists them). Repeatable.",
        metavar="NAME=VALUE",
    )
    metric: str = _tuning(
        "bleu:tokenize=none",
        f"Metric to tune for, computed on words: {metric_names()}.",
        metavar="NAME",
    )
    rounds: int = _tuning(
        6, "Tuning rounds; each decodes the development set.", low=1, high=10**6 - 1
    )
    nbest: int = _tuning(100, "Translations per sentence in each round.", low=2, high=10**6 - 1)
    on: Literal["lists", "forests"] = _tuning(
        "lists",
        "What the tuning algorithm learns from: lists of the best translations, or forests of all "
        "that the search has met.",
    )
    forest_edges: int | None = _tuning(
        100,
        "With --on forests: maximum edges of a forest for each word of its best translation; what "
        "pruning changes is reported.",
        low=1,
    )
    tune_on: Literal["dev", "train"] = _tuning(
        "dev", "Tune on the development set, or on sentences of the training corpus."
    )
    tune_sentences: int | None = _tuning(
        20_000,
        "Sentences of the training corpus that are translated in each round, by --tune oscar and "
        "--tune-on train; none is all.",
        low=1,
    )
    leave_one_out: bool = _tuning(
        True,
        "Translate a training sentence as if it were not in the corpus: without rules that were "
        "extracted from it alone, with other counts, and a language model that has not read it.",
    )
    boost: bool = _tuning(
        False,
        "Learn boosted trees over the features of phrases, on top of the tuned weights; the "
        "decoder uses them.",
    )
    boost_set: dict[str, Any] = _tuning(
        {},
        "Setting of boosted trees, as rosewood tune --method boost has them; it turns --boost on. "
        "Repeatable.",
        metavar="NAME=VALUE",
    )
    second_stage: Literal["none", "ngrams"] = _tuning(
        "none",
        "Learn weights of n-grams of whole translations on forests of the training corpus, by "
        "minimum risk, on top of the tuned weights; translate uses them.",
    )
    second_set: dict[str, Any] = _tuning(
        {},
        "Setting of the second stage, such as l2=0.1 or min_count=3; it turns --second-stage on. "
        "Repeatable.",
        metavar="NAME=VALUE",
    )
    pop_limit: int | Literal["auto"] | None = setting_of(
        SearchSettings, "pop_limit", "auto", "With auto, the default of the decoder."
    )
    distortion_limit: int | Literal["auto"] | None = setting_of(
        SearchSettings,
        "distortion_limit",
        "auto",
        "With auto, 99.9% of the jumps in the alignment are possible.",
    )
    option_limit: int | None = setting_of(SearchSettings, "option_limit")
    unknown: Literal["guess", "copy", "drop"] = setting(
        "guess",
        "Words without a rule: translate them by their parts and other forms (guess), copy or "
        "drop them.",
        group="Search",
    )
    seed: int = setting_of(SharedSettings, "seed", group="Tuning")
    keep_corpus: bool = setting(
        True, "Store the training corpus in the model, to show the origin of rules.", group="Files"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.pretokenized and self.lowercase:
            raise TrainingError(
                "pretokenized text is not changed: lowercase it first, or drop one of the settings",
                code="argument.conflict",
                argument="lowercase",
            )
        if self.tune_on == "train" and (self.tune == "none" or self.uses_training):
            reason = (
                "tune_on is train, but tune is none"
                if self.tune == "none"
                else f"tune_on is train, but {self.tune} tunes on the development set and learns "
                "from training data besides: leave tune_on out"
            )
            raise TrainingError(
                reason, code="argument.conflict", argument="tune_on", value=self.tune
            )
        if self.tune == "none" and self.set:
            reason = "set has settings of a learner, but tune is none"
            raise TrainingError(reason, code="argument.conflict", argument="set", value=self.set)
        try:
            self._check_with_rooms()
        except TrainingError:
            raise
        except RosewoodError as error:
            raise error.restated(str(error), TrainingError) from error

    def _check_with_rooms(self) -> None:
        """What would be refused hours later is refused now."""
        from rosewood.decode.decoder import decoder_kind

        decoder_kind(self.decoder)
        self._check_reordering()
        self.filters()
        ExtractionSettings(**self.extraction())
        self.search(None if self.distortion_limit == "auto" else self.distortion_limit)
        if (learner := self.learner()) is not None and learner.makes_trees:
            reason = f"tune is {self.tune}, whose trees decoders cannot use; it tunes lists alone"
            raise TrainingError(reason, code="argument.conflict", argument="tune", value=self.tune)
        if self.on == "forests" and (learner is None or not learner.takes_forests):
            told = "nothing" if learner is None else "lists of translations"
            names = ", ".join(_forest_learners())
            reason = (
                f"on is forests, but tune is {self.tune}, which learns from {told}: use {names}"
            )
            raise TrainingError(reason, code="argument.conflict", argument="on", value=self.on)
        self.boosting()
        metric = self.tuning_metric()
        if learner is not None and self.on == "forests":
            learner.check_forests(metric)
        if (second := self.second()) is not None:
            second.learner().check_forests(metric)
        self.feature_records()
        self._check_feature_names()
        if not self.pretokenized:
            self.processor(None)

    def _check_reordering(self) -> None:
        """Names, and settings of each model."""
        known = ("auto", "none", *REORDERING.names())
        for name in self.reordering:
            check_choice("reordering", name, known, error=TrainingError)
        if len(self.reordering) > 1 and {"auto", "none"} & set(self.reordering):
            reason = "auto and none are reordering models by themselves: give no others"
            raise TrainingError(reason, code="argument.conflict", argument="reordering")
        for name in self.reordering:
            if self.reordering.count(name) > 1:
                reason = f"the reordering model {name} is chosen twice: once is enough"
                raise TrainingError(
                    reason, code="argument.duplicate", argument="reordering", value=name
                )
        names = self.trained_reordering
        given = self.reordering_set or self.select is not None
        if given and not names:
            argument = "reordering_set" if self.reordering_set else "select"
            reason = f"{argument} is for reordering models that are trained, such as maxent"
            raise TrainingError(reason, code="argument.conflict", argument=argument)
        if self.reordering not in (("auto",), ("none",)) and not self.reordering_models:
            reason = f"the decoder {self.decoder} moves phrases without a reordering model"
            raise TrainingError(
                reason, code="argument.conflict", argument="reordering", value=self.reordering
            )
        if names and self.orientation is None:
            reason = "without orientations no reordering model can be trained"
            raise TrainingError(reason, code="argument.conflict", argument="orientation")
        self._check_reordering_set()
        for name in names:
            self.reordering_settings(name)

    def _check_reordering_set(self) -> None:
        """Each setting is one of all trained models, or of at least one."""
        known = {name: _classifier_names(name) for name in self.trained_reordering}
        shared = setting_names(ReorderingSettings)
        for key in self.reordering_set:
            if key in shared or any(key in own for own in known.values()):
                continue
            every = {"all of them": sorted(set(shared.values())), **known}
            listed = "; ".join(f"{name}: {', '.join(own) or 'none'}" for name, own in every.items())
            reason = (
                f"none of the trained models ({', '.join(known)}) has the setting {key!r}; "
                f"there are, of {listed}"
            )
            raise TrainingError(
                reason, code="argument.unknown", argument="setting", value=key, expected=every
            )

    @property
    def reordering_models(self) -> tuple[str, ...]:
        """Reordering models by name; rules with gaps need none."""
        from rosewood.decode.decoder import decoder_kind, reorders

        if self.reordering == ("none",) or not reorders(decoder_kind(self.decoder)):
            return ()
        if self.reordering != ("auto",):
            return self.reordering
        return () if self.orientation is None else BEST_REORDERING

    @property
    def trained_reordering(self) -> tuple[str, ...]:
        """Those that are trained from events."""
        return tuple(name for name in self.reordering_models if name != "lexicalized")

    def reordering_settings(self, name: str) -> tuple[ReorderingSettings, dict[str, Any]]:
        """Settings of a trained reordering model, and those of its classifier."""
        from rosewood.reorder.trained_kind import TrainedKind

        kind = REORDERING[name]
        if not isinstance(kind, TrainedKind):
            return ReorderingSettings(), {}
        names, given = setting_names(ReorderingSettings), self.reordering_set
        shared = {key: value for key, value in given.items() if key in names}
        of_classifier = _classifier_names(name)
        rest = {
            key: value for key, value in given.items() if key not in names and key in of_classifier
        }
        kind.settings(rest)
        chosen: dict[str, Any] = {
            "max_phrase": self.max_phrase,
            "select": self.select,
            "classes": self.classes,
        }
        if self.orientation is not None:
            chosen["kind"] = self.orientation
        set_here = {names[key] for key in shared}
        default = {key: value for key, value in chosen.items() if key not in set_here}
        return ReorderingSettings.from_values({**default, **shared}), rest

    @property
    def uses_word_classes(self) -> bool:
        """Whether a reordering model has features of word classes."""
        names = self.trained_reordering
        return any(self.reordering_settings(name)[0].symbols != "words" for name in names)

    @property
    def uses_training(self) -> bool:
        """Whether the tuning algorithm learns from training data besides the development set."""
        from rosewood.learn.registry import learner_class

        return self.tune != "none" and learner_class(self.tune).uses_training

    @property
    def all_features(self) -> tuple[str, ...]:
        """Features that are added to the decoder: groups of features need at least some."""
        from rosewood.decode.features import SparseFeature
        from rosewood.model.python_features import make_feature

        if not self.uses_training or any(
            isinstance(make_feature(each)[0], SparseFeature) for each in self.features
        ):
            return self.features
        return (*self.features, _RULE_IDS)

    @property
    def notes(self) -> list[str]:
        """What was set without an effect."""
        found = []
        if self.word_classes != TrainingSettings.word_classes and not self.uses_word_classes:
            found.append(
                f"word_classes is {self.word_classes}, but no reordering model has features of "
                "them: --reordering-set feature-symbols=both adds them"
            )
        if self.feature_classes != TrainingSettings.feature_classes and self.feature_set == "base":
            found.append(
                f"feature_classes is {self.feature_classes}, but the feature set is base: "
                "--features large has features of them"
            )
        return found

    def _check_feature_names(self) -> None:
        from rosewood.decode.feature_declarations import declared_features
        from rosewood.decode.features import SparseFeature

        taken = {each.name for each in declared_features() if not each.is_sparse}
        for each in self.python_features():
            for name in (each.template,) if isinstance(each, SparseFeature) else each.names:
                if name in taken:
                    reason = f"two features are called {name!r}: rename or remove one of them"
                    raise TrainingError(
                        reason, code="argument.duplicate", argument="features", value=name
                    )
                taken.add(name)

    def filters(self) -> Filters:
        """Which pairs are trained on, by their words."""
        from rosewood.corpus import Filters

        return Filters(self.min_words, self.max_words, self.max_ratio)

    @property
    def truecase(self) -> bool:
        """Whether words get the case that they have mostly."""
        return not (self.pretokenized or self.lowercase or self.tokeniser == "char")

    def processor(self, language: str | None) -> TextProcessor:
        """How raw text is made into words, before casing is learnt."""
        from rosewood.corpus import TextProcessor, make_tokeniser

        known = {} if language is None else {"language": language}
        tokeniser = make_tokeniser(self.tokeniser, **known)
        return TextProcessor(tokeniser, lowercase=self.lowercase, symbols=True)

    def extraction(self) -> dict[str, Any]:
        """Settings of rules."""
        from rosewood.decode.decoder import decoder_kind, extraction_of

        own = extraction_of(decoder_kind(self.decoder))
        names = ("max_phrase", "max_span", "smoothing", "significance", "orientation", "classes")
        values = {name: getattr(self, name) for name in names}
        if "lexicalized" not in self.reordering_models:
            values["orientation"] = None
        return {**values, **own}

    def search(self, distortion_limit: int | None) -> Any:
        """Limits of the decoder, while it is tuned and afterwards."""
        from rosewood.decode.decoder import decoder_kind, search_settings

        values = {"distortion_limit": distortion_limit}
        for name in ("pop_limit", "option_limit", "max_span"):
            if getattr(self, name) != "auto":
                values[name] = getattr(self, name)
        return search_settings(decoder_kind(self.decoder), values)

    def learner(self) -> Learner | None:
        """The tuning algorithm; None if weights are not tuned."""
        from rosewood.learn import make_learner

        return None if self.tune == "none" else make_learner(self.tune, self.set)

    def boosting(self) -> BoostSettings | None:
        """How boosted trees are learnt; None if there are none."""
        from rosewood.learn import BoostSettings

        if not (self.boost or self.boost_set):
            return None
        if self.tune == "none":
            reason = "boost learns trees on top of tuned weights, but tune is none"
            raise TrainingError(reason, code="argument.conflict", argument="boost")
        return BoostSettings.from_values(self.boost_set)

    def second(self) -> SecondStageSettings | None:
        """How the second stage is learnt; None if there is none."""
        from rosewood.learn.second_stage import SecondStageSettings

        if self.second_stage == "none" and not self.second_set:
            return None
        if self.tune == "none":
            reason = "the second stage is learnt on top of tuned weights, but tune is none"
            raise TrainingError(reason, code="argument.conflict", argument="second_stage")
        return SecondStageSettings.from_values(self.second_set)

    def tuning_metric(self) -> Metric:
        """The metric that weights are tuned for."""
        from rosewood.metrics import parse_metric

        return parse_metric(self.metric)

    def python_features(self) -> tuple[Any, ...]:
        """New objects of the features written in Python."""
        from rosewood.model.python_features import make_feature

        return tuple(make_feature(each)[0] for each in self.all_features)

    def feature_records(self) -> tuple[FeatureRecord, ...]:
        """What a model keeps of them: import paths, packages, versions, settings."""
        from rosewood.model.python_features import make_feature

        return tuple(make_feature(each)[1] for each in self.all_features)
