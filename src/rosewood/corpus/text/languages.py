"""What is particular about languages: clitics, abbreviations, quotation marks, spaces.

Tables for the built-in tokeniser and its way back.  A language that is not named here is cut and
joined by the rules that hold nearly everywhere; adding one means adding to these tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field

_ENGLISH_CLITICS = r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))"
_TITLES = "Dr Prof St Jr Sr Mr Mrs Ms Mme Mlle Gen Col Capt Lt Sgt Rev Hon Gov Sen Rep Pres"
_ENGLISH = f"{_TITLES} vs etc approx dept est fig Fig Inc Ltd Co Corp Bros Ave Blvd Rd Mt Ph eds pp"
_ENGLISH += " Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Nos cf al viz"
_GERMAN = "Dr Prof Hr Fr Frl Nr bzw usw ca evtl ggf vgl Vgl Str St inkl exkl zzgl max min Mio Mrd"
_GERMAN += (
    " Abb Abs Art Bd Tel Jan Feb Mär Apr Jun Jul Aug Sep Sept Okt Nov Dez geb gest sog Std Min"
)
_GERMAN += " Dipl Ing med phil jur bspw etc allg insb urspr entspr Mag Hbf"
_FRENCH = "Dr Prof M MM Mme Mlle Mgr St Ste etc av apr env art chap éd fig tél vol pp cf janv févr"
_FRENCH += " avr juil sept oct nov déc"
_SPANISH = "Sr Sra Srta Dr Dra Ud Uds Vd Vds D Dª Prof Profa etc pág págs núm art cap tel aprox av"
_ITALIAN = "Dr Dott Sig Sigg Prof Avv Ing Arch ecc pag pagg art cap tel vol fig es ca cfr"
_DUTCH = "Dr Drs Ir Ing Mr Mw Mevr Dhr Prof bijv enz nr blz ca evt incl excl tel vgl resp st"
_PORTUGUESE = "Sr Sra Srta Dr Dra Prof Profa etc pág págs núm art cap tel aprox Exmo av"
_SLAVIC = "str např tzv tj č čl prof dr mgr ing im ul np tzn itd itp godz ok tys mln mld nr"
_NORDIC = "bl ca dvs evt f.eks fx kl kr nr osv pga mfl mm tlf inkl ekskl m.m t.ex s.k"


@dataclass(frozen=True)
class Language:
    """The rules of one language."""

    clitics: str = ""  # a pattern of what is cut off the end of a word
    elision: bool = False  # l'homme is two words; the first keeps the apostrophe
    unsplit: frozenset[str] = frozenset()  # words with an apostrophe that are one all the same
    abbreviations: tuple[str, ...] = ()  # without their last full stop
    ordinals: bool = False  # 3. is the third
    genitive: bool = False  # Hans' is one word
    unspaced: bool = False  # no spaces between words
    quotes: dict[str, str] = field(default_factory=dict)  # opening marks beyond the usual ones
    spaced_before: frozenset[str] = frozenset()  # punctuation with a space before it
    spaced_around: frozenset[str] = frozenset()


_REVERSED = {"»": "«", "›": "‹"}  # »so«
_GERMAN_QUOTES = {**_REVERSED, '"': '"“', "“": "”“"}  # people write "so“ and “so“
_SAME = {"”": "”", "’": "’", "»": "»"}  # ”so”
_EN = Language(clitics=_ENGLISH_CLITICS, abbreviations=tuple(_ENGLISH.split()))
_DE = Language(
    clitics="['’]s",
    abbreviations=tuple(_GERMAN.split()),
    ordinals=True,
    genitive=True,
    quotes=_GERMAN_QUOTES,
)
_FR = Language(
    elision=True,
    unsplit=frozenset({"aujourd'hui", "prud'homme", "prud'hommes", "prud'homal"}),
    abbreviations=tuple(_FRENCH.split()),
    spaced_before=frozenset(";:!?"),
    spaced_around=frozenset("«»‹›"),
)
_FR_CA = Language(
    elision=True,
    unsplit=_FR.unsplit,
    abbreviations=_FR.abbreviations,
    spaced_before=frozenset(":"),
    spaced_around=frozenset("«»‹›"),
)
_FR_CH = Language(elision=True, unsplit=_FR.unsplit, abbreviations=_FR.abbreviations)
_IT = Language(
    elision=True,
    unsplit=frozenset({"po'", "mo'", "be'", "va'", "fa'", "da'", "di'", "sta'", "to'", "ca'"}),
    abbreviations=tuple(_ITALIAN.split()),
)
_NORTH = Language(ordinals=True, abbreviations=tuple(_NORDIC.split()), quotes=_REVERSED)
_SWEDEN = Language(abbreviations=tuple(_NORDIC.split()), quotes=_SAME)
_SLAVS = Language(ordinals=True, abbreviations=tuple(_SLAVIC.split()), quotes=_REVERSED)
_ELIDING = Language(elision=True)
_UNSPACED = Language(unspaced=True)
_DOTTED = Language(ordinals=True)

_LANGUAGES: dict[str, Language] = {
    "en": _EN,
    "de": _DE,
    "fr": _FR,
    "fr-ca": _FR_CA,
    "fr-ch": _FR_CH,
    "it": _IT,
    "es": Language(abbreviations=tuple(_SPANISH.split())),
    "pt": Language(abbreviations=tuple(_PORTUGUESE.split())),
    "nl": Language(abbreviations=tuple(_DUTCH.split())),
    **dict.fromkeys(("ca", "oc", "ga", "wa", "fur", "lmo", "pms", "vec", "co"), _ELIDING),
    **dict.fromkeys(("da", "nb", "nn", "no", "is", "fo"), _NORTH),
    "sv": _SWEDEN,
    "fi": Language(ordinals=True, quotes=_SAME),
    **dict.fromkeys(("cs", "sk", "sl", "hr", "bs", "sr", "pl", "hsb", "dsb"), _SLAVS),
    **dict.fromkeys(("hu", "et", "lv", "lt", "tr", "az", "eu"), _DOTTED),
    **dict.fromkeys(("ja", "zh", "yue", "wuu", "lzh", "cmn", "jpn", "zho"), _UNSPACED),
}
_THREE = {"eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "ita": "it",
          "spa": "es", "por": "pt", "nld": "nl", "swe": "sv", "fin": "fi", "ces": "cs",
          "pol": "pl", "dan": "da", "cat": "ca"}  # fmt: skip


def language_of(code: str) -> Language:
    """The rules for a code such as de or fr-CA: those of the region, or else of the language."""
    whole = code.lower().replace("_", "-")
    main = whole.partition("-")[0]
    main = _THREE.get(main, main)
    return _LANGUAGES.get(whole) or _LANGUAGES.get(main) or Language()


def has_rules(code: str) -> bool:
    """Whether there is anything particular about a language."""
    return language_of(code) != Language()
