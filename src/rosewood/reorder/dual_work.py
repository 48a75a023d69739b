"""The state of the dual solver: α, weights, the active set, copies of its rows, what is saved."""

from __future__ import annotations

import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from rosewood import _core
from rosewood.arrays import FloatArray, LongArray
from rosewood.errors import ReorderingError
from rosewood.folders import FolderKind
from rosewood.output import whole_folder
from rosewood.reorder.examples import Examples
from rosewood.reorder.examples_files import KIND as EXAMPLES
from rosewood.shared_types import PathName, ProgressCallback
from rosewood.work_folder import Workplace

if TYPE_CHECKING:
    from rosewood.reorder.dual import DualSettings

_BLOCK = 1 << 16  # examples that are shuffled together
_CALL = 1 << 20  # examples a call of a kernel visits: Ctrl-C waits for no more
_COPY = 0.5  # rows are copied together when so many are active

_STATE = FolderKind(
    "state.json",
    "rosewood dual state",
    1,
    {"log_alpha": "<f8", "status": "|u1", "rows": "<f8"},
)
_ACTIVE, _MEMBER = 1, 2  # bits of `status`


class _Part:
    """A problem over all examples, or over copies of some."""

    def __init__(
        self,
        examples: Examples,
        label: NDArray[np.uint8],
        classes: int,
        settings: DualSettings,
        index: LongArray | None = None,
    ) -> None:
        self.index = index
        self.size = len(examples)
        self.examples, self.label = examples, label
        block = max(1, min(_BLOCK, -(-self.size // settings.shards)))
        self.problem = _core.make_dual(
            examples.native, label, classes, settings.sigma2, settings.trials,
            settings.step == "exact", settings.shards, block, settings.seed,
        )  # fmt: skip
        self.blocks: int = self.problem.blocks  # of the first shard, which has the most
        self.call = max(1, _CALL // (block * settings.shards))


class DualWork:
    """α of all examples, the weights that follow from them, and which examples are active."""

    def __init__(
        self,
        examples: Examples,
        label: NDArray[np.uint8],
        classes: int,
        settings: DualSettings,
        progress: ProgressCallback | None,
    ) -> None:
        self.settings, self.classes = settings, classes
        self._progress = progress or (lambda what, done, total: None)
        self._threads = settings.threads or 1
        self.whole = _Part(examples, label, classes, settings)
        self.log_alpha: FloatArray = np.empty(len(examples) * classes)
        self.active = np.ones(len(examples), np.uint8)
        size = examples.num_features * _core.row_width(classes)
        self._weight = np.zeros(settings.shards * size)  # of all shards
        self.rows = self._weight[:size]
        self._before = self.rows.copy() if settings.shards > 1 else self.rows
        self.shrink = settings.shrink
        self.active_share: list[float] = []
        self.checks: list[dict[str, float]] = []
        self.is_done = False
        self._here(self.whole, self.log_alpha, self.active)
        self.num_active = len(examples)

    def _here(self, part: _Part, log_alpha: FloatArray, active: NDArray[np.uint8]) -> None:
        """Passes visit these examples."""
        self._part, self._part_alpha, self._part_active = part, log_alpha, active

    def begin(self) -> None:
        """α at the start, and their weights."""
        _core.dual_start(self.whole.problem, self.settings.start, self.log_alpha)
        self._find_weights()

    # -- passes ------------------------------------------------------------------------------------

    def run_pass(self) -> None:
        """Visit every active example once."""
        if self.num_active <= _COPY * self._part.size and self._part.size > _BLOCK:
            self._copy_active()
        part, number = self._part, len(self.active_share)
        if self.settings.shards > 1:
            self._before[:] = self.rows
        self.active_share.append(self.num_active / self.whole.size)
        remained = 0
        for first in range(0, part.blocks, part.call):
            remained += _core.dual_pass(
                part.problem, self.shrink, self._part_alpha, self._part_active, self._weight,
                number, first, first + part.call, self._threads,
            )[1]  # fmt: skip
            self._progress(f"pass {number + 1}", min(first + part.call, part.blocks), part.blocks)
        if self.settings.shards > 1:
            _core.merge_shards(self._before, self._weight, self.settings.shards, self._threads)
        self.num_active = remained

    def _copy_active(self) -> None:
        """Copy the rows of active examples together."""
        self._put_back()
        found = np.flatnonzero(self._part_active)
        index = found if self._part.index is None else self._part.index[found]
        self._use_copies(index)

    def _use_copies(self, index: LongArray) -> None:
        whole = self.whole
        part = _Part(
            whole.examples.take(index, threads=self._threads), whole.label[index], self.classes,
            self.settings, index,
        )  # fmt: skip
        alpha = self.log_alpha.reshape(-1, self.classes)[index].reshape(-1)
        self._here(part, alpha, self.active[index])

    def _put_back(self) -> None:
        """α and the active set of copies go back to where they came from."""
        index = self._part.index
        if index is not None:
            self.log_alpha.reshape(-1, self.classes)[index] = self._part_alpha.reshape(
                -1, self.classes
            )
            self.active[index] = self._part_active

    # -- the certificate ---------------------------------------------------------------------------

    def check(self, lower: float) -> None:
        """The duality gap over all examples; violators of a lower threshold become active."""
        self._put_back()
        self._here(self.whole, self.log_alpha, self.active)
        self._find_weights()
        self.shrink *= lower
        part = self.whole
        loss = entropy = gap = 0.0
        self.num_active = 0
        call = part.call * self.settings.shards
        blocks = part.blocks * self.settings.shards
        for first in range(0, blocks, call):
            sums = _core.dual_check(
                part.problem, self.shrink, self.log_alpha, self.rows, self.active,
                first, first + call, self._threads,
            )  # fmt: skip
            loss, entropy, gap = loss + sums[0], entropy + sums[1], gap + sums[2]
            self.num_active += sums[3]
            self._progress("check", min(first + call, blocks), blocks)
        penalty = float(np.square(self.rows).sum()) / (2.0 * self.settings.sigma2)
        self.checks.append(
            {"pass": len(self.active_share), "objective": penalty + loss, "gap": gap,
             "dual": penalty + entropy, "shrink": self.shrink}
        )  # fmt: skip

    def _find_weights(self) -> None:
        """The weights of α, added up anew: no rounding of earlier steps stays."""
        part = self.whole
        self._weight[:] = 0.0
        for first in range(0, part.blocks, part.call):
            _core.dual_weights(
                part.problem, self.log_alpha, self._weight, first, first + part.call, self._threads
            )
        _core.add_shards(self._weight, self.settings.shards, self._threads)

    # -- what is saved -----------------------------------------------------------------------------

    def save(self, folder: Path) -> None:
        """Write all that decides how the work goes on."""
        self._put_back()
        status = self.active.copy()
        if self._part.index is not None:
            status[self._part.index] |= _MEMBER
        with whole_folder(folder, marker=_STATE.manifest) as aside:
            _STATE.write(
                aside, {"log_alpha": self.log_alpha, "status": status, "rows": self.rows},
                {"active_share": self.active_share, "checks": self.checks, "shrink": self.shrink,
                 "num_active": self.num_active, "is_done": self.is_done},
            )  # fmt: skip

    def load(self, folder: Path) -> None:
        """Go on from what was saved."""
        _STATE.verify(folder)
        table, arrays = _STATE.open(folder)
        self.log_alpha[:] = arrays["log_alpha"]
        self.active[:] = arrays["status"] & _ACTIVE
        self._weight.reshape(self.settings.shards, -1)[:] = arrays["rows"]
        self.active_share, self.checks = table["active_share"], table["checks"]
        self.shrink, self.num_active = table["shrink"], table["num_active"]
        self.is_done = table["is_done"]
        members = np.flatnonzero(arrays["status"] & _MEMBER)
        if len(members):
            self._use_copies(members)

    def facts(self) -> Any:
        """All that decides the result, for the name of the work."""
        settings = self.settings.to_dict()
        del settings["threads"]
        examples = self.whole.examples
        arrays: list[NDArray[Any]] = [examples.start, examples.feature, self.whole.label]
        arrays += [] if examples.count is None else [examples.count]
        return [
            settings, self.classes, examples.num_features, EXAMPLES.version,
            *([len(array), str(array.dtype), _checksum(array)] for array in arrays),
        ]  # fmt: skip


def _checksum(array: NDArray[Any]) -> int:
    return zlib.crc32(np.ascontiguousarray(array).data)


class SavedWork:
    """Saves work to a folder now and then; without a folder it does nothing."""

    def __init__(self, work: DualWork, folder: PathName | None, seconds: float) -> None:
        self._work, self._seconds = work, seconds
        self._place: Workplace | None = None
        if folder is not None:
            self._place = Workplace(folder, None, work.facts(), task="dual", error=ReorderingError)
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        state = None if self._place is None else self._place.folder / "state"
        if state is not None and state.exists():
            self._work.load(state)
        else:
            self._work.begin()
        return self

    def tick(self) -> None:
        """A pass is over."""
        if self._place is not None and time.monotonic() - self._last >= self._seconds:
            self._work.save(self._place.folder / "state")
            self._place.note("saved", {})
            self._last = time.monotonic()

    def __exit__(self, kind: object, *_: object) -> None:
        if self._place is None:
            return
        if kind is None:
            self._place.remove()
        else:
            self._place.abandon()
