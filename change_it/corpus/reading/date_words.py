"""List the words of dates in the languages whose months are known, folded as `fold_date` folds a cell."""

from change_it.text.folding import fold


def fold_date(text: str) -> str:
    """Return a date in small letters, without accents, with digits from 0 to 9."""
    return fold(text.lower())


#: Italian names of months and their short forms.
ITALIAN_MONTHS = (
    "gen gennaio|feb febbraio|mar marzo|apr aprile|mag maggio|giu giugno|"
    "lug luglio|ago agosto|set sett settembre|ott ottobre|nov novembre|dic dicembre"
)
_ENGLISH_MONTHS = (
    "jan january|feb february|mar march|apr april|may|jun june|"
    "jul july|aug august|sep sept september|oct october|nov november|dec december"
)
#: Names of months that dateutil cannot read, as in 6. März 2020 or ٦ مارس ٢٠٢٠; a language a line.
FURTHER_MONTHS = """januar februar märz april mai juni juli august september oktober november dezember
janvier février mars avril mai juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro
januari februari maart april mei juni juli augustus september oktober november december
januari februari mars april maj juni juli augusti september oktober november december
januar februar marts april maj juni juli august september oktober november desember
ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie
janar shkurt mars prill maj qershor korrik gusht shtator tetor nëntor dhjetor
stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık
января февраля марта апреля мая июня июля августа сентября октября ноября декабря
січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня
Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου \
Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου
يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر
जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर"""
#: Words that join the days of a range or list, with articles before a day.
_LINKS = """
e ed o al all alla allo a fino il l and or to through thru until till the und oder bis zum der den
et ou au jusqu le y hasta el ao ate en of tot met t/m och till til og eller si pana la sau dhe deri
me ose i do lub oraz ve ile veya и по до или і й та και εως ως μεχρι ή و الى إلى حتى और से तक या
"""
#: Words for publication and for a later change, in English, Italian, Spanish, Portuguese, French and German.
_PUBLISHED = """
published publication posted pubblicato pubblicata pubblicazione publicado publicada publicacion
publicacao publie publiee publication veroffentlicht
"""
_UPDATED = """
updated update modified revised edited aggiornato aggiornata aggiornamento modificato modificata
modifica actualizado actualizada actualizacion atualizado atualizada atualizacao mis mise modifie
modifiee aktualisiert geandert
"""
#: Words beside these that change nothing, and names of days.
_FILLING = """
il lo la alle ore h at on the last by of in data date di del dell ultimo ultima el a las de em o as
le les jour derniere am um uhr zuletzt und and e ed y et t z gmt utc est edt cst cdt mst mdt pst pdt
bst cet cest mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday
"""


def _folded(words: str) -> frozenset[str]:
    """Return the words of a text, folded."""
    return frozenset(map(fold_date, words.split()))


LINKS = _folded(_LINKS)
PUBLISHED = _folded(_PUBLISHED)
UPDATED = _folded(_UPDATED)
FILLING = _folded(_FILLING)


def _month_numbers() -> dict[str, int]:
    """Return the number of the month of each name, in all languages."""
    languages = [line.split() for line in FURTHER_MONTHS.splitlines()]
    languages += [ITALIAN_MONTHS.split("|"), _ENGLISH_MONTHS.split("|")]
    numbers = {}
    for months in languages:
        for number, names in enumerate(months, start=1):
            for name in names.split():
                numbers[fold_date(name)] = number
    return numbers


MONTH_NUMBERS = _month_numbers()
