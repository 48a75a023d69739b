"""Known language codes: ISO 639-1 with names, frequent ISO 639-2 and 639-3 codes, usual mistakes.

unknown_code("xx")                            # "is not a language code"
codes_of_files("train.de.gz", "train.en.gz")  # ("de", "en")

Other codes of three letters are well-formed and pass: ISO 639-3 has about 8,000 of them.  Private
codes (`x-dialect`, `qaa` to `qtz`) pass, too.
"""

from __future__ import annotations

import re

from rosewood.corpus.compression import plain_name
from rosewood.corpus.languages import matches
from rosewood.shared_types import PathName

_NAMES = (
    "aa Afar|ab Abkhazian|ae Avestan|af Afrikaans|ak Akan|am Amharic|an Aragonese|ar Arabic|"
    "as Assamese|av Avaric|ay Aymara|az Azerbaijani|ba Bashkir|be Belarusian|bg Bulgarian|"
    "bh Bihari|bi Bislama|bm Bambara|bn Bengali|bo Tibetan|br Breton|bs Bosnian|ca Catalan|"
    "ce Chechen|ch Chamorro|co Corsican|cr Cree|cs Czech|cu Church Slavic|cv Chuvash|cy Welsh|"
    "da Danish|de German|dv Divehi|dz Dzongkha|ee Ewe|el Greek|en English|eo Esperanto|"
    "es Spanish|et Estonian|eu Basque|fa Persian|ff Fulah|fi Finnish|fj Fijian|fo Faroese|"
    "fr French|fy Western Frisian|ga Irish|gd Scottish Gaelic|gl Galician|gn Guarani|gu Gujarati|"
    "gv Manx|ha Hausa|he Hebrew|hi Hindi|ho Hiri Motu|hr Croatian|ht Haitian|hu Hungarian|"
    "hy Armenian|hz Herero|ia Interlingua|id Indonesian|ie Interlingue|ig Igbo|ii Sichuan Yi|"
    "ik Inupiaq|in Indonesian|io Ido|is Icelandic|it Italian|iu Inuktitut|iw Hebrew|ja Japanese|"
    "ji Yiddish|jv Javanese|jw Javanese|ka Georgian|kg Kongo|ki Kikuyu|kj Kuanyama|kk Kazakh|"
    "kl Kalaallisut|km Khmer|kn Kannada|ko Korean|kr Kanuri|ks Kashmiri|ku Kurdish|kv Komi|"
    "kw Cornish|ky Kyrgyz|la Latin|lb Luxembourgish|lg Ganda|li Limburgish|ln Lingala|lo Lao|"
    "lt Lithuanian|lu Luba-Katanga|lv Latvian|mg Malagasy|mh Marshallese|mi Maori|mk Macedonian|"
    "ml Malayalam|mn Mongolian|mo Moldavian|mr Marathi|ms Malay|mt Maltese|my Burmese|na Nauru|"
    "nb Norwegian Bokmål|nd North Ndebele|ne Nepali|ng Ndonga|nl Dutch|nn Norwegian Nynorsk|"
    "no Norwegian|nr South Ndebele|nv Navajo|ny Chichewa|oc Occitan|oj Ojibwa|om Oromo|or Odia|"
    "os Ossetian|pa Punjabi|pi Pali|pl Polish|ps Pashto|pt Portuguese|qu Quechua|rm Romansh|"
    "rn Rundi|ro Romanian|ru Russian|rw Kinyarwanda|sa Sanskrit|sc Sardinian|sd Sindhi|"
    "se Northern Sami|sg Sango|sh Serbo-Croatian|si Sinhala|sk Slovak|sl Slovenian|sm Samoan|"
    "sn Shona|so Somali|sq Albanian|sr Serbian|ss Swati|st Southern Sotho|su Sundanese|"
    "sv Swedish|sw Swahili|ta Tamil|te Telugu|tg Tajik|th Thai|ti Tigrinya|tk Turkmen|tl Tagalog|"
    "tn Tswana|to Tonga|tr Turkish|ts Tsonga|tt Tatar|tw Twi|ty Tahitian|ug Uyghur|uk Ukrainian|"
    "ur Urdu|uz Uzbek|ve Venda|vi Vietnamese|vo Volapük|wa Walloon|wo Wolof|xh Xhosa|yi Yiddish|"
    "yo Yoruba|za Zhuang|zh Chinese|zu Zulu"
)
# Codes of three letters that are also found in names of files, with the code of two letters.
_THREE = (
    "afr af|alb sq|amh am|ara ar|arm hy|aze az|baq eu|bel be|ben bn|bos bs|bul bg|bur my|cat ca|"
    "ces cs|chi zh|cmn zh|cym cy|cze cs|dan da|deu de|dut nl|ell el|eng en|epo eo|est et|eus eu|"
    "fas fa|fin fi|fra fr|fre fr|geo ka|ger de|gle ga|glg gl|gre el|guj gu|heb he|hin hi|hrv hr|"
    "hun hu|hye hy|ice is|ind id|isl is|ita it|jpn ja|kan kn|kat ka|kaz kk|khm km|kor ko|lao lo|"
    "lat la|lav lv|lit lt|ltz lb|mac mk|mal ml|mar mr|may ms|mkd mk|mlt mt|mon mn|msa ms|mya my|"
    "nep ne|nld nl|nno nn|nob nb|nor no|pan pa|per fa|pol pl|por pt|ron ro|rum ro|rus ru|slk sk|"
    "slo sk|slv sl|som so|spa es|sqi sq|srp sr|swa sw|swe sv|tam ta|tel te|tgl tl|tha th|tur tr|"
    "ukr uk|urd ur|uzb uz|vie vi|wel cy|yid yi|zho zh|zul zu"
)
# Codes of countries and other codes that are mistaken for those of languages.
_MEANT = {
    "jp": "ja", "cn": "zh", "cz": "cs", "dk": "da", "gr": "el", "ua": "uk", "vn": "vi", "sp": "es",
    "gb": "en", "us": "en", "at": "de", "rs": "sr", "ir": "fa", "il": "he", "pk": "ur", "al": "sq",
    "hk": "zh", "mx": "es",
}  # fmt: skip

_REGION_CODES = (
    "ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br "
    "bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz "
    "ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw "
    "gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky "
    "kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq mr ms mt mu mv "
    "mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py "
    "qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg "
    "th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm "
    "zw xk an cs su yu dd tp zr"
)  # ISO 3166-1, Kosovo, and codes that were in use earlier
# Codes of languages and usual abbreviations that are mistaken for those of regions.
_MEANT_REGION = {"uk": "GB", "en": "GB", "ja": "JP", "zh": "CN", "ko": "KR", "da": "DK",
                 "sw": "SE", "el": "GR", "he": "IL", "hi": "IN", "eu": "ES"}  # fmt: skip

# Codes that are words or abbreviations in names of files.
_WORD_CODES = "am an as be co he hi id ie in io is it mi my no or os pa se si so to"

_REGIONS, _WORDS = frozenset(_REGION_CODES.split()), frozenset(_WORD_CODES.split())
LANGUAGE_NAMES = {each[:2]: each[3:] for each in _NAMES.split("|")}  # by ISO 639-1 code
_TWO_OF = {each[:3]: each[4:] for each in _THREE.split("|")}
_BY_NAME = {name.lower(): code for code, name in LANGUAGE_NAMES.items()}
_TAG = re.compile(
    r"(?:x(?:-[a-z0-9]{1,8})+|i(?:-[a-z0-9]{1,8})+|[a-z]{2,3}(?:-[a-z0-9]{1,8})*)", re.ASCII
)
_PARTS = re.compile(r"[._\-~ ]+")


def unknown_code(code: str) -> str | None:
    """What is wrong with a language code, as the end of a sentence; None if nothing is."""
    tag = code.strip().lower().replace("_", "-")
    main = tag.partition("-")[0]
    meant = _MEANT.get(main) or _BY_NAME.get(main)
    hint = "" if meant is None else f": use {meant} for {LANGUAGE_NAMES[meant]}"
    if not _TAG.fullmatch(tag):
        return f"is not a language code{hint or ', such as de, pt-BR or yue'}"
    if len(main) == 2 and main not in LANGUAGE_NAMES:
        return f"is not an ISO 639 language code{hint or ': x-… is for private codes'}"
    return _unknown_region(tag)


def _unknown_region(tag: str) -> str | None:
    """What is wrong with the region of a tag: the first part of two letters."""
    main, *parts = tag.split("-")
    if main in ("x", "i"):
        return None
    for part in parts:
        if len(part) == 1:  # an extension or a private part
            return None
        if len(part) == 2 and part not in _REGIONS and not _is_private_region(part):
            meant = _MEANT_REGION.get(part)
            hint = "" if meant is None else f": use {main}-{meant}"
            return f"has {part.upper()}, which is not an ISO 3166 code of a region{hint}"
    return None


def _is_private_region(part: str) -> bool:
    return part in ("aa", "zz") or part[0] == "x" or "qm" <= part <= "qz"


def two_letters(code: str) -> str:
    """The code with its language in two letters where there is such a code: eng-US is en-us."""
    main, dash, rest = code.strip().lower().replace("_", "-").partition("-")
    return _TWO_OF.get(main, main) + dash + rest


def same_language(one: str, other: str) -> bool:
    """Whether two codes can be the same language: en and en-US, deu and de."""
    return matches(two_letters(one), two_letters(other))


def codes_of_files(source: PathName, target: PathName) -> tuple[str, str] | None:
    """The language codes by which the names of two files differ; None where they tell none.

    Both names must have a known code at the first place at which they differ, as train.de and
    train.en have, or de.txt and en.txt; further references may have a number behind it (dev.en0).
    """
    one, other = (_PARTS.split(plain_name(each).name.lower()) for each in (source, target))
    for left, right in zip(one, other, strict=False):
        if left != right:
            codes = [each.rstrip("0123456789") for each in (left, right)]
            known = all(each in LANGUAGE_NAMES or each in _TWO_OF for each in codes)
            return (codes[0], codes[1]) if known and codes[0] != codes[1] else None
    return None


def may_be_words(codes: tuple[str, str]) -> bool:
    """Whether both codes in names of files may be words, as in in.txt and no.txt."""
    return all(code in _WORDS for code in codes)
