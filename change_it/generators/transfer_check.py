"""What `change-it transfer` refuses before torch and transformers are loaded."""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from change_it.corpus.folder import check_outlet
from change_it.corpus.reading import COLUMNS
from change_it.errors import InputError
from change_it.generators.card import choose_generators
from change_it.generators.decoding import Decoding
from change_it.generators.arguments import CANDIDATES, EXTRACT, TransferOptions
from change_it.io import HUB, SUFFIXES, check_writable, listed, parse_columns, read_tables


def check(options: TransferOptions) -> None:
    """Refuse options that do not fit each other, a generator that is none, an unknown outlet, and columns that are not there.

    Of generators on the Hub nothing is known, and of tables other than CSV only once they are read.
    """
    _check_fit(options)
    needs, targets = {"article"}, 2
    if options.generator == EXTRACT:
        if options.to is not None:
            check_outlet(str(options.corpus), options.to)
    elif (folder := Path(options.generator)).is_dir():
        cards = choose_generators(folder, options.recipe, options.to, name=options.generator).values()
        needs = {text for card in cards for text in ("headline", "article") if card.reads in (text, "both")}
        targets = sum(1 if card.to else 2 for card in cards)
    else:
        needs = set()
    if options.rerank:
        needs = {"headline", "article"}
    if options.input and not options.input.startswith(HUB):
        names = parse_columns(options.columns, COLUMNS)
        tables = read_tables([options.input])
        if any(SUFFIXES.get(Path(table.name).suffix.lower()) != "CSV" for table in tables):
            return
        for table in tables:
            list(islice(table.rows, 1))
        seen = {name: None for table in tables for name in table.columns}
        if seen:
            label_is_read = options.to is None and targets > 1
            check_columns(options.input, seen, names, needs=sorted(needs), label_is_read=label_is_read)


def check_columns(
    file: str,
    seen: Mapping[str, None],
    names: Mapping[str, Sequence[str]],
    *,
    needs: Sequence[str],
    label_is_read: bool,
) -> None:
    """Refuse a table of texts that lacks a column: one that is read, or one that `--columns` names.

    Args:
        file: as it was given.
        seen: its columns.
        names: our columns and the file's names for them.
        needs: texts that are read.
        label_is_read: whether the outlet of a row must be known.
    """
    wanted = [*needs, *(["label"] if label_is_read else [])]
    given = [ours for ours in names if names[ours] != COLUMNS[ours] and names[ours]]
    for ours in dict.fromkeys([*wanted, *given]):
        if not any(name in seen for name in names[ours]):
            fix = "or give --to" if ours == "label" else "as in --columns headline=title,article=body"
            raise InputError(
                f"{file} has no column {' or '.join(names[ours]) or ours} (its columns are {listed(list(seen), 20)}): "
                f"name yours {fix}"
            )


def _check_fit(options: TransferOptions) -> None:
    """Refuse options that do not fit each other."""
    extract = options.generator == EXTRACT
    files = {"--input": options.input, "--out": options.out, "--corpus": None if extract else options.corpus}
    if options.headline:
        given = [name for name, value in files.items() if value]
        if given := [*given, *(["--engine ray"] if options.engine == "ray" else [])]:
            raise InputError(
                f"a headline on the command line needs no {' and no '.join(given)}: leave it out"
            )
    elif options.article or options.json:
        raise InputError(
            '--article and --json are of one headline: give it first, as in change-it transfer "…" --article FILE'
        )
    elif options.out is None:
        raise InputError("give a headline and its --article, or --out with --corpus or --input")
    if extract and not options.corpus:
        raise InputError("--generator extract learns from a corpus: give --corpus")
    if extract and options.recipe:
        raise InputError("--recipe is for trained generators, extract has none: leave it out")
    if not extract and not options.headline and bool(options.corpus) == bool(options.input):
        raise InputError(
            "give --corpus to transfer its A2 headlines, or --input to transfer a file of your own"
        )
    if options.columns and not options.input:
        raise InputError("--columns is for the file of --input: leave it out")
    if options.candidates is not None and not options.rerank:
        raise InputError("--candidates are for judges to choose among: give --rerank, or leave it out")
    if options.objective != "compliancy" and not options.rerank:
        raise InputError("--objective is of judges that choose: give --rerank, or leave it out")
    if options.batch_size is not None and options.batch_size < 1:
        raise InputError(f"--batch-size {options.batch_size}: give at least 1")
    decoding_of(options)
    options.check_engine()
    if options.out:
        inputs = options.input, options.corpus, options.generator, options.rerank
        check_writable(options.out, kind="file", inputs=inputs)


def decoding_of(options: TransferOptions) -> Decoding:
    """How headlines are searched for."""
    candidates = options.candidates if options.candidates is not None else CANDIDATES
    return Decoding(
        candidates=candidates if options.rerank else 1,
        beams=options.beams,
        no_repeat_ngram_size=options.no_repeat_ngram_size,
        sample=options.sample,
        temperature=options.temperature,
        top_p=options.top_p,
        seed=options.seed,
    )
