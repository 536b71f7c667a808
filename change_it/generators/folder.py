"""A generator's folder: its `generator.json`, and the choice among several generators."""

import tomllib
from collections import Counter
from dataclasses import asdict, dataclass, fields
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from huggingface_hub.dataclasses import strict
from huggingface_hub.errors import StrictDataclassError

from change_it.corpus.folder import read_language, read_table
from change_it.errors import InputError
from change_it.files.atomic import read_json, write_json
from change_it.files.model_folders import GENERATOR_FILE, suggest_folder
from change_it.generators.examples import Reads
from change_it.generators.options import ModelKind
from change_it.generators.recipes import RECIPES
from change_it.text.stopwords import guess_language
from change_it.version import __version__

COMMAND = "change-it train generator"
#: Tokens of a source or a headline, at most.
TOKENS = 10_000
Dtype = Literal["float32", "bfloat16"]


@strict
@dataclass(kw_only=True)
class GeneratorInfo:
    """Recipe, outlets, model and lengths of a generator."""

    recipe: str
    reads: Reads
    to: str | None  # outlet whose headlines it writes; None for agnostic and rewrite
    outlets: tuple[str, str]
    kind: ModelKind
    architecture: str  # s2s, pn, pnc, transformer, or the pre-trained model
    base: str | None  # Hub id or folder that the adapters belong to
    language: str  # of the corpus and of a causal model's prompt: it, en or none
    source_tokens: int
    target_tokens: int
    seed: int
    corpus: str
    no_repeat_ngram_size: int = 3
    base_dtype: Dtype = "float32"  # of the weights that the adapters were trained around
    prompt: tuple[str, str] | None = None  # before and after the source, of a causal model
    chat_end: str | None = (
        None  # token that ends a headline in the chat template that `prompt` has; None without one
    )
    version: str = __version__

    def save(self, folder: Path) -> None:
        """Write `generator.json`."""
        write_json(folder / GENERATOR_FILE, asdict(self))

    @property
    def needs(self) -> tuple[str, ...]:
        """The texts of an item that it reads."""
        return ("headline", "article") if self.reads == "both" else (self.reads,)

    @property
    def pretrained(self) -> str:
        """Name of the pre-trained model that it was trained from; empty for a network of this package."""
        return "" if self.kind == "words" else Path(self.base or self.architecture).name

    @classmethod
    def load(cls, folder: Path) -> "GeneratorInfo":
        """Read `generator.json`."""
        path = folder / GENERATOR_FILE
        if (values := read_json(path)) is None:
            raise InputError(
                f"{folder} holds no {GENERATOR_FILE}: give the folder of one generator, since it is one model a repository, or "
                f"train one with {COMMAND}"
            )
        chosen = {field.name: values[field.name] for field in fields(cls) if field.name in values}
        lists = {name: tuple(value) for name, value in chosen.items() if isinstance(value, list)}
        try:
            info = cls(**chosen | lists)
            if info.recipe not in RECIPES:
                raise ValueError(f"no recipe {info.recipe}; there are {', '.join(RECIPES)}")
            if not all(0 < tokens <= TOKENS for tokens in (info.source_tokens, info.target_tokens)):
                raise ValueError(f"lengths out of 1 to {TOKENS:,} tokens")
        except (StrictDataclassError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{path} is broken ({reason}): train the generator again") from error
        return info


def corpus_language(corpus: str) -> str:
    """The language that `corpus build` wrote down, or else the headlines': it, en or none."""
    if language := read_language(corpus):
        return language
    headlines = read_table(corpus, "articles", "train", ["headline"])["headline"]
    return guess_language(headlines.head(1000).to_list())


def read_prompts(language: str) -> dict[str, Any]:
    """The prompts in a language, or in English where it has none."""
    folder = files("change_it.generators") / "prompts"
    path = folder / f"{language}.toml"
    path = path if path.is_file() else folder / "en.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def prompt_of(language: str, reads: str, to: str | None) -> tuple[str, str]:
    """The text before and after the source in the prompt of a causal model; `to` None is agnostic, or a field that each source fills."""
    template = read_prompts(language)[reads]["targeted" if to else "agnostic"]
    before, _, after = template.replace("{to}", to or "{to}").partition("{source}")
    return before, after


def choose_generators(
    folder: Path, recipe: str | None, to: str | None, *, name: str
) -> dict[Path, GeneratorInfo]:
    """One generator, or one for each outlet, of a folder that holds generators; see `HeadlineTransfer.from_pretrained`."""
    alone = (folder / GENERATOR_FILE).exists()
    paths = [folder] if alone else [path.parent for path in sorted(folder.glob(f"*/{GENERATOR_FILE}"))]
    infos = {path: GeneratorInfo.load(path) for path in paths}
    if not infos:
        mend = f"train one with {COMMAND}"
        if (folder / "config.json").exists():
            mend += (
                f" --architecture {name}, or copy {GENERATOR_FILE} of adapters that are merged there into it"
            )
        raise InputError(f"{name} holds no generator: {suggest_folder(folder, 'generators') or mend}")
    recipes = list(dict.fromkeys(info.recipe for info in infos.values()))
    if recipe is None and len(recipes) > 1:
        raise InputError(f"{name} has generators of several recipes: choose one of {', '.join(recipes)}")
    recipe = recipe or recipes[0]
    chosen = {
        path: info
        for path, info in infos.items()
        if info.recipe == recipe and (to is None or info.to in (None, to))
    }
    if not chosen:
        held = ", ".join(f"{path.name} ({info.recipe})" for path, info in infos.items())
        raise InputError(f"{name} has no {recipe} generator{f' for {to}' if to else ''}: it holds {held}")
    outlets = next(iter(chosen.values())).outlets
    if to not in (None, *outlets):
        raise InputError(f"{to} is no outlet of {name}: give {' or '.join(outlets)}")
    outlet, count = Counter(info.to for info in chosen.values()).most_common(1)[0]
    if count > 1:
        several = " or ".join(str(path) for path, info in chosen.items() if info.to == outlet)
        raise InputError(f"{name} has several generators for {outlet}: give one of them, {several}")
    return chosen
