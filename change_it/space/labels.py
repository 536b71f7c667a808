"""The labels of the page."""

#: By where they are shown.
LABELS = {
    "heading": "# Headlines that change their style\nA headline of one newspaper rewritten in the style of another, and "
    "judges that say whether the story stayed, whether the style changed, whether it reads well, and whether its "
    "numbers, names and quotations occur in the article. No judge reads who did what, or who said it.",
    "transfer": "Transfer",
    "score": "Score",
    "original": "Original headline",
    "article": "Article",
    "direction": "Direction",
    "system": "System",
    "candidates": "Candidates shown",
    "examples": "Examples (invented texts)",
    "examples_of_corpus": "Examples of the test set",
    "write": "A headline of one of the two newspapers",
    "paste": "The article below it",
    "new": "New headline",
    "new_info": "A headline that you wrote, and what the judges say of it",
}
