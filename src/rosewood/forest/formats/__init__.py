"""Readers of other programs' lattices and hypergraphs: each format becomes a Forest."""

from rosewood.forest.formats.any import FORMATS, read_any
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
