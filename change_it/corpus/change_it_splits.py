"""Build aligned splits of raw articles as a `datasets` builder, as `change-it corpus build` does."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import polars as pl

from change_it.corpus.build import build_corpus
from change_it.corpus.folder import CONFIGS, features
from change_it.corpus.reading.options import BuildOptions
from change_it.corpus.reading.reading import read_articles
from change_it.version import __version__

_OPTIONS = [field for field in dataclasses.fields(BuildOptions) if field.name not in ("files", "out")]

ChangeItSplitsConfig = dataclasses.make_dataclass(
    "ChangeItSplitsConfig",
    [(field.name, field.type, dataclasses.field(default=field.default)) for field in _OPTIONS],
    bases=(datasets.BuilderConfig,),
    namespace={"__doc__": "The options of `change-it corpus build`.", "__module__": __name__},
)


class ChangeItSplits(datasets.GeneratorBasedBuilder):
    """Read, align and split raw articles; rows are those of `change-it corpus build` with the same options.

    `config_name` is `pairs` (default), `articles` or another config of a corpus folder, `data_files` the
    articles as `corpus build` reads them; its other options are keywords.

    As in:

        builder = ChangeItSplits(config_name="pairs", data_files="articles/*.csv", language="it")
        builder.download_and_prepare()
        pairs = builder.as_dataset(split="test")
    """

    BUILDER_CONFIG_CLASS = ChangeItSplitsConfig
    #: With the package's version: another one reads nothing from the cache of this one.
    BUILDER_CONFIGS = [  # noqa: RUF012 (the library's form)
        ChangeItSplitsConfig(name=name, version=__version__) for name in CONFIGS
    ]
    DEFAULT_CONFIG_NAME = "pairs"

    def _info(self) -> datasets.DatasetInfo:
        # The names of class labels are the outlets', known only when the articles are read.
        return datasets.DatasetInfo(description="Aligned headlines and articles of two outlets.")

    def _split_generators(self, dl_manager: Any) -> list[datasets.SplitGenerator]:
        if not self.config.data_files:
            raise ValueError("give the raw articles as data_files=...")
        fetched = dl_manager.download_and_extract(self.config.data_files)
        parts = fetched.values() if isinstance(fetched, dict) else [fetched]
        files: list[str] = []
        for part in parts:
            if isinstance(part, str | Path):
                files.append(str(part))
            else:
                files += [str(file) for file in part]
        chosen = {field.name: getattr(self.config, field.name) for field in _OPTIONS}
        options = BuildOptions(files=tuple(files), out=Path(), **chosen)
        corpus = build_corpus(read_articles(options), options)
        self.info.features = datasets.Features.from_dict(features(self.config.name, corpus.outlets))
        generators = []
        for side, table in corpus.tables.get(self.config.name, {}).items():
            generators.append(datasets.SplitGenerator(name=side, gen_kwargs={"table": table}))
        return generators

    def _generate_examples(self, table: pl.DataFrame) -> Iterator[tuple[int, dict[str, Any]]]:
        yield from enumerate(table.iter_rows(named=True))
