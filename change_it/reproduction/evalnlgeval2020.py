"""EvalNLGEval 2020: Table 1 (judges), Table 2 (SUM as PN and PNC, S2S1-3), and the upper bounds of gold."""

from typing import get_args

from change_it import published_figures
from change_it.corpus.folder import read_outlets
from change_it.generators.generator_options import TRANSFORMER, Recipe
from change_it.reproduction.paper_tables import (
    judges_table,
    order_table,
    read_results,
    systems_table,
    weights_of,
)
from change_it.reproduction.reproduce_options import ReproduceOptions
from change_it.reproduction.scales import (
    OUR_WRITER,
    JudgeKind,
    generator_step,
    judge_steps,
    score_step,
    transfer_step,
    writer_note,
    writer_steps,
)
from change_it.results.document import Document, Section
from change_it.steps import Step

#: Our system to recipe, architecture and the paper's name; SUM is PN by the text and PNC by the organisers' file. The last is not
#: the paper's: our Transformer, which learns to write within minutes, where its networks are not trained to their end.
SYSTEMS: dict[str, tuple[Recipe, str, str]] = {
    "sum": ("sum", "pn", "SUM"),
    "sum-pnc": ("sum", "pnc", "SUM"),
    "s2s1": ("s2s1", "s2s", "S2S1"),
    "s2s2": ("s2s2", "s2s", "S2S2"),
    "s2s3": ("s2s3", "s2s", "S2S3"),
    "sum-transformer": ("sum", TRANSFORMER, ""),
}

#: The systems whose order the paper prints, to its names.
COMPARED = {name: SYSTEMS[name][2] for name in ("sum", "s2s1", "s2s2", "s2s3")}


def systems(options: ReproduceOptions) -> dict[str, tuple[Recipe, str, str]]:
    """The systems of a scale."""
    full = options.scale == "full"
    return {name: system for name, system in SYSTEMS.items() if system[1] != TRANSFORMER or not full}


def plan(options: ReproduceOptions) -> list[Step]:
    """Judges of both kinds, two generators a system, and the systems' scores by both kinds."""
    judges = {kind: judge_steps(options, kind) for kind in get_args(JudgeKind)}
    steps = [step for of_kind in judges.values() for step in of_kind]
    files, written = {}, []
    for system, (recipe, architecture, _) in systems(options).items():
        trained = [
            generator_step(options, system, recipe, architecture, to) for to in read_outlets(options.corpus)
        ]
        transferred = transfer_step(options, system, tuple(step.name for step in trained))
        steps += [*trained, transferred]
        files[system] = transferred.makes
        written.append(transferred.name)
    if tuned := writer_steps(options):
        steps += tuned
        files[OUR_WRITER] = tuned[-1].makes
        written.append(tuned[-1].name)
    return steps + [
        score_step(options, kind, files, (*(step.name for step in of_kind), *written))
        for kind, of_kind in judges.items()
    ]


def document(options: ReproduceOptions) -> Document:
    """Tables 1 and 2 by the papers' kind of judges, and Table 2 by ours."""
    sections = [
        Section(
            "table1",
            judges_table(options, get_args(JudgeKind), "Table 1: judges on gold data"),
            "papers: an encoder with a linear layer, as in the paper; ours: with n-grams (main), with shared words and facts (HH, AH).",
        )
    ]
    signatures = []
    printed = {"gold": "gold", **{name: theirs for name, (_, _, theirs) in systems(options).items()}}
    if options.writer:
        printed[OUR_WRITER] = ""
    for kind in get_args(JudgeKind):
        scores = read_results(options.out / "scores" / kind / "scores.json")
        title = f"Table 2: systems, by the judges, {kind}"
        bound = "gold: the other newspaper's headline on the same event, the upper bound."
        table = systems_table(options, scores, published_figures.PUBLISHED_SYSTEMS, printed, title)
        sections.append(Section(f"table2-{kind}", table, bound if kind == "papers" else ""))
        sections.append(
            Section(
                f"order-{kind}",
                order_table(
                    scores,
                    published_figures.PUBLISHED_SYSTEMS,
                    COMPARED,
                    f"Order of the systems, by the judges, {kind}",
                ),
            )
        )
        signatures.append(scores["signature"])
    hashes = "; ".join(f"{kind} {weights_of(options, kind)}" for kind in get_args(JudgeKind))
    lead = (
        f"{published_figures.CITATIONS['evalnlgeval2020']} Scale: {options.scale}. Weights of the judges: {hashes}."
        + writer_note(options)
    )
    return Document("EvalNLGEval 2020, published and measured", lead, sections, signatures)
