"""Options of `change-it annotate sample`, `serve` and `score`."""

from dataclasses import dataclass
from pathlib import Path

import tyro

from change_it.training.arguments import InferenceOptions
from change_it.translation import Language


@dataclass(kw_only=True)
class SheetOptions:
    """Draw a blinded sheet of gold and system headlines for annotators, and the key that says which is which.

    Half of each condition's headlines are of each outlet. No headline occurs twice, and an event only where
    there are too few. Give annotators the sheet, as a file or with `change-it annotate serve`, and keep the key.

    Examples:
        change-it annotate sample --corpus runs/mine/corpus --out study/sheet.csv
        change-it annotate sample --corpus runs/mine/corpus --predictions sum=sum.csv s2s=s2s.csv --out study/sheet.csv
        change-it annotate sample --corpus runs/mine/corpus --predictions sum=sum.csv --items 60 --ratings --out study/sheet.csv
    """

    corpus: str
    """Corpus folder or data set id on the Hub; its A2 articles are sampled."""
    predictions: tuple[str, ...] = ()
    """Systems as NAME=FILE, files as `change-it transfer` writes them; each is a condition beside gold."""
    items: int = 200
    """Headlines of each condition, an even number (LREC 2020: 200)."""
    names: str = ""
    """What annotators call the two outlets, such as "la Repubblica,Il Giornale"; the corpus's short names when not given."""
    ratings: bool = False
    """Ask also for content and fluency, 1 to 5; the article is shown once the outlet is chosen."""
    out: Path
    """The sheet, a CSV file; the key is written beside it, `sheet-key.csv` beside `sheet.csv`."""
    seed: int = 1
    """Of the draw and of the order."""

    @property
    def key_file(self) -> Path:
        """Where the key of the sheet stands."""
        return self.out.with_name(f"{self.out.stem}-key.csv")


@dataclass(kw_only=True)
class ServeOptions:
    """A page on which people annotate a sheet, one headline at a time, by keys or on a phone.

    Everybody enters a name, and goes on where that name stopped. Every answer is on the disk before the next headline is shown.

    Examples:
        change-it annotate serve study/sheet.csv
        change-it annotate serve study/sheet.csv --answers study/answers --host 0.0.0.0 --language en
    """

    sheet: tyro.conf.Positional[Path]
    """A sheet written by `change-it annotate sample`."""
    answers: Path | None = None
    """Folder for one file an annotator; `answers` beside the sheet when not given."""
    host: str = "127.0.0.1"
    """Address to listen at; 0.0.0.0 lets other machines in."""
    port: int = 7860
    """Port to listen at; 0 takes a free one."""
    hosts: tuple[str, ...] = ()
    """With a local --host: host names under which a proxy before the page is reached; all others are refused."""
    language: Language = "it"
    """Language of the page."""
    share: bool = False
    """Open a public address through Gradio's servers."""


@dataclass(kw_only=True)
class StudyOptions(InferenceOptions):
    """Accuracy, F1 and agreement of annotators (LREC 2020, Tables 1, 4 and 5), beside the judges on the same headlines.

    Examples:
        change-it annotate score study/answers/anna.csv study/answers/ben.csv --key study/sheet-key.csv
        change-it annotate score study/answers/*.csv --key study/sheet-key.csv --judges runs/mine/judges --out study/report
        change-it annotate score study/answers/*.csv --key study/sheet-key.csv --judges runs/mine/judges --hevas --out study/report
    """

    sheets: tyro.conf.Positional[tuple[Path, ...]]
    """Files of annotators, one each: of the page, or sheets with the column answer filled in; the file's name is theirs."""
    key: Path
    """The key that `change-it annotate sample` wrote beside the sheet."""
    judges: str | None = None
    """Folder or Hub id of judges to compare with."""
    hevas: bool = False
    """With ratings: correlate them with the metrics of HEvAS too."""
    language: str = "it"
    """Of the headlines, for HEvAS and facts: it or en."""
    out: Path | None = None
    """Folder for report.html, tables.md, tables.json, tables/ and items.csv; nothing is written when not given."""
    json: bool = False
    """Print JSON instead of tables."""
    resamples: int = 1000
    """Bootstrap resamples of the intervals."""
    seed: int = 1
    """Of the intervals, and of HEvAS."""
