"""Bundle part `corpus`: the words of the training corpus, where rules come from."""

from rosewood.corpus import IndexedCorpus
from rosewood.corpus.indexed_files import verify
from rosewood.model.registry import PartType

PLUGIN = PartType(
    "corpus",
    "indexed-corpus",
    "The training corpus as words, to show where rules come from.",
    open=lambda part: IndexedCorpus.open(part.path),
    verify=lambda part: verify(part.path),
    optional=True,
)
