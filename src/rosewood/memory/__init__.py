"""Translation memories: sentences with their translations, found again exactly or nearly."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.memory.match import MemoryMatch
    from rosewood.memory.store import Memory, MemoryPair

__all__ = ["Memory", "MemoryMatch", "MemoryPair"]

__getattr__, __dir__ = lazy_names(__name__)
