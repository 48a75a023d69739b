"""Numbers, dates and units of one language as another writes them."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosewood.corpus import make_tokeniser
from rosewood.corpus.text.date_formats import date_format, is_date
from rosewood.corpus.text.number_formats import Number, number_format, with_ascii_digits
from rosewood.corpus.text.number_localiser import LocalSpan, NumberLocaliser

CODES = (
    "de en fr es it pt nl ru pl cs sv da tr ja zh ar hi "
    "de-CH en-IN en-GB es-MX fr-CA fr-CH pt-PT uk fi nb sk el ko"
)
LANGUAGES = CODES.split()
language = st.sampled_from(LANGUAGES)


between = lru_cache(maxsize=None)(NumberLocaliser.between)


def localised(pair, text):
    return between(*pair.split(":")).text(text)


@pytest.mark.parametrize(
    ("pair", "text", "want"),
    [
        # numbers
        ("de:en", "119,20", "119.20"),
        ("de:en", "1.234,56", "1,234.56"),
        ("de:en", "1.000", "1,000"),
        ("de:en", "12.345.678", "12,345,678"),
        ("de:en", "-3,5", "-3.5"),
        ("de:en", "±0,5", "±0.5"),
        ("de:en", "(2,5)", "(2.5)"),
        ("de:en", "10,5–12,5 km", "10.5–12.5 km"),
        ("de:en", "1,5kg", "1.5kg"),
        ("de:en", "1 234,56", "1,234.56"),
        ("de:en", "1\u00a0234", "1,234"),
        ("de:en-IN", "1.234.567", "12,34,567"),
        ("de-CH:en", "1’234.56", "1,234.56"),
        ("de:de-CH", "1.234,56", "1’234.56"),
        ("de:da", "1.234,56", "1.234,56"),
        ("es:es-MX", "1.234,56", "1,234.56"),
        ("en:de", "1,234.56", "1.234,56"),
        ("en:fr", "1,234.56", "1\u202f234,56"),
        ("en:pl", "12,345.6", "12\u00a0345,6"),
        ("en:hi", "1,234,567.5", "12,34,567.5"),
        ("hi:en", "12,34,567.5", "1,234,567.5"),
        ("fr:en", "1 234,56", "1,234.56"),
        ("fr:en", "1\u202f234 personnes", "1,234 personnes"),
        ("ru:en", "1 000 000", "1,000,000"),
        ("ar:fr", "١٬٢٣٤٫٥٦", "1\u202f234,56"),
        ("hi:en", "१२", "12"),
        ("ja:en", "１２．５", "12.5"),
        ("ja:en", "１，０００人", "1,000人"),
        ("ja:de", "１２，３４５，６７８．５", "12.345.678,5"),
        ("en:de", "About 1.5 litres", "About 1,5 litres"),
        ("en:de", "Weighs 1.5 kg", "Weighs 1,5 kg"),
        ("en:de", "up by 12.30 percent, at 12.50 dollars", "up by 12,30 percent, at 12,50 Dollar"),
        ("de:en", "mal 3,5 und 1.000 oder 2.000", "mal 3.5 und 1,000 oder 2,000"),
        # percentages
        ("de:en", "50 %", "50%"),
        ("en:de", "50%", "50 %"),
        ("de:en", "5,5%", "5.5%"),
        ("tr:en", "%5,5", "5.5%"),
        ("en:tr", "5.5%", "%5,5"),
        ("ja:en", "１２．５％", "12.5%"),
        ("ar:en", "٥٠٪", "50%"),
        # money
        ("de:en", "Er kostet 119,20 Euro.", "Er kostet 119.20 euros."),
        ("de:en", "1 Euro", "1 euro"),
        ("de:en", "119,20 €", "€119.20"),
        ("de:en", "119,20€", "€119.20"),
        ("de:en", "€ 119,20", "€119.20"),
        ("de:en", "3,5 Mio. €", "3.5 Mio. €"),
        ("en:de", "$3.50", "3,50 $"),
        ("en:de", "$3.5 million", "$3,5 million"),
        ("en:de", "-$3.50", "-3,50 $"),
        ("en:es-MX", "US$3.50", "US$3.50"),
        ("pt:en", "R$5,50", "R$5.50"),
        ("de:nl", "119,20 €", "€ 119,20"),
        ("en:ru", "5 dollars", "5 долларов"),
        ("en:ru", "21 dollars", "21 доллар"),
        ("en:ru", "2.5 dollars", "2,5 доллара"),
        ("en:pl", "22 dollars", "22 dolary"),
        ("en:cs", "5 euros", "5 eur"),
        ("en:fr", "1.50 euros", "1,50 euro"),
        ("en:ja", "119.20 euros", "119.20ユーロ"),
        ("ja:en", "１２３,４５６円", "123,456 yen"),
        ("en:zh", "5 dollars", "5 dollars"),  # whose?
        # units
        ("ru:en", "5,5 км", "5.5 km"),
        ("fr:ru", "12 km/h", "12 км/ч"),
        ("de:en", "-5,5 °C", "-5.5 °C"),
        # times
        ("de:en", "um 12:30 Uhr", "um 12:30"),
        ("de:en", "um 12.30 Uhr", "um 12:30"),
        ("de:en", "um 8 Uhr", "um 8 o'clock"),
        ("de:en", "um 20 Uhr", "um 20:00"),
        ("de:fr", "um 12:30 Uhr", "um 12h30"),
        ("fr:de", "à 12 h 30", "à 12:30 Uhr"),
        ("da:en", "kl. 12.30", "kl. 12:30"),
        ("it:en", "alle 12.30", "alle 12:30"),
        ("ja:en", "12時30分", "12:30"),
        ("zh:en", "7 点 45 分", "7:45"),
        ("fr:en", "À 12h30, vers 8 h 05", "À 12:30, vers 8:05"),
        ("fr:en", "de 8h30 à 10h15", "de 8:30 à 10:15"),
        ("fr:en", "entre 8h30 et 9h45", "entre 8:30 et 9:45"),
        ("fr:en", "à 2h30 du matin", "à 2:30 du matin"),
        ("pt:en", "das 8h30 às 9h30", "das 8:30 às 9:30"),
        ("es:en", "a las 12:30 h", "a las 12:30"),
        # dates
        ("de:en", "am 3. Mai 2024", "am May 3, 2024"),
        ("de:en-GB", "am 3. Mai 2024", "am 3 May 2024"),
        ("de:en", "am 3. Mai", "am May 3"),
        ("de:en", "am 3.5.2024", "am 2024-05-03"),
        ("de:en-GB", "am 3.5.2024", "am 3/5/2024"),
        ("de:en-US", "am 3.5.2024", "am 5/3/2024"),
        ("de:fr", "am 3.5.2024", "am 3/5/2024"),
        ("de:sv", "am 3.5.2024", "am 2024-05-03"),
        ("de:ja", "am 3.5.2024", "am 2024/5/3"),
        ("en:de", "May 3, 2024", "3. Mai 2024"),
        ("en:de", "the 3rd of May, 2024", "the 3. Mai 2024"),
        ("en:de", "5/23/2024", "23.5.2024"),
        ("en:fr", "May 1", "1er mai"),
        ("fr:ru", "1er mai 2024", "1 мая 2024 года"),
        ("ru:en", "3 мая 2024 г.", "May 3, 2024"),
        ("es:cs", "3 de mayo de 2024", "3. května 2024"),
        ("ja:en", "2024年5月3日", "May 3, 2024"),
        ("en:zh", "May 3, 2024", "2024年5月3日"),
        ("hi:pt", "3 मई 2024", "3 de maio de 2024"),
        ("en:ar", "May 3", "3 مايو"),
        ("fr:en", "le 3 mai à 8 h", "le May 3 à 8 h"),
        ("zh:en", "今年5月3日", "今年May 3"),
        ("en:de", "On May 3, 200 people", "On 3. Mai, 200 people"),
        ("de:en", "vom 3.5.2024 bis 5.5.2024", "vom 2024-05-03 bis 2024-05-05"),
        ("de:en", "29.2.2024", "2024-02-29"),
    ],
)
def test_becomes(pair, text, want):
    assert localised(pair, text) == want


@pytest.mark.parametrize(
    ("pair", "text"),
    [
        ("de:en", "Version 1,5"),
        ("de:en", "1.2.3"),
        ("de:en", "192.168.0.1"),
        ("de:en", "192.168.100.200"),
        ("en:de", "version 1.2"),
        ("en:de", "We use Python 3.11 here"),
        ("en:de", "see section 3.2"),
        ("en:de", "Figure 2.1"),
        ("ja:de", "第1.5"),
        ("de:en", "3.14"),  # neither a German decimal nor a group
        ("de:en", "1.5"),
        ("de:en", "0.125"),
        ("de:en", "1.2345"),
        ("de:en", "1,2,3"),
        ("en:de", "1,23"),
        ("en:de", "1,234,56"),
        ("de:en", "A4, B1,5, T1.000X"),
        ("de:en", "5,5-fach"),
        ("de:en", "119,-"),
        ("de:en", "2024-05-03"),
        ("en:de", "5/3/2024"),  # in May or in March
        ("de:en", "31.2.2024"),
        ("de:en", "3.5.24"),
        ("de:en", "vom 3. bis 5. Mai 2024"),
        ("de:en", "3.–5. Mai"),
        ("en:de", "they march 3 miles"),
        ("en:de", "12:30"),
        ("en:de", "3:30 pm"),
        ("de:en", "25:30 Uhr"),
        ("en:de", "a 5 dollar bill"),
        ("de:en", "5 Euro-Scheine"),
        ("de:en", "5-10 €"),
        ("de:en", "10-12"),
        ("de:en", "1/2"),
        ("de:en", "3½"),
        ("de:en", "5 200 Betten"),  # spaces are not what German groups with
        ("ru:en", "555 123 456"),
        ("fr:en", "+33 123 456"),
        ("fr:en", "en 2024 300 personnes"),
        ("fr:en", "06 12 34 56 78"),
        ("de:en", "+49 30 123456"),
        ("de:en", "drei Häuser, № 5"),
        # how long something takes
        ("fr:en", "pendant 2h30, dure 1h45, en 2h30"),
        ("fr:en", "12 h 30 min, à 12 h 30 min"),
        ("fr:en", "une durée de 1h30 à 2h00"),
        ("fr:en", "à 2h30 de Paris"),
        ("fr:en", "12h30 à 13h30"),
        ("pt:en", "durante 2h30"),
        ("es:en", "dura 1:45 horas"),
        # one number in two parts
        ("ja:en", "1万2,000円"),
        ("ja:en", "1万２，０００円"),
        ("ja:de", "2,000万円, 1.5億"),
        ("zh:de", "1，000人, 5，100"),  # the comma may be that of a sentence
        # ranges of dates, other eras
        ("ja:en", "5月3日～5日"),
        ("ja:en", "5月3日から5日まで"),
        ("ja:en", "5月3日、4日"),
        ("zh:en", "5月3日至5日"),
        ("zh:en", "5月3日到5日"),
        ("zh:en", "5月1日—3日"),
        ("zh:en", "2024年5月1日–3日"),
        ("fr:en", "1er mai au 3 mai"),
        ("fr:en", "du 1er mai 2024 au 3 mai 2024"),
        ("de:en", "vom 3. Mai bis zum 5. Mai"),
        ("de:en", "3.–5.5.2024"),
        ("en:de", "May 3 to May 5"),
        ("en:de", "May 3 until the 5th of May"),
        ("ja:en", "令和6年5月3日"),
        ("zh:en", "公元前5月3日"),
        ("zh:en", "公元前1046年5月3日"),
        ("de:en", "am 3. Mai 44 v. Chr."),
        ("de:en", "29.2.2023"),
        ("de:en", "am 29. Februar 2023."),
        # names of things
        ("en:de", "versions 1.5 and 1.6"),
        ("en:de", "between version 1.5 and 1.6"),
        ("en:de", "versions 1.5, 1.6 and 1.7"),
        ("en:de", "versions 1.5–1.6"),
        ("en:de", "TLS 1.3 is new, as is HTTP/1.1"),
        ("en:de", "TLS 1.2 and 1.3"),
        ("en:de", "HTML 4.01"),
        ("en:de", "iOS 17.1"),
        ("en:de", "Chrome 120.0 came"),
        ("de:en", "Versionen 1,5 und 1,6"),
        ("de:en", "Tel: 030 12.345.678"),
        ("de:en", "Kto. 123.456.789"),
        ("de:en", "Artikelnummer 12.345.678"),
        ("de:en", "Joh 3,16"),
        # times with a point
        ("en:de", "Meet at 12.30 pm"),
        ("en:de", "12.30 p.m."),
        ("en:de", "at 12.30, until 13.45, by 9.30"),
        ("en:de", "9.30 to 12.30 pm"),
        ("de:en", "<a href=1,5> %d {0}"[11:]),
    ],
)
def test_is_left_alone(pair, text):
    assert localised(pair, text) == text


@pytest.mark.parametrize(
    "pair", [("de", "de"), ("de", "DE"), ("tlh", "en"), ("en", "tlh"), ("", "")]
)
def test_nothing_is_known(pair):
    assert between(*pair) is None


@st.composite
def numbers(draw):
    digits = str(draw(st.integers(0, 10**12)))
    fraction = draw(st.one_of(st.just(""), st.from_regex(r"[0-9]{1,6}", fullmatch=True)))
    grouped = len(digits) > 3 and draw(st.booleans())
    return Number(draw(st.sampled_from(["", "-", "−", "+"])), digits, grouped, fraction)


@given(numbers(), language, language)
def test_a_number_comes_back(number, one, other):
    here, there = number_format(one), number_format(other)
    text = here.write(number)
    assert here.read(text) in (number, None)
    forth = localised_if_known(one, other, text)
    assert forth in (there.write(number), text)
    if forth == there.write(number):
        assert localised_if_known(other, one, forth) in (text, forth)
    if not here.groups_by_spaces and number.is_grouped and here.read(text) is not None:
        assert forth == there.write(number)


def localised_if_known(one, other, text):
    localiser = between(one, other)
    return text if localiser is None else localiser.text(text)


@given(
    st.text("0123456789.,:/-–%€$ '’\u00a0\u202f１٣²½abcMai年月日点時分", max_size=30),
    language,
    language,
)
def test_digits_of_anything_stay(text, one, other):
    """No digit is lost or added, but for zeros of ISO dates and full hours."""
    made = localised_if_known(one, other, text)
    said, want = (sorted(re.findall("[0-9]", with_ascii_digits(each))) for each in (made, text))
    assert [each for each in said if each != "0"] == [each for each in want if each != "0"]
    assert len(said) >= len(want)


@given(st.text(max_size=40), language, language)
def test_text_without_digits_stays(text, one, other):
    if not re.search(r"\d", text):
        assert localised_if_known(one, other, text) == text


@given(
    st.lists(st.sampled_from(["1.2.3", "10.0.0.1", "A4", "x1,5y", "2024-05-03", "#5"])),
    language,
    language,
)
def test_names_with_digits_stay(words, one, other):
    text = " ".join(words)
    assert localised_if_known(one, other, text) == text


@given(st.integers(1, 12), st.integers(1, 31), st.integers(1000, 2999), language, language)
def test_a_date_comes_back(month, day, year, one, other):
    here, there = date_format(one), date_format(other)
    if here is None or there is None or not is_date(month, day, year):
        return
    text = here.written(str(year), month, day)
    forth = localised_if_known(one, other, text)
    if one.lower() != other.lower():
        assert forth == there.written(str(year), month, day)
    assert localised_if_known(other, one, forth) == text


@pytest.mark.parametrize("code", LANGUAGES)
def test_months_are_twelve_and_different(code):
    form = date_format(code)
    if form is not None and form.months:
        assert len(form.months) == 12 == len(form.numbers)


def spans(pair, text, **how):
    one, other = pair.split(":")
    cut = make_tokeniser("unicode", language=one).cut(text)
    return between(one, other).spans(cut.tokens, cut.spaced, text=text, **how)


def test_spans_are_of_whole_tokens():
    assert spans("de:en", "Er kostet 119,20 Euro.") == [LocalSpan(2, 4, "119.20 euros", "money")]
    assert spans("fr:en", "1 234,5 km") == [LocalSpan(0, 2, "1,234.5", "number")]
    assert spans("de:en", "20,5°C, 1,5-fach, x1,5") == [LocalSpan(0, 1, "20.5°C", "number")]
    assert spans("ja:en", "私は2024年5月3日に") == [LocalSpan(2, 8, "May 3, 2024", "date")]
    assert spans("ja:en", "１，０００円") == [LocalSpan(0, 4, "1,000 yen", "money")]
    assert spans("ja:en", "１２人") == [LocalSpan(0, 1, "12", "number")]


def test_whole_numbers_are_spans_too():
    assert spans("de:en", "Nummer 17") == [LocalSpan(1, 2, "17", "number")]


def test_what_stays_may_be_one_piece():
    assert spans("zh:en", "有1，000人") == [LocalSpan(1, 4, "1，000", "number")]
    assert spans("ja:en", "１万２，０００円")[1] == LocalSpan(2, 5, "２，０００", "number")


def test_nothing_goes_over_a_barrier_or_a_tag():
    text = "119,20 Euro"
    assert spans("de:en", text, breaks={1}) == [LocalSpan(0, 1, "119.20", "number")]
    assert spans("de:en", text, breaks={0, 2}) == [LocalSpan(0, 2, "119.20 euros", "money")]
    assert spans("de:en", text, barriers={1}) == [LocalSpan(0, 1, "119.20", "number")]
    assert spans("de:en", text, barriers={0}) == []


def test_no_break_spaces_group_where_plain_ones_may_not():
    assert spans("de:en", "5\u00a0200 Betten") == [LocalSpan(0, 2, "5,200", "number")]
    assert [each.target for each in spans("de:en", "5 200 Betten")] == ["5", "200"]
    assert spans("ru:en", "555\u00a0123\u00a0456") == [LocalSpan(0, 3, "555,123,456", "number")]
