"""Half a million sparse weights: nothing may take time for each of them by name."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tests.decoders import small_decoder
from tests.refusals import refuses

from rosewood.decode import RuleIds
from rosewood.errors import DecodingError
from rosewood.forest import Weights

MANY = 500_000


@pytest.fixture(scope="module")
def decoder(tmp_path_factory):
    return small_decoder(tmp_path_factory.mktemp("many"), features=[RuleIds()])


def weights_of(decoder, value: float = 0.0) -> Weights:
    numbers = np.arange(MANY)
    return Weights(decoder.default_weights(), {"rule": (numbers, np.full(MANY, value))})


def quickest(work) -> float:
    times = []
    for _ in range(5):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def test_weights_are_set_and_lined_up_in_milliseconds(decoder):
    weights = weights_of(decoder, 0.25)
    decoder.features.sparse.add_numbers("rule", np.arange(MANY))
    weighted = decoder.with_weights(weights)
    assert quickest(lambda: decoder.with_weights(weights)) < 0.1
    assert quickest(lambda: decoder.with_weights(weights).theta()) < 0.3
    assert quickest(weighted.theta) < 0.01
    theta = weighted.theta()
    assert len(theta) == len(decoder.features)
    assert (theta[len(decoder.features.dense) :] == 0.25).all()


def test_they_steer_the_search(decoder):
    plain = decoder.search("das haus ist klein")
    (rule,) = {use.rule for use in plain.best.rules} - {
        use.rule for use in plain.best.rules[1:]
    }  # the rule of the first phrase
    numbers = np.arange(MANY)
    values = np.where(numbers == rule, -50.0, 0.0)
    weighted = decoder.with_weights(Weights(decoder.default_weights(), {"rule": (numbers, values)}))
    found = weighted.search("das haus ist klein")
    assert rule not in {use.rule for use in found.best.rules}
    weight = found.forest.score(weighted.theta())
    assert found.forest.best(weight).score == pytest.approx(found.best.score)


def test_a_wrong_one_among_them_is_named(decoder):
    weights = weights_of(decoder)
    weights.numbered["rule"][1][4711] = np.nan
    with refuses(DecodingError, "weights.value", argument="rule:4711"):
        decoder.with_weights(weights)
    with refuses(DecodingError, "weights.unknown", argument="other"):
        decoder.with_weights(
            Weights(decoder.default_weights(), {"other": (np.arange(3), np.ones(3))})
        )
