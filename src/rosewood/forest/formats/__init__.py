"""Readers of other programs' lattices and hypergraphs: each format becomes a Forest."""

from typing import TYPE_CHECKING

from rosewood.lazy_names import lazy_names

if TYPE_CHECKING:
    from rosewood.forest.formats.any import read_any
    from rosewood.forest.formats.cdec import read_cdec_json
    from rosewood.forest.formats.htk import read_htk
    from rosewood.forest.formats.joshua import read_joshua_disk
    from rosewood.forest.formats.lazy import read_joshua_dump, read_lazy_hypergraph
    from rosewood.forest.formats.moses import read_moses_graphs
    from rosewood.forest.formats.plf import read_plf, read_plf_file

__all__ = [
    "FORMATS",
    "read_any",
    "read_cdec_json",
    "read_htk",
    "read_joshua_disk",
    "read_joshua_dump",
    "read_lazy_hypergraph",
    "read_moses_graphs",
    "read_plf",
    "read_plf_file",
]

# Name → what its files end with.  Joshua's items name the rules file by the same stem.
FORMATS: dict[str, tuple[str, ...]] = {
    "set": (".rwf",),
    "text": (".forest", ".txt"),
    "plf": (".plf",),
    "moses": (".osg", ".osgx", ".searchgraph"),
    "htk": (".slf", ".lat"),
    "cdec": (".json",),
    "joshua": (".items",),
    "joshua-dump": (".dump",),
    "lazy": (".hypergraph",),
}

__getattr__, __dir__ = lazy_names(__name__)
