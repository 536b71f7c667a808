"""Count the lines and sentences of Markdown pages, and show the longest sentences.

python -m tools.readability README.md docs/judges.md
"""

import re
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import tyro

#: Words above which a sentence is long.
LONG = 25
#: Words below which a text is no sentence.
SHORT = 4


@dataclass(frozen=True)
class Readability:
    """What was counted on a page.

    Attributes:
        lines: Number of lines.
        longest_line: Characters of the longest line.
        sentences: All sentences of paragraphs, lists and cells of tables; code is left out.
    """

    lines: int
    longest_line: int
    sentences: list[str]

    @property
    def long_sentences(self) -> list[str]:
        """Return the sentences of more than 25 words, the longest first."""
        found = [sentence for sentence in self.sentences if len(sentence.split()) > LONG]
        return sorted(found, key=lambda sentence: -len(sentence.split()))

    @property
    def share_of_long_sentences(self) -> float:
        """Return the share of long sentences among all, 0 to 1."""
        return len(self.long_sentences) / len(self.sentences) if self.sentences else 0.0


def measure(markdown: str) -> Readability:
    """Count the lines and sentences of a page."""
    lines = markdown.splitlines()
    return Readability(len(lines), max(map(len, lines), default=0), sentences_of(markdown))


def sentences_of(markdown: str) -> list[str]:
    """Return the sentences of a page in their order, without marks of emphasis, links and comments.

    A full stop, a question mark and an exclamation mark before a capital end a sentence, and so does the end
    of a paragraph, of a list's entry or of a table's cell. What has fewer than four words is a figure or a
    name.
    """
    text = re.sub(r"(?ms)^```.*?^```", "", markdown)
    text = re.sub(r"(?s)<!--.*?-->", "", text)
    for _ in range(2):  # a picture may stand inside a link
        text = re.sub(r"!?\[([^\[\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"(?m)^\s*(?:[*#|-]|\d+\.)", "\n\n", text)
    text = re.sub(r"(?<!\\)\| ", "\n\n", text)
    sentences = []
    for block in re.split(r"\n\s*\n", text):
        words = " ".join(re.sub(r"[*`|#]", " ", block).split())
        for sentence in re.split(r"(?<=[.?!]) (?=\W*[A-Z0-9])", words):
            if len(sentence.split()) >= SHORT:
                sentences.append(sentence)
    return sentences


def main(pages: tuple[Path, ...], /) -> None:
    """Print a line for each page, and below it the sentences that are too long."""
    for page in pages:
        found = measure(page.read_text(encoding="utf-8"))
        words = [len(sentence.split()) for sentence in found.sentences]
        print(
            f"{page}: {found.lines} lines, the longest of {found.longest_line} characters; "
            f"{len(words)} sentences, median {median(words):g} words, "
            f"{found.share_of_long_sentences:.1%} above {LONG}"
        )
        for sentence in found.long_sentences[:5]:
            print(f"  {len(sentence.split())}: {sentence}")


if __name__ == "__main__":
    tyro.cli(main)
