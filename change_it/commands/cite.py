"""`change-it cite`: prints BibTeX."""

from dataclasses import dataclass


@dataclass(kw_only=True)
class CiteOptions:
    """Print what to cite, as BibTeX: this package and the papers whose methods it implements.

    Examples:
        change-it cite
        change-it cite > change_it.bib
    """


def run(options: CiteOptions) -> None:
    """Print the entries."""
    from change_it.published_figures import bibtex

    print(bibtex())
