"""Settings of comparing translations: the test of significance."""

from __future__ import annotations

from dataclasses import dataclass

from rosewood.errors import MetricError
from rosewood.settings import Settings, setting, setting_of
from rosewood.shared_settings import SharedSettings

SEED = 12345  # sacreBLEU's
TESTS = {"bootstrap": 1000, "randomisation": 10000}  # with their usual numbers of samples


@dataclass(frozen=True)
class ComparisonSettings(Settings):
    """How a translation is compared with a baseline."""

    error = MetricError

    test: str = setting(
        "bootstrap", "Paired significance test.", choices=TESTS, metavar="|".join(TESTS)
    )
    samples: int | None = setting(
        None, "Samples of the significance test.", low=1, metavar="N",
        default_text="1000; 10000 of randomisation",
    )  # fmt: skip
    seed: int = setting_of(
        SharedSettings, "seed", SEED, help="Random seed of the test; sacreBLEU's by default."
    )
