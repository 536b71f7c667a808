"""Function words of Italian and English: what the alignment and the baselines leave out of a text.

The lists follow the grammar: articles, pronouns, prepositions with their contracted forms, conjunctions, the
auxiliaries in all their forms, and adverbs without a topic. Our tokenizers split at apostrophes, so the stumps of
elided words ("dell", "un", "don") are words here.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from change_it.errors import InputError
from change_it.text.tokens import words

_ITALIAN = """
il lo la i gli le l un uno una
di a da in con su per tra fra d
del dello della dei degli delle dell al allo alla ai agli alle all dal dallo dalla dai dagli dalle dall
nel nello nella nei negli nelle nell col coi sul sullo sulla sui sugli sulle sull
io tu lui lei egli ella esso essa noi voi loro essi esse
me te sé se mi ti si ci vi ne m t s c v n lo li glielo gliela glieli gliele gliene
mio mia miei mie tuo tua tuoi tue suo sua suoi sue nostro nostra nostri nostre vostro vostra vostri vostre proprio propria propri proprie
questo questa questi queste quest quello quella quelli quelle quel quei quegli quell ciò
stesso stessa stessi stesse altro altra altri altre altr tale tali
che chi cui quale quali qual quanto quanta quanti quante quant
qualche qualcuno qualcuna qualcosa qualcos alcuno alcuna alcuni alcune ogni ognuno ognuna ciascuno ciascuna ciascun nessuno nessuna nessun
niente nulla tutto tutta tutti tutte tutt tanto tanta tanti tante molto molta molti molte poco poca pochi poche po parecchi
troppo troppa troppi troppe entrambi entrambe chiunque qualsiasi qualunque
e ed o od ma però anzi bensì oppure ovvero né nemmeno neppure neanche perché poiché giacché affinché purché finché sebbene benché anche
pure infatti quindi dunque perciò pertanto tuttavia inoltre mentre quando quand come com dove dov ove donde qualora nonché eppure cioè
non no sì più meno già ancora ancor sempre mai ora allora poi prima dopo intanto subito ormai adesso appena spesso
qui qua lì là quivi ivi sopra sotto dentro fuori davanti dietro oltre attraverso verso contro presso durante senza secondo circa
sino fino entro tramite mediante salvo eccetto tranne lungo vicino lontano insieme
così tanto molto assai quasi soltanto solo sola soli sole solamente soprattutto invece forse magari certo davvero ecco bene male meglio
peggio comunque almeno abbastanza piuttosto altrimenti addirittura perfino persino ossia
è sono sei siamo siete era ero eri eravamo eravate erano fu fui fosti fummo foste furono sarà sarò sarai saremo sarete saranno
sia siano siate fosse fossi fossimo fossero sarebbe sarei saresti saremmo sareste sarebbero essere essendo stato stata stati state
ha ho hai abbiamo avete hanno aveva avevo avevi avevamo avevate avevano ebbe ebbi avesti avemmo aveste ebbero avrà avrò avrai avremo avrete
avranno abbia abbiano abbiate avesse avessi avessimo avessero avrebbe avrei avresti avremmo avreste avrebbero avere aver avendo avuto avuta
avuti avute
sta sto stai stiamo state stanno stava stavo stavano stia stiano stare stando
fa faccio fai facciamo fate fanno faceva facevano fare far facendo fatto
può posso puoi possiamo potete possono poteva potevano potrà potranno possa possano potrebbe potrebbero potere poter potuto
deve devo devi dobbiamo dovete devono doveva dovevano dovrà dovranno debba debbano dovrebbe dovrebbero dovere dover dovuto
vuole voglio vuoi vogliamo volete vogliono voleva volevano vorrà vorranno voglia vogliano vorrebbe vorrebbero volere voler voluto
viene vengono veniva venivano verrà verranno venga vengano verrebbe venire venuto va vanno andrà
"""

_ENGLISH = """
a an the
i you he she it we they me him her us them my your his its our their mine yours hers ours theirs
myself yourself himself herself itself ourselves yourselves themselves oneself
this that these those such same other others another else
who whom whose which what whatever whichever whoever whomever
someone somebody something anyone anybody anything everyone everybody everything none nobody nothing one ones
some any each every either neither both all half several few fewer fewest little less least many much more most enough no own
of in on at by for with about against between among amongst into onto through throughout during before after above below to from up upon
down out off over under around across along alongside behind beside besides beneath beyond near inside outside within without toward
towards until till since despite except per via regarding concerning like unlike amid
and or but nor so yet if unless although though because whereas while whilst whether than as lest once
when whenever where wherever why how however therefore thus hence moreover furthermore nevertheless nonetheless otherwise instead meanwhile
thereby therein thereafter whereby wherein indeed
not never ever always often sometimes usually again also too very just only even still already almost quite rather really perhaps maybe
then there here now soon later ago away back further together apart far well anyway somehow somewhere anywhere everywhere nowhere
elsewhere mostly mainly nearly merely simply especially particularly actually certainly probably likely
be am is are was were been being have has had having do does did done doing
can could may might must shall should will would ought need dare used cannot
get gets got gotten getting let lets
s t d m ll re ve don didn doesn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn mightn needn shan ain
first last next etc
"""

#: Texts that a language is guessed from, at most.
GUESSED = 2000

_LISTS = {"it": _ITALIAN, "en": _ENGLISH, "none": ""}


@cache
def stop_words(language: str) -> frozenset[str]:
    """The lower-case function words of `it`, `en`, `none` (no words), or in a UTF-8 file for another language."""
    if language not in _LISTS:
        if Path(language).is_file():
            return frozenset(Path(language).read_text(encoding="utf-8").lower().split())
        raise InputError(
            f"no stop words for language {language!r}: choose one of {', '.join(_LISTS)}, or give a file of words"
        )
    return frozenset(_LISTS[language].split())


def function_words(language: str) -> frozenset[str]:
    """The stop words of `it` or `en`; none of any other language."""
    return stop_words(language if language in ("it", "en") else "none")


def guess_language(texts: Sequence[str]) -> str:
    """`it` or `en`, whichever has more function words among the words; `none` if neither's are a tenth of them.

    Examples:
        >>> guess_language(["The mayor of Rome"]), guess_language(["Il sindaco di Roma"]), guess_language(["Roma"])
        ('en', 'it', 'none')
    """
    every = [word for text in texts[:GUESSED] for word in words(text)]
    counts = {name: sum(word in stop_words(name) for word in every) for name in ("it", "en")}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] / max(1, len(every)) > 0.1 else "none"
