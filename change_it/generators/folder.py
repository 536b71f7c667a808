"""Read and write the `generator.json` of a folder, and choose among the generators of a folder."""

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

#: The command that trains what is missing or broken.
COMMAND = "change-it train generator"
#: Tokens of a source or a headline, at most.
MOST_TOKENS = 10_000
#: Headlines of a corpus that its language is guessed from, at most.
GUESSED_FROM = 1000
#: Types of weights.
Dtype = Literal["float32", "bfloat16"]


@strict
@dataclass(kw_only=True)
class GeneratorInfo:
    """Recipe, outlets, model and lengths of a generator.

    Attributes:
        recipe: name of its entry in `RECIPES`.
        reads: what it reads of an item.
        to: outlet whose headlines it writes; None for agnostic and rewrite.
        outlets: short names of A and B.
        kind: a network over words, or a pre-trained model.
        architecture: s2s, pn, pnc, transformer, or the pre-trained model.
        base: Hub id or folder of the model that the adapters belong to; None without adapters.
        language: language of the corpus and of a causal model's prompt: it, en or none.
        source_tokens: tokens of a source, at most.
        target_tokens: tokens of a headline, at most.
        seed: seed of its training.
        corpus: name of the folder of its corpus.
        no_repeat_ngram_size: size of n-grams that are not written twice; see `options.Preset`.
        base_dtype: type of the weights that the adapters were trained around.
        prompt: text before and after the source, of a causal model.
        chat_end: token that ends a headline in the chat template that `prompt` has; None without one.
        version: version of the package that trained it.
    """

    recipe: str
    reads: Reads
    to: str | None
    outlets: tuple[str, str]
    kind: ModelKind
    architecture: str
    base: str | None
    language: str
    source_tokens: int
    target_tokens: int
    seed: int
    corpus: str
    no_repeat_ngram_size: int = 3
    base_dtype: Dtype = "float32"
    prompt: tuple[str, str] | None = None
    chat_end: str | None = None
    version: str = __version__

    def save(self, folder: Path) -> None:
        """Write `generator.json`."""
        write_json(folder / GENERATOR_FILE, asdict(self))

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the names of the texts of an item that it reads."""
        if self.reads == "both":
            return ("headline", "article")
        return (self.reads,)

    @property
    def pretrained(self) -> str:
        """Return the pre-trained model that it was trained from; empty for a network of this package."""
        if self.kind == "words":
            return ""
        return Path(self.base or self.architecture).name

    @classmethod
    def load(cls, folder: Path) -> "GeneratorInfo":
        """Read `generator.json`.

        Raises:
            InputError: there is none, or it does not describe a generator.
        """
        path = folder / GENERATOR_FILE
        values = read_json(path)
        if values is None:
            raise InputError(
                f"{folder} holds no {GENERATOR_FILE}: give the folder of one generator, "
                f"since it is one model a repository, or train one with {COMMAND}"
            )
        known: dict[str, Any] = {}
        for field in fields(cls):
            if field.name in values:
                value = values[field.name]
                if isinstance(value, list):
                    value = tuple(value)
                known[field.name] = value
        try:
            info = cls(**known)
            if info.recipe not in RECIPES:
                raise ValueError(f"no recipe {info.recipe}; there are {', '.join(RECIPES)}")
            for tokens in (info.source_tokens, info.target_tokens):
                if not 0 < tokens <= MOST_TOKENS:
                    raise ValueError(f"lengths out of 1 to {MOST_TOKENS:,} tokens")
        except (StrictDataclassError, TypeError, ValueError) as error:
            reason = " ".join(str(error).split())
            raise InputError(f"{path} is broken ({reason}): train the generator again") from error
        return info


def corpus_language(corpus: str) -> str:
    """Return the language that `corpus build` wrote down, or else the headlines': it, en or none."""
    language = read_language(corpus)
    if language:
        return language
    headlines = read_table(corpus, "articles", "train", ["headline"])["headline"]
    return guess_language(headlines.head(GUESSED_FROM).to_list())


def read_prompts(language: str) -> dict[str, Any]:
    """Read the prompts in a language, or in English where there are none."""
    folder = files("change_it.generators") / "prompts"
    path = folder / f"{language}.toml"
    if not path.is_file():
        path = folder / "en.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def prompt_of(language: str, reads: str, to: str | None) -> tuple[str, str]:
    """Return the text before and after the source in the prompt of a causal model.

    Args:
        language: it or en; others have the prompt of English.
        reads: what the generator reads.
        to: the outlet that it writes for; None of a generator for both, whose prompt has no outlet
            (agnostic), or a field that each source fills.
    """
    prompts = read_prompts(language)[reads]
    template = prompts["targeted"].replace("{to}", to) if to else prompts["agnostic"]
    before, _, after = template.partition("{source}")
    return before, after


def choose_generators(
    folder: Path, recipe: str | None, to: str | None, *, name: str
) -> dict[Path, GeneratorInfo]:
    """Choose one generator, or one for each outlet, in a folder that is or holds generators.

    Args:
        folder: the folder.
        recipe: recipe of the generators; None where there is one alone.
        to: outlet that is written for; None for all.
        name: what the folder is called in messages.

    Raises:
        InputError: there is no such generator, or several fit.
    """
    infos = _read_infos(folder, name)
    recipes = list(dict.fromkeys(info.recipe for info in infos.values()))
    if recipe is None and len(recipes) > 1:
        raise InputError(f"{name} has generators of several recipes: choose one of {', '.join(recipes)}")
    recipe = recipe or recipes[0]
    chosen: dict[Path, GeneratorInfo] = {}
    for path, info in infos.items():
        is_for_outlet = to is None or info.to in (None, to)
        if info.recipe == recipe and is_for_outlet:
            chosen[path] = info
    if not chosen:
        wanted = f"{recipe} generator for {to}" if to else f"{recipe} generator"
        held = ", ".join(f"{path.name} ({info.recipe})" for path, info in infos.items())
        raise InputError(f"{name} has no {wanted}: it holds {held}")
    outlets = next(iter(chosen.values())).outlets
    if to is not None and to not in outlets:
        raise InputError(f"{to} is no outlet of {name}: give {' or '.join(outlets)}")
    [(outlet, count)] = Counter(info.to for info in chosen.values()).most_common(1)
    if count > 1:
        several = " or ".join(str(path) for path, info in chosen.items() if info.to == outlet)
        raise InputError(f"{name} has several generators for {outlet}: give one of them, {several}")
    return chosen


def _read_infos(folder: Path, name: str) -> dict[Path, GeneratorInfo]:
    """Read the generator of a folder, or all that its subfolders hold, by their paths.

    Raises:
        InputError: there is none.
    """
    if (folder / GENERATOR_FILE).exists():
        return {folder: GeneratorInfo.load(folder)}
    infos = {}
    for file in sorted(folder.glob(f"*/{GENERATOR_FILE}")):
        infos[file.parent] = GeneratorInfo.load(file.parent)
    if not infos:
        advice = f"train one with {COMMAND}"
        if (folder / "config.json").exists():
            advice = (
                f"{advice} --architecture {name}, "
                f"or copy {GENERATOR_FILE} of adapters that are merged there into it"
            )
        raise InputError(f"{name} holds no generator: {suggest_folder(folder, 'generators') or advice}")
    return infos
