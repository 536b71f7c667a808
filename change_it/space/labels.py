"""The labels of the page."""

#: By where they are shown.
LABELS = {
    "heading": "# Headlines that change their style\nA headline of one newspaper rewritten in the style of another, and "
    "judges that say whether the story stayed, whether the style changed, whether it reads well, and whether its "
    "numbers, names and quotations come from the article.",
    "no_models": "There are no models here: name judges and generators by CHANGE_IT_JUDGES and CHANGE_IT_GENERATORS, or "
    "start `change-it demo`. Headline quality works without them.",
    "transfer": "Transfer",
    "score": "Score",
    "quality": "Headline quality",
    "original": "Original headline",
    "article": "Article",
    "direction": "Direction",
    "system": "System",
    "candidates": "Candidates shown",
    "examples": "Examples (invented texts)",
    "examples_of_corpus": "Examples of the test set",
    "new": "New headline",
    "new_info": "A headline that you wrote, and what the judges say of it",
    "new_file": "CSV with new headlines",
    "format": "Many headlines at once: a CSV with the columns `id,source,article,label,headline`. `source` and `article` are "
    "the original headline and its article, `label` is the newspaper they come from, `headline` is the new headline; an "
    "empty one counts as failed. Optional: `gold` for the other newspaper's "
    "headline about the same event (BLEU and ROUGE), `reranker` as `change-it transfer` writes it.",
    "try": "Try it with an example",
    "download": "Download",
    "quality_intro": "HEvAS measures headlines against their documents: how informative they are and how easy to read. It "
    "needs no judges.",
    "documents": "Documents (CSV)",
    "systems": "Systems: one file each",
    "systems_info": "Documents have the column `article`, and `id` and `headline` if you have them: `headline` holds the "
    "reference headlines. A system is a .txt with one headline a line, or a CSV with `id` and `headline`.",
    "options": "Baselines, language",
    "baselines": "Baselines to compare with",
    "language": "Language of the texts",
    "measure": "Measure",
}
