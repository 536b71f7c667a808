"""The grammar of the embedded sample: invented events, and two invented newspapers that write about them.

`events` draws what happened, `writer` and `headlines` put it into each paper's words; the Italian is in `data/`.
"""

from change_it.corpus.grammar.events import Event, Grammar
from change_it.corpus.grammar.headlines import write_headline
from change_it.corpus.grammar.papers import PAPERS, Paper
from change_it.corpus.grammar.writer import write_article

__all__ = ["PAPERS", "Event", "Grammar", "Paper", "write_article", "write_headline"]
