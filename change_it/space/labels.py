"""The labels of the page in English and Italian; the browser's language decides which are shown."""

import gradio as gr
from gradio.i18n import I18nData

_ENGLISH = {
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
_ITALIAN = {
    "heading": "# Titoli che cambiano stile\nUn titolo di un giornale riscritto nello stile di un altro, e giudici che "
    "dicono se la storia è rimasta, se lo stile è cambiato, se si legge bene e se numeri, nomi e citazioni vengono "
    "dall'articolo.",
    "no_models": "Qui non ci sono modelli: indica i giudici e i generatori con CHANGE_IT_JUDGES e CHANGE_IT_GENERATORS, "
    "oppure avvia `change-it demo`. La qualità dei titoli funziona comunque.",
    "transfer": "Trasferisci",
    "score": "Valuta",
    "quality": "Qualità dei titoli",
    "original": "Titolo originale",
    "article": "Articolo",
    "direction": "Direzione",
    "system": "Sistema",
    "candidates": "Candidati mostrati",
    "examples": "Esempi (testi inventati)",
    "examples_of_corpus": "Esempi dall'insieme di test",
    "new": "Titolo nuovo",
    "new_info": "Un titolo scritto da te, e che cosa ne dicono i giudici",
    "new_file": "CSV con i titoli nuovi",
    "format": "Molti titoli insieme: un CSV con le colonne `id,source,article,label,headline`. `source` e `article` sono il "
    "titolo originale e il suo articolo, `label` è il giornale da cui vengono, `headline` è il titolo nuovo; se è vuoto conta "
    "come fallito. Facoltative: `gold` per il titolo dell'altro giornale sullo stesso "
    "fatto (BLEU e ROUGE), `reranker` come lo scrive `change-it transfer`.",
    "try": "Prova con un esempio",
    "download": "Scarica",
    "quality_intro": "HEvAS misura i titoli rispetto ai documenti: quanto sono informativi e quanto si leggono bene. Non "
    "servono giudici.",
    "documents": "Documenti (CSV)",
    "systems": "Sistemi: un file ciascuno",
    "systems_info": "I documenti hanno la colonna `article`, e `id` e `headline` se ci sono: `headline` contiene i titoli "
    "di riferimento. Un sistema è un .txt con un titolo per riga, o un CSV con `id` e `headline`.",
    "options": "Sistemi di base, lingua",
    "baselines": "Sistemi di base con cui confrontare",
    "language": "Lingua dei testi",
    "measure": "Misura",
}
#: What Gradio's own parts say: it has no Italian.
_GRADIO = {
    "upload_text.drop_file": "Trascina qui il file",
    "upload_text.click_to_upload": "scegline uno",
    "common.or": "oppure",
    "common.clear": "Svuota",
    "errors.use_via_api": "Uso da programma (API)",
}

#: Gradio's pages translate every text that is a key, values of components too: no value begins with this.
_PREFIX = "ci-"
LABELS = gr.I18n(
    en={_PREFIX + key: text for key, text in _ENGLISH.items()},
    it={_PREFIX + key: text for key, text in _ITALIAN.items()} | _GRADIO,
)


def label(key: str) -> I18nData:
    """A label in the language of the browser, as components take it."""
    return LABELS(_PREFIX + key)
