"""Recognise what chat models say besides an answer: refusals, questions back, thoughts, remarks and errors.

Phrases are Italian, English, Spanish, French and German. They are matched on folded text: lower case, without
accents, straight quotes. A phrase alone never makes a refusal: it takes a first person that cannot, and what
it cannot do is the task. Headlines quote people who cannot do other things, after a colon or in quotation
marks.
"""

import re

from change_it.text.folding import fold


def _any(*alternatives: str) -> str:
    """Return a group that matches one of the alternatives."""
    return f"(?:{'|'.join(alternatives)})"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    """Compile alternatives, of which each begins at a word."""
    return re.compile(rf"(?<!\w){_any(*alternatives)}")


def plain(text: str) -> str:
    """Return a text as the phrases are written: folded, in lower case, with single spaces."""
    return " ".join(fold(text).casefold().split())


#: What a headline is called.
TITLE = _any(
    r"titol(?:o|i|azione)",
    r"(?:head(?:line|ing)|title)s?",
    r"titular(?:es)?|titulos?|encabezados?",
    r"titres?|gros titres?",
    r"titel(?:s|n)?|titelzeilen?|uberschrift(?:en)?|schlagzeilen?",
)
#: What the text is called that an answer is about.
_TEXT = _any(
    r"articol[oi]|test[oi]|contenut[oi]|notizi[ae]",
    r"articles?|texts?|contents?|passages?",
    r"articulos?|textos?|contenidos?",
    r"textes?|contenus?",
    r"artikels?|texte?s?|inhalte?s?",
)
#: What the task is called.
_REQUEST = _any(
    r"richiest[ae]|compit[oi]|istruzion[ei]|domand[ae]",
    r"requests?|tasks?|prompts?|instructions?|questions?",
    r"solicitud(?:es)?|peticion(?:es)?|tareas?|instrucciones",
    r"demandes?|requetes?|taches?|consignes?",
    r"anfragen?|aufgaben?|anweisung(?:en)?|bitte",
)
#: What a new headline is called.
_VERSION = _any(
    r"version[ei]|riscrittur[ae]|riformulazion[ei]|propost[ae]|suggeriment[oi]|variant[ei]|opzion[ei]"
    r"|tentativ[oi]"
    r"|alternativ[ae]",
    r"versions?|rewrit(?:e|ing)s?|rewritten|suggestions?|proposals?|options?|alternatives?|variants?"
    r"|rephrasing|attempts?",
    r"version(?:es)?|propuestas?|sugerencias?|opcion(?:es)?|alternativas?|reescritura",
    r"propositions?|suggestions?|reecriture|reformulation",
    r"fassung(?:en)?|varianten?|vorschl(?:ag|age)|umformulierung(?:en)?|alternativen?|neufassung",
)
_NOUN = _any(TITLE, _TEXT, _REQUEST, _VERSION)

#: Verbs of the task, in any form.
_DO = _any(
    r"(?:ri)?scriv\w+|(?:ri)?formul\w+|gener[aio]\w*|crea\w*|produ(?:rr|c)\w+|fornir\w*|elabor\w+"
    r"|modific\w+|adatt\w+|tradu(?:rr|c)\w+"
    r"|complet\w+|soddisf\w+|esegu\w+|propo(?:rr|n)\w+|rielabor\w+|trasform\w+|inventa\w*|evadere"
    r"|svolgere|elaborare",
    r"(?:re)?writ(?:e|ing|ten)|rephras\w+|reword\w*|generat\w+|creat\w+|produc\w+|provid\w+|edit\w*"
    r"|adapt\w*|translat\w+|complet\w+"
    r"|fulfil\w*|process\w*|compl(?:y|ies)|craft\w*|compos\w+|transform\w*|make up|invent\w*|offer"
    r"|propose|suggest|come up",
    r"(?:re)?escrib\w+|reformul\w+|crear\w*|producir|proporcion\w+|editar|adaptar|traducir|cumplir"
    r"|procesar|atender|redactar\w*|realizar",
    r"(?:re)?ecri\w+|reformuler|generer|creer|produire|fournir|modifier|adapter|traduire|satisfaire"
    r"|traiter|rediger|repondre|proposer",
    r"(?:um|neu )?(?:zu)?schreib\w*|um(?:zu)?formulier\w*|formulier\w*|erstell\w*|generier\w*"
    r"|verfass\w*|bearbeit\w*|erfull\w*|liefer\w*"
    r"|umgeschrieben|umzuschreiben|nachkommen|beantwort\w*",
)
#: Help for the one who asks.
_HELP = _any(
    r"(?:aiutar|assister|accontentar|rispond)\w*(?:ti|vi|la|le)|essert[ie] d'aiuto",
    r"(?:help|assist|support) (?:you|with|in)|be of (?:help|assistance)|answer (?:that|this|your)"
    r"|(?:fulfill?|comply with|do|continue with|discuss|engage (?:with|in)) (?:that|this|your)",
    r"(?:ayudar|asistir|complacer)(?:te|le|los|les|la|lo)|ayudar con|responder a (?:eso|esto|tu|su)",
    r"(?:vous|t'|te )\s?(?:aider|assister)|aider (?:avec|a )|repondre a (?:cette|votre|ta)",
    r"(?:ihnen|dir|euch)(?: \w+){0,4}? (?:weiter)?(?:helfen|behilflich)|dabei (?:\w+ "
    r")?(?:weiter)?helfen|weiterhelfen|damit helfen",
)

#: Words of one who is sorry.
_SORRY = _any(
    r"(?:mi|ci) (?:dispiace|spiace|rincresce|scuso|scusiamo)|(?:sono )?(?:spiacente|desolat[oa])"
    r"|scus(?:a|ami|ate|atemi|i)|chiedo scusa|purtroppo|sfortunatamente|temo",
    r"(?:i'?m|i am)(?: \w+)? sorry|sorry|i (?:sincerely )?apologi[sz]e|(?:my )?(?:sincere )?apologies"
    r"|unfortunately|regrettably|i regret|(?:i'?m|i am) afraid",
    r"lo (?:siento|lamento)|me disculpo|disculp[ae]n?|perdon[ae]?|desafortunadamente|lamentablemente"
    r"|por desgracia|desgraciadamente|infelizmente|(?:mis )?disculpas|me temo|lamento",
    r"(?:je (?:suis|vous prie|m'excuse) ?)?(?:vraiment |sincerement |vivement )?(?:desolee?|navree?)|je "
    r"(?:m'excuse|regrette|crains)|excusez[- ]moi|toutes mes excuses|malheureusement|helas",
    r"(?:es )?tut mir(?: \w+)? leid|entschuldig\w+|verzeihung|leider|bedauerlicherweise|ich "
    r"(?:bedauere?|entschuldige)|tut uns leid",
)
#: A first person that cannot, or will not.
_CANNOT = _any(
    r"(?:temo di )?non (?:posso|possiamo|poter|riesco|potrei|potro|saprei|intendo|vedo|trovo|dispongo"
    r"|mi sento|sono (?:\w+ )?(?:in grado|autorizzat\w|programmat\w|progettat\w|abilitat\w)"
    r"|mi e (?:\w+ )?(?:possibile|consentito|permesso)|ho (?:ricevuto|trovato|accesso|abbastanza|modo"
    r"|la possibilita|la capacita|a disposizione|il testo|l'articolo|informazioni))",
    r"mi e impossibile|sono impossibilitat\w|(?:devo|sono costrett\w a) (?:\w+ )?(?:rifiutar\w*"
    r"|declinare|astenermi)|mi rifiuto|preferi(?:sco|rei) non",
    r"(?:i|we) (?:\w+ly )?(?:can(?:not|'?t| not)|could(?:n'?t| not)|won'?t|will not|(?:do not|don'?t) "
    r"(?:have|see|feel)|(?:must|have to) (?:\w+ )?(?:decline|refuse)|refuse|decline)",
    r"(?:i'?m|i am|we'?re|we are) (?:\w+ )?(?:unable|not (?:\w+ )?(?:able|allowed|permitted|comfortable"
    r"|authori[sz]ed|designed|programmed|going))|i won't be able",
    r"no (?:puedo|podemos|podria|podre|soy capaz|veo|dispongo|me es posible|me (?:esta|siento)|estoy "
    r"(?:\w+ )?(?:autorizad\w|programad\w|disenad\w|capacitad\w|en condiciones)|tengo (?:acceso"
    r"|permitido|la capacidad|suficiente\w*|informacion))",
    r"me es imposible|(?:debo|tengo que) (?:rechazar|negarme|declinar|rehusar)|me niego|prefiero no",
    r"je ne (?:\w+ )?(?:peux|puis|pourrais|pourrai|suis|vois|dispose|saurais|souhaite)|nous ne pouvons"
    r"|il m'est (?:\w+ )?impossible|je (?:dois|prefere) (?:refuser|decliner|ne pas)|je refuse|je n'ai "
    r"(?:pas|aucun)",
    r"ich (?:kann|konnte|darf|mochte|werde|sehe|habe|bin)\b[^.:?!\"]{0,70}?\b(?:nicht|kein\w*"
    r"|ausserstande)|(?:kann|darf|werde|bin|habe) ich\b[^.:?!\"]{0,70}?\b(?:nicht|kein\w*|ausserstande)"
    r"|ich muss (?:\w+ )*?ablehnen|ich lehne|ist (?:es )?mir (?:\w+ )?(?:nicht|un)\s?moglich",
)
#: What a model calls itself.
_MODEL = _any(
    r"(?:modello (?:linguistico|di linguaggio|ai)|intelligenza artificiale|assistente (?:virtuale|ai|ia"
    r"|digitale)|ia\b|ai\b)",
    r"(?:(?:large |ai )?language model|artificial intelligence|ai (?:assistant|model|language)|ai\b"
    r"|(?:virtual|digital) assistant|chatbot)",
    r"(?:modelo (?:de lenguaje|de ia|linguistico)|inteligencia artificial|asistente (?:virtual|de ia)|ia\b)",
    r"(?:modele (?:de langage|de langue|linguistique|d'ia)|intelligence artificielle|assistant "
    r"(?:virtuel|ia)|ia\b)",
    r"(?:(?:ki[- ]?)?sprachmodell|kunstliche intelligenz|ki[- ]?(?:assistent|modell)\w*|ki\b)",
)
#: A model that says as what it speaks.
_AS_MODEL = _any(
    rf"(?:in qualita di|in quanto|come|essendo)(?: un'?| una)? ?(?:semplice )?{_MODEL}",
    rf"(?:as|being)(?: an?| a)? (?:large )?{_MODEL}",
    rf"como(?: una?| un)? {_MODEL}|al ser(?: una?)? {_MODEL}",
    rf"en tant qu[e'] ?(?:une? |')?{_MODEL}|etant une? {_MODEL}",
    rf"als(?: ein\w*)? {_MODEL}",
)
#: A model that says what it is.
_I_AM_MODEL = (
    rf"(?:sono|i am|i'm|soy|je (?:ne )?suis(?: qu')?|ich bin)(?: \w+)?(?: an?| uno?| una| un'?| une| "
    rf"eine?)? ?(?:solo |just )?(?:large )?{_MODEL}"
)
_FIRST_PERSON = r"\b(?:i|my|me|posso|sono|ho|mio|non|no|puedo|soy|tengo|je|j'|ich|mir|kann)\b"

#: Words between a phrase and its object, in one sentence and before any quotation.
_NEAR = r"[^.:?!\"]{0,80}?\b"
#: Whoever refuses the task by its name.
_REFUSES_TASK = _pattern(
    rf"{_CANNOT}\b{_NEAR}{_DO}\b{_NEAR}{_NOUN}\b",
    rf"{_CANNOT}\b{_NEAR}{_HELP}\b{_NEAR}{_any(_NOUN, 'that', 'this', 'cio', 'eso', 'esto', 'cela', 'ca')}\b",
    rf"ich (?:kann|darf|werde|mochte)\b{_NEAR}{_NOUN}\b{_NEAR}(?:nicht|kein\w*)\b{_NEAR}{_DO}",
    rf"(?:kann|darf|werde) ich\b{_NEAR}{_NOUN}\b{_NEAR}(?:nicht|kein\w*)\b{_NEAR}{_DO}",
    rf"ich (?:kann|darf|werde)\b{_NEAR}kein\w* {_NEAR}{_NOUN}\b{_NEAR}{_DO}",
    rf"{_CANNOT}\b[^.:?!\"]{{0,30}}?\b(?:l'|il |alcun |nessun |the |any |an? |el |ningun |le |l'|aucun "
    rf"|d'|den |das |die |keine?\w? )?(?:{_TEXT}|{TITLE}|{_REQUEST})\b[^:\"]*\Z",
)
#: The task is impossible, or against rules, or something is lacking.
_NO_TASK = _pattern(
    rf"(?:(?:non e|no es|n'est pas|ist nicht|is not|isn't) (?:\w+ )?(?:possi\w+|moglich)|(?:e|es|est|is"
    rf"|ist) (?:\w+ )?(?:im|un)(?:poss?i\w+|moglich)|imposs?i\w+|unable"
    rf"|unmoglich)\b{_NEAR}(?:{_DO}\b{_NEAR}{_NOUN}|{_NOUN}\b{_NEAR}{_DO})",
    rf"(?:quest[ao]|la tua|la vostra|this|that|your|est[ae]|tu|su|cett?e?|votre|ta|dies\w*|deine?"
    rf"|ihre?) (?:{_REQUEST}|{_TEXT})\b{_NEAR}"
    r"(?:viola\w*|contravv\w+|contraviene|infringe\w*|violat\w+|goes? against|inappropriat\w+"
    r"|inappropiad\w+|inadeguat\w+|non e (?:appropriat|consentit|conform)\w+|enfreint|viole|contraire"
    r"|verstosst|verletzt|unangemessen)",
    r"(?:non (?:hai|avete|ha)|tu non (?:hai|abbia)|you (?:have not|haven't|did not|didn't|don't seem to "
    r"have)|no (?:has|ha|han)|vous n'a(?:vez|yez) pas|tu n'a(?:s|ies) pas|du hast|sie haben)"
    rf"\b{_NEAR}(?:fornit|inserit|incollat|incluso|allegat|provid|includ|past|shar|attach|proporcionad"
    rf"|incluid|pegad|compartid|fourni|inclus|colle|joint|angegeben|bereitgestellt|beigefugt"
    rf"|mitgeschickt|eingefugt)\w*",
    rf"(?:l'|il |the |no |el |le |der |die |das |kein\w* )?(?:{TITLE}|{_TEXT})(?: (?:dell'|del |de l'"
    rf"|des |of the |di )?\w+){{0,3}} (?:non e (?:\w+ )?(?:stat|present|disponibil|inclus|complet)\w*"
    rf"|(?:sembra|appare|seems?|appears?|parece|semble|scheint) (?:\w+ )?(?:\w+ )?(?:missing|incomplete"
    rf"|empty|truncated|cut|mancant\w|incomplet\w|vuot\w|troncat\w|vaci\w|manquant\w?|vide|fehl\w+|leer"
    rf"|unvollstandig)"
    r"|(?:was|is|has) (?:not|n't|missing|incomplete|empty|cut|been cut|provided)|(?:wasn't|isn't)|no "
    r"(?:esta|ha sido|fue|aparece)|n'est pas|n'a pas|(?:wurde|ist|fehlt)\b(?: \w+)? ?(?:nicht"
    r"|unvollstandig|leer)?)[^:\"]*\Z",
    rf"(?:(?:manca|mancano|falta|faltan|il manque|es fehlt|missing)|no) (?:il |l'|la |el |le |the |der "
    rf"|das |die )?(?:{_TEXT})(?: (?:dell'|del |de l'|was |is |text|provided|found|des "
    rf")?\w*){{0,3}}[.!]?\Z",
    rf"(?:ho bisogno di|mi serv\w+|avrei bisogno|i(?:'ll| will| would|'d)? need|necesit[oa]\w*"
    rf"|necesitaria|j'(?:ai|aurais) besoin|il me (?:faut|faudrait)|ich (?:brauche|benotige))\b{_NEAR}"
    rf"(?:{_TEXT}|contesto|context|contexto|contexte|kontext|dettagli|details?|detalles|information\w*"
    rf"|informazion\w+|informacion)\b[^:\"]*\Z",
)
#: What points at the text or the request of the one who asks.
_DEICTIC = _any(
    r"quest[aoi]|la tua|il tuo|la sua|il suo",
    r"this|that|your|these",
    r"est[aeo]s?|es[ae]|tu|su",
    r"ce(?:tte|t)?|votre|ta|ton",
    r"dies\w*|ihre?n?|deine?n?|solche?\w?",
)
#: A text that was to be read.
_GIVEN_TEXT = (
    "il testo|l'articolo|the article|the text|el texto|el articulo|l'article|le texte|der artikel|der text"
    "|den artikel"
)
#: A short refusal, which could be said of anything: it counts where the text ends with it.
_REFUSES = re.compile(
    r"\A\W*(?:(?:ma|but|pero|mais|aber|certo|sure|grazie|thank you|thanks)\W+)?"
    + _any(
        rf"{_SORRY}\b[^.:?\"]{{0,60}}?\b{_CANNOT}\b",
        rf"{_CANNOT}\b[^.:?\"]{{0,40}}?\b{_HELP}",
        rf"{_CANNOT} (?:farlo|procedere|continuare|proseguire|do (?:that|this|so|it)|proceed|comply"
        rf"|continue|hacerlo|continuar|proceder|(?:pas )?(?:le )?faire (?:cela|ca)|le faire)\W*\Z",
        rf"{_CANNOT}\W*\Z",
        rf"{_SORRY}\W*\Z",
        rf"{_SORRY}\b[^:\"]*?(?<!\w){_DEICTIC} (?:\w+ (?:di|of|de|von) )?{_any(TITLE, _TEXT, _REQUEST)}\b",
        rf"{_SORRY}\b[^:\"]*?(?<!\w)(?:{_GIVEN_TEXT})\b[^:\"]*\b(?:non|not|\w+n't|no|nicht|pas|manca"
        rf"|missing|fehlt)\b",
        rf"(?:\w+,? ){{0,3}}?{_CANNOT}\b[^:\"]*[.!]\W*\Z",
        rf"{_SORRY}\b[^.:\"]*\bich\b[^.:\"]*\bnicht\b",
    )
)
#: A model that names itself and speaks on as such.
_NAMES_ITSELF = re.compile(
    rf"(?:\A|[.!?,;] )(?:{_AS_MODEL}(?! \w+(?:eer|ist|ore|ere)\b)\b(?:.*?{_FIRST_PERSON}|\W*\Z)"
    rf"|{_I_AM_MODEL}\b(?! \w+(?:eer|ist|er|or)\b)(?:[^:\"]*\b(?:cannot|can't|non|no|not|nicht|kein\w*"
    rf"|ne|without)\b|\W*\Z))"
)
_I_CANNOT = _pattern(_CANNOT)
#: Marks of a headline that quotes a phrase, before or behind it.
_GOES_ON = re.compile(r"\w\W{0,2}:\s*\S|\"| - |(?<!\w)'[^']{3,}'(?!\w)| \| ")
#: Several people who cannot: headlines speak for groups, a model for itself.
_WE = re.compile(r"(?<!\w)(?:we|non possiamo|no podemos|nous ne)\b")

#: The first person, the second person, and the text that is worked on, by language.
_TALKERS = (
    (
        r"posso|devo|dovrei|vorrei|ho|sto|sono|mi|cerco|provo|analizzo|riscrivo",
        r"hai|vuoi|puoi|intendi|preferisci|desideri|ti|tuo|tua|avete|volete|potete",
        r"(?:l'|dell'|sull'|nell'|all'|quest'|il tuo )articolo|(?:il|questo|un|del|quale|al|sul|che"
        r"|tuo) titolo(?! (?:di|della|del|mondiale|in borsa|piu (?:scambiat|vendut|ambit|important"
        r"|prestigios)\w*)\b)|il testo (?:completo|originale"
        r"|dell'articolo)",
    ),
    (
        r"i|my|i'm|i'll|i've|i'd|let me|let's|we",
        r"you|your",
        r"(?:the|this|your|that|full|original) (?:article|text|headline)|(?:a|new|which|what) headline",
    ),
    (
        r"puedo|debo|tengo|voy|yo|estoy|me|vamos|necesito|quiero",
        r"tus?|te|usted|quieres|necesitas|deseas|tienes|puedes",
        r"(?:el|del|al|este|tu|su) (?:articulo|texto|titular)|un titular",
    ),
    (
        r"je|j'\w+|mon|me|m'\w+",
        r"vous|votre|tu|te|ton|souhaitez|avez",
        r"(?:(?:de )?l'|cet |votre |d'un |un )article|(?:le|ce|du|un|votre) titre|le texte",
    ),
    (
        r"ich|mir|mich|mein\w*|lass uns|lassen sie",
        r"sie|ihnen|ihre?n?|du|dir|dein\w*",
        r"(?:der|den|dem|des|diesen|die|diese|ein|eine|ihren?|deinen?) (?:artikels?|titel|uberschrift"
        r"|schlagzeile)|(?:den|diesen|ihren) text|die ursprungliche (?:uberschrift|schlagzeile)|der "
        r"ursprungliche titel",
    ),
)
#: The text that is worked on, in all languages.
_WORKED_ON = "|".join(text for _, _, text in _TALKERS)
#: Words of one who writes, or is written for, and the text itself, in one sentence.
_TALKS = re.compile(
    _any(
        *(
            rf"\A(?=.*(?<!\w)(?:{text})\b)(?=.*(?<!\w)(?:{first}|{second})\b)"
            for first, second, text in _TALKERS
        )
    )
)
#: What is said of an article, or has to be true of a headline.
_TALKS_OF_TEXT = re.compile(
    r"\A\W*(?:\w+,? )?"
    + _any(
        r"(?:l'articolo|il testo dell'articolo) (?:parla|tratta|dice|descrive|racconta|riguarda"
        r"|originale|fornito|sembra|menziona|discute|riporta|spiega)",
        r"(?:the|this) article (?:is|says|describes|discusses|talks|reports|mentions|states|does"
        r"|doesn't|seems|provided|covers|explains|focuses)\b",
        r"el articulo (?:habla|trata|dice|describe|menciona|es|parece|proporcionado)\b",
        r"l'article (?:parle|traite|dit|decrit|mentionne|est|semble|fourni|raconte)\b",
        r"der artikel (?:handelt|beschreibt|berichtet|sagt|ist|scheint|erwahnt)\b",
        r"(?:the|this|my|new) (?:\w+ )?headline (?:should|must|needs|could|has to|would)\b",
        r"(?:il|el|le) (?:\w+ )?(?:titolo|titular|titre) (?:deve|dovrebbe|debe|deberia|doit|devrait) "
        r"(?:essere|ser|etre|mantenere|mantener|reflejar|riflettere|refleter|usare|avere)\b",
        r"(?:der titel|die (?:\w+ )?uberschrift|die schlagzeile) (?:muss|soll|sollte)\b",
        r"(?:il giornale|the (?:newspaper|outlet)|el periodico|el diario|le journal|die zeitung) "
        r"(?:[\w']+ ){0,3}?(?:usa|uses|prefers|utiliza|utilise|verwendet|nutzt|scrive|writes|tends"
        r"|tende|preferisce)\b",
    )
)
_HAS_TITLE = re.compile(rf"(?<!\w){TITLE}\b")
_STYLE_OF = _pattern(
    r"nello stile d", r"in the style of", r"al estilo de", r"dans le style d", r"im stil (?:von|der|des)"
)
#: The beginning of a plan that names the text.
_OPENS = re.compile(
    r"\A\W*(?:(?:ok(?:ay)?|alright|hm+|got it|dunque|allora|bene|veamos|d'accord|prima di tutto|per "
    r"prima cosa|innanzitutto|bueno|alors|also|zuerst|zunachst|primero|d'abord|sure|certo|looking at"
    r"|guardando|vediamo|voyons)\b"
    r"|(?:so|well|now|first|right|great),)"
    rf".*?(?<!\w)(?:{_WORKED_ON}|(?:il|lo|the|el|le|der|den) (?:titoli"
    rf"|stile|style|estilo|stil)\b)"
)
#: A question about the text.
_ASKS_OF_TEXT = re.compile(
    r"\A\W*(?:qual[ei]?|che|cosa|di cosa|dov'e|what|which|where|is (?=th)|que"
    r"|cual|de que|quel(?:le)?|de quoi|puis-je|avez-vous|was ist|wie|wovon|worum)\b"
    rf".*?(?<!\w)(?:{_WORKED_ON})\b[^:\"]*\?\W*\Z"
)
#: What only a model says of its rules, of what it was given, or of what it can do.
_NOT_FOR_ME = _pattern(
    r"(?:le mie (?:linee guida|regole|politiche)|le linee guida (?:etiche|di openai))",
    r"my (?:content |safety |ethical )?(?:guidelines|polic(?:y|ies)|programming)",
    r"mis (?:directrices|pautas|normas)|mes (?:directives|regles|consignes)|meine[nr]? (?:richtlinien"
    r"|vorgaben)",
    r"(?:text|article|headline|testo|articolo|titolo|texto|articulo|titular|texte|titre) (?:fornito"
    r"|provided|proporcionado|fourni)",
    r"(?:the )?provided (?:text|article|headline)|(?:der|des) bereitgestellte\w* (?:text|artikel)\w*",
    r"(?:what (?:would you like|do you want)|(?:che )?cosa (?:vuoi|vorresti|desideri) che|que quieres "
    r"que|que voulez-vous que|was soll ich)(?: me to do| (?:io )?faccia| haga| je fasse| (?:fur sie "
    r"|fur dich )?(?:tun|machen))\W*\Z",
    r"(?:that|this|it)(?:'s| is) (?:not something|something) i\b",
    r"(?:non e|e) qualcosa (?:che|di cui) (?:non )?posso",
    r"no es algo (?:que|en lo que)(?: \w+)? pueda",
    r"ce n'est pas (?:quelque chose|une chose) que je",
    r"(?:das|dies) (?:ist nichts|kann ich|werde ich|darf ich|mochte ich)\b[^:\"]*\b(?:kann|nicht)\b",
)


#: Patterns of somebody who speaks of the text that is worked on.
_TALK_OF_TASK = (_TALKS, _TALKS_OF_TEXT, _OPENS, _ASKS_OF_TEXT, _NOT_FOR_ME)


def is_refusal(text: str) -> bool:
    """Return whether a text refuses to write a headline.

    A text in which somebody cannot do something else may be a headline, and is no refusal.

    Examples:
        >>> is_refusal("Purtroppo non posso riscrivere questo titolo.")
        True
        >>> is_refusal("I'm sorry, I can't come: the mayor stays at home")
        False
    """
    said = plain(text)
    for pattern in (_REFUSES_TASK, _NO_TASK):
        match = pattern.search(said)
        if match and not _GOES_ON.search(said[: match.start()]):
            return True
    is_quotation = bool(_GOES_ON.search(said))
    naming = _NAMES_ITSELF.search(said)
    if naming and not _GOES_ON.search(said[: naming.start()]):
        return not is_quotation or bool(_I_CANNOT.search(said))
    return bool(_REFUSES.search(said)) and not is_quotation and not _WE.search(said)


def is_talk_of_task(text: str) -> bool:
    """Return whether a text speaks of the headline or the article that is worked on.

    Such a text speaks to the one who asked, or is a thought of the model; it is no headline.

    Examples:
        >>> is_talk_of_task("Hai altre informazioni sull'articolo?")
        True
        >>> is_talk_of_task("Ho un articolo 18 nel cuore: parla Camusso")
        False
    """
    said = plain(text)
    if _GOES_ON.search(said):
        return False
    if _STYLE_OF.search(said) and _HAS_TITLE.search(said):
        return True
    return any(pattern.search(said) for pattern in _TALK_OF_TASK)


#: A request to the one who asked.
_WOULD_YOU = _any(
    r"potrest[ei]|puoi|potete|potrebbe|puo|mi (?:puoi|potresti|servirebbe)|per (?:favore|piacere"
    r"|cortesia)|ti prego di|la prego di|si prega di|ti chiedo di|ti invito a",
    r"(?:could|can|would|will) you|please|kindly|you(?:'ll| will| would)? need to",
    r"podrias|podria|puedes|puede|por favor|te (?:pido|ruego)|le (?:pido|ruego)",
    r"pou(?:rriez|vez)[- ]vous|pourrais[- ]tu|peux[- ]tu|s'il (?:vous|te) plait|veuillez|merci de"
    r"|est-ce que (?:vous|tu) pou\w+",
    r"konnt(?:en|est) (?:sie|du)|kann(?:st)? du|konnen sie|bitte|wurden sie|wurdest du",
)
#: What he is asked to do.
_GIVE = _any(
    r"(?:forni|incoll|invi|mand|condivid|specific|indic|chiar|precis|allega|conferm|riport|inser|copi"
    r"|dar|dir|dimmi|dammi|scriver?mi|comunic|ripet|mostr|aggiun)\w*",
    r"provid\w*|past\w*|shar\w*|send\w*|specif\w*|clarif\w*|confirm\w*|tell|give|include|attach|upload"
    r"|repeat|show|submit|supply|add|enter",
    r"(?:proporcion|peg|comparti|envi|especifi|indi|aclar|confirm|dar|dec|dime|adjunt|facilit|inclu"
    r"|repet)\w*",
    r"(?:fourni|coll|partag|envoy|precis|indiqu|clarifi|confirm|donn|di(?:re|tes)|transmett|communiqu"
    r"|joindre)\w*",
    r"(?:bereit|einfug|einzufug|schick|send|teil|angeb|nenn|prazisier|klar|bestatig|mitteil|geb"
    r"|ubermitt|fug)\w*|zur verfugung",
)
#: What is wanted of him.
_WANTED = _any(
    rf"(?:{TITLE}|{_TEXT}|{_REQUEST})",
    r"stile|style|estilo|stil|giornale|testata|newspaper|outlet|periodico|journal|zeitung",
    r"contesto|context|contexto|contexte|kontext|(?:maggior\w+ |piu |more |mas |plus de |weitere "
    r")?(?:dettagli|details?|detalles|informazion\w+|information\w*|informacion|infos)",
    r"cosa|what|que|quoi|was",
)
_ASKS = re.compile(
    r"(?:\A|[.!?,;:] ?)\W*(?:mi |me |m')?"
    + _any(
        rf"{_WOULD_YOU}\b{_NEAR}{_GIVE}\b{_NEAR}{_WANTED}\b",
        rf"{_WOULD_YOU}\b{_NEAR}{_WANTED}\b{_NEAR}{_GIVE}\b",
        rf"(?:forniscimi|fornisci|incolla|inviami|mandami|condividi|dammi|dimmi|provide|paste|send me"
        rf"|tell me|give me|proporcioname|proporciona|enviame|pega|dime|fournissez|envoyez|collez"
        rf"|donnez-moi|dites-moi|schicken sie|senden sie|geben sie|fugen sie|nennen sie) (?:\w+ |l'"
        rf"|d'){{0,3}}?{_WANTED}\b[^:\"]*\Z",
        rf"(?:would you (?:prefer|like)|do you (?:want|prefer)|vuoi|preferisci|vorresti|quieres"
        rf"|prefieres|souhaitez-vous|preferez-vous|mochten sie|mochtest du) (?:\w+ "
        rf"){{0,3}}?{_VERSION}\b[^:\"]*\Z",
        r"(?:necesitas algo mas|hai bisogno d'altro|(?:ti |hai )?(?:serve|bisogno di) altro|do you need "
        r"anything else|anything else|c'e altro|avez-vous besoin d'autre|brauchen sie noch)\b",
        r"(?:fammi|fatemi|mi faccia|faccio) sapere|let me know|hazme saber|h[ae]game saber|avisame"
        r"|faites-moi savoir|fais-moi savoir|dites-moi si|lass(?:en sie)? (?:es )?mich wissen|sag(?:en "
        r"sie)? mir bescheid",
        r"(?:vuoi|vorresti|desideri|preferisci|volete|desidera|vuole) che (?:io|ti|lo|la|ne|riscriva"
        r"|modifichi|crei|provi|generi|proponga|scriva)",
        r"(?:would you like|do you want|would you prefer) me to\b|(?:shall|should) i (?:\w+ )?" + _DO,
        r"(?:quieres|desea[sn]?|te gustaria|le gustaria|quiere) que (?:lo|la|te|le|reescriba|genere"
        r"|escriba|cree|haga)",
        r"(?:voulez|souhaitez)[- ]vous que (?:je|j')|(?:veux|souhaites)[- ]tu que (?:je|j')"
        r"|souhaitez-vous que",
        rf"(?:soll|sollte) ich\b{_NEAR}{_DO}\b",
        r"(?:mochten sie|mochtest du|wollen sie|willst du),? dass ich",
        rf"(?:may i ask )?(?:quale|quali|che|di quale|di che|which|what|que|cual|de que|quel(?:le)?s?"
        rf"|de quel|welche\w?|um welche\w?) (?:\w+ ){{0,2}}?(?:{TITLE}|{_TEXT}|stile|style|estilo|stil"
        rf"|versione|giornale|newspaper|outlet)\b[^:\"]*"
        r"\b(?:should i|shall i|preferisce|prefiere|vuoi|vorresti|preferisci|desideri|intendi|devo"
        r"|dovrei|ti riferisci|you|i should|quieres|prefieres|desea\w*|debo|te refieres|voulez"
        r"|souhaitez|souhaites|veux|dois-je|mochten sie|mochtest du|meinen sie|meinst du|soll ich|si "
        r"tratta|parli)\b[^:\"]*\Z",
        r"(?:come|in (?:che|cosa)|in che (?:modo|cosa)) (?:posso|potrei) (?:\w+ )?(?:aiutar|assister"
        r"|esser)(?:ti|vi|la|le|ti utile|la utile)\b[^:?\"]{0,30}\W*\Z",
        r"(?:how|what) (?:can|may|could) i (?:(?:help|assist)(?: you)?|do for you)\b(?: today| with "
        r"(?:this|that|the|your)\b[^:?\"]{0,30})?\W*\Z|is there anything else",
        r"(?:en que|como) (?:puedo|podria) (?:ayudar|asistir|servir)\w+[^:\"]{0,30}\Z",
        r"(?:comment|en quoi) (?:puis-je|pourrais-je) (?:vous |t')(?:aider|assister)[^:\"]{0,30}\Z",
        r"(?:wie|womit|wobei) kann ich (?:ihnen|dir|euch)\b[^:\"]{0,40}\Z",
        r"(?:sono (?:qui|pronto|a disposizione)|i(?:'m| am) (?:here|ready|happy) to|estoy (?:aqui"
        r"|listo) para|je suis (?:la|pret) (?:pour|a)|ich (?:stehe|bin) (?:ihnen|dir)?\s?(?:gerne "
        r")?(?:zur verfugung|bereit))\b[^:\"]*\Z",
    )
)


def is_question_back(text: str) -> bool:
    """Return whether a text asks the one who asked for something.

    Examples:
        >>> is_question_back("Potresti fornirmi il testo dell'articolo?")
        True
        >>> is_question_back("Potresti essere tu il prossimo sindaco?")
        False
    """
    said = plain(text)
    match = _ASKS.search(said)
    return match is not None and not _GOES_ON.search(said[: match.start() + 1])


#: How thoughts begin: with the one who asks, with a plan, or with a name of their own.
_OPENER = (
    r"(?:(?:ok(?:ay)?|alright|all right|hm+|h?um+|well|so|right|now|first(?:ly| of all)?|then|let's see"
    r"|allora|dunque|quindi|bene|vediamo|innanzitutto|prima di tutto|per prima cosa|ecco"
    r"|bueno|vale|veamos|primero|entonces|a ver|alors|bon|bien|d'abord|voyons|also|gut|nun|zuerst"
    r"|zunachst|mal sehen|wait|aspetta|espera|attends|moment|sure|certo)\b\W+)*"
)
_PLAN = _any(
    r"(?:devo|dobbiamo|dovrei|posso|potrei|bisogna|occorre|ho bisogno di|provo a|proviamo a|cerco di"
    r"|cerchiamo di|cerchero di|mi serve|mi (?:viene|e stato) chiesto|mi si chiede|il (?:mio )?compito "
    r"e|la richiesta e|si tratta di|ragioniamo|pensiamo|penso|analizz\w+|voglio|vogliamo|vado a"
    r"|riscrivo|parto da)",
    r"(?:i|we)(?: \w+)? (?:need|have|want|should|must|could|might|can)(?: to)?|(?:i|we)(?:'ll| will|'d| "
    r"would|'m going to| am going to|'re going to)|let me|let's|let us|my (?:task|goal|job) is|the "
    r"(?:task|goal|request|instruction)s? (?:is|are|says)|(?:i'm|i am|i was|i've been|we are) (?:asked"
    r"|given|supposed|tasked)",
    r"(?:debo|tengo que|necesito|voy a|vamos a|hay que|deberia|podria|tenemos que|debemos|me piden|la "
    r"tarea es|mi tarea es|quiero)",
    r"(?:je (?:dois|vais|peux|devrais|veux|cherche)|il (?:faut|s'agit)|nous devons|on (?:doit|me "
    r"demande)|j'ai besoin|la tache (?:est|consiste)|essayons|commencons)",
    r"(?:ich (?:muss|soll|sollte|werde|brauche|konnte|mochte|versuche)|wir (?:mussen|sollen|sollten"
    r"|brauchen)|man muss|die aufgabe (?:ist|lautet)|lass(?:t|en sie)? (?:mich|uns))",
)
_ASKER = _any(
    r"l'utente|la persona (?:che|vuole)",
    r"the (?:user|person|human|prompt|assistant)(?:'s)?",
    r"(?:el|la) (?:usuario|usuaria)",
    r"l'(?:utilisateur|utilisatrice)",
    r"der (?:nutzer|benutzer|user|anwender)|die (?:nutzerin|benutzerin)",
)
_THOUGHT_OF = _any(
    r"(?:single|one|una sola|una|une|eine) (?:line|riga|linea|ligne|zeile)",
    TITLE,
    _TEXT,
    _REQUEST,
    _VERSION,
    r"outlet|newspaper|giornale|periodico|journal|zeitung|stile|style|estilo|stil",
)
_THINKS = re.compile(
    rf"\A\W*{_OPENER}"
    + _any(
        rf"{_ASKER} (?:\w+ )?(?:wants?|asks?|asked|is asking|has|gave|provided|needs?|requests?"
        rf"|requested|would like|vuole|chiede|desidera|ha|mi|vorrebbe|quiere|pide|me|desea|solicita"
        rf"|veut|demande|a|souhaite|mochte|will|fragt|hat|bittet)\b"
        rf"[^\"]{{0,80}}?\b(?:{_THOUGHT_OF}|{_DO}|{_HELP})\b",
        rf"{_PLAN}\b[^.:?!\"]{{0,40}}?\b{_DO}\b[^.:?!\"]{{0,60}}?\b{_THOUGHT_OF}\b",
        rf"{_PLAN}\b[^.:?!\"]{{0,30}}?\b(?:{TITLE})\b[^:\"]*\Z",
        rf"{_PLAN}\b[^.:?!\"]{{0,40}}?\b(?:(?:lo|the|el|le|den|il) (?:stile|style|estilo|stil|tono"
        rf"|tone)|it (?:short|concise|brief|simple))\b[^:\"]*\Z",
        rf"(?:let me|let's|let us|i'll|i will|i need to|i should) (?:\w+ )?(?:think|see|analy[sz]e"
        rf"|consider|break|brainstorm|draft|check|start by|begin by|look at|read|understand"
        rf"|work)\b[^:\"]*"
        rf"(?:\b(?:{_THOUGHT_OF}|{_DO}|step by step|carefully|through)\b|\.\s?\.|[.]\s*\Z|(?:think|see"
        rf"|it|this) *\Z)",
        rf"(?:penso|pensiamo|ragiono|ragioniamo|rifletto|riflettiamo|pienso|pensemos|analicemos"
        rf"|reflechissons|je reflechis|je pense|denken wir|ich denke|ich uberlege|uberlegen "
        rf"wir)\b[^:\"]{{0,60}}?\b(?:{_THOUGHT_OF}|su|sul|al|a|en|au|uber|nach)\b",
        rf"(?:per|to|para|pour|um) (?:\w+ ){{0,2}}?{_DO} (?:il |questo |the |this |el |este |le |ce |l'"
        rf"|un |a |den |die |diese\w? )?(?:\w+ )?{TITLE}\b",
        rf"(?:il {TITLE} originale|the original {TITLE}|el {TITLE} original|le {TITLE} (?:original"
        rf"|d'origine)|d\w+ (?:originale?|ursprungliche)[ -]?{TITLE}|originaltitel) (?:e|is|says|parla"
        rf"|dice|usa|reads|was|es|habla|est|parle|ist|lautet|mentions|menziona|has|ha)\b[^:]{{0,60}}",
        r"(?:il mio |my |mi |mon |mein\w? )?(?:thought|thinking|reasoning|thought process|ragionament"
        r"|pensier|pensamiento|razonamiento|raisonnement|uberlegung|denkprozess|first idea|prima idea"
        r"|primera idea|premiere idee|erste idee|(?:first )?draft|prima bozza|step 1|passo 1|paso 1"
        r"|etape 1|schritt 1)\w*(?: process)?\s?:",
    )
)
#: Second thoughts behind an answer.
_SECOND_THOUGHT = re.compile(
    r"(?<!\w)(?:but wait|wait[,.!]|hm+[,.]|actually,|on second thought|hold on|let me (?:re)?check"
    r"|(?:ma |no,? )?aspetta|un momento|ripensandoci|anzi[,.]|pero espera|espera[,.]|mais attends"
    r"|attends[,.]|moment mal|warte|doch halt"
    r"|let me reconsider|however, (?:i|the)|so supported should)"
)


def is_thought(text: str) -> bool:
    """Return whether a text is what a model says to itself before it answers.

    Examples:
        >>> is_thought("Okay, the user wants a headline. Let me think about the style.")
        True
        >>> is_thought("Devo tutto a mia madre: parla il campione")
        False
    """
    return bool(_THINKS.search(plain(text)))


def has_second_thoughts(text: str) -> bool:
    """Return whether a text takes back what was said before it."""
    return bool(_SECOND_THOUGHT.search(plain(text)))


#: Words of one who agrees.
_YES = _any(
    r"certo(?: che si)?|certamente|sicuro|sicuramente|va bene|d'accordo|volentieri|perfetto|ottimo|ok"
    r"|okay|assolutamente|con piacere|capito|ecco(?: qui| qua| fatto| a te)?|fatto",
    r"sure(?: thing)?|certainly|of course|absolutely|great|got it|understood|no problem|definitely|here "
    r"(?:you go|it is|you are)|happy to help|gladly",
    r"claro(?: que si)?|por supuesto|desde luego|con gusto|entendido|perfecto|aqui (?:tienes|esta|va)"
    r"|de acuerdo",
    r"bien (?:sur|entendu)|d'accord|avec plaisir|certainement|volontiers|entendu|voila|parfait|voici",
    r"naturlich|gerne?|selbstverstandlich|klar|sicher|verstanden|alles klar|na klar|aber gerne|bitte(?: "
    r"sehr| schon)?",
)
#: Words that hand something over.
_HERE = _any(
    r"ecco(?:ti|la|lo|ne|vi)?|di seguito|qui (?:sotto|di seguito)|quest[ao] e|potrebbe (?:essere"
    r"|suonare)|(?:ti )?(?:propongo|suggerisco)|ho (?:riscritto|riformulato|provato|preparato|creato)"
    r"|il (?:nuovo )?titolo (?:riscritto|nuovo|finale) (?:e|potrebbe)|(?:una|un) (?:possibile|buon\w*)",
    r"here(?:'s| is| are| you go| it is| you are)|below is|this is|the following is|i(?:'ve| have)? "
    r"(?:rewritten|rephrased|created|written|prepared)|i rewrote|i(?:'d| would)? (?:suggest|propose)"
    r"|one (?:possible|option)|the (?:rewritten|new|revised) (?:headline|title) (?:is|could|would)|a "
    r"possible|how about|you could (?:use|try)",
    r"aqui (?:tienes|esta|va|le|te)|a continuacion|est[ae] es|he (?:reescrito|reformulado|creado)|(?:te "
    r")?(?:propongo|sugiero)|podria ser|una posible|el (?:nuevo )?titular (?:reescrito|nuevo) (?:es"
    r"|seria)",
    r"voici|voila|ci-dessous|j'ai (?:reecrit|reformule|cree|redige)|je (?:vous )?(?:propose|suggere)"
    r"|une? (?:possible|version)|le (?:nouveau )?titre (?:reecrit|nouveau) (?:est|serait)",
    r"hier(?: ist| sind| kommt| folgt)?|nachfolgend|im folgenden|ich habe|ich schlage|mein vorschlag"
    r"|eine mogliche|die (?:neue|umgeschriebene) (?:uberschrift|schlagzeile) (?:lautet|ist|konnte)|das "
    r"ist",
)
#: What a new headline is.
_REWRITTEN = _any(
    r"(?:riscritt|riformulat|rielaborat)[oa]|possibile|alternativ[oa]|nuov[oa]|migliorat[oa]",
    r"rewritten|reworded|rephrased|revised|possible|alternative|new|suggested|improved|edited",
    r"(?:reescrit|reformulad|posible|alternativ|nuev|mejorad)\w*",
    r"reecrite?|reformulee?|possible|alternative|nouve(?:au|lle)|amelioree?",
    r"(?:umgeschrieben|umformuliert|uberarbeitet|moglich|alternativ|neu)\w*",
)
#: What an answer is called: a headline, or a version of one.
_OF_ANSWER = _any(
    rf"{TITLE}(?=\W*\Z| (?:{_REWRITTEN}|nello|in (?:the|lo|uno|un|your|tha)|per|for|con|with|che hai"
    rf"|that you|you|al estilo|en|para|dans|pour|im|fur|su|as|richiest\w|suggerit\w|propost\w"
    rf"|finale?)\b)",
    rf"{_REWRITTEN} (?:\w+ )?{_VERSION}",
    rf"{_VERSION} (?:\w+ )?{_REWRITTEN}",
    rf"{_VERSION} (?:\w+ )?(?:d\w{{0,3}} |of |the |il |l')*{TITLE}",
    rf"{_VERSION} (?:nello stile|in the style|al estilo|dans le style|im stil)",
    rf"(?:mia|my|mi|ma|mein\w?|(?:un\w?|one|a|une|eine?) (?:\w+ )?) ?{_VERSION}(?=\W*\Z)",
    r"(?:risultato|result|resultado|resultat|ergebnis)(?=\W*\Z)",
)
#: A remark that is a line of its own.
_REMARK = re.compile(
    rf"\A\W*(?:{_YES}\W+){{1,3}}\Z"
    rf"|\A\W*(?:{_YES}\W+){{1,2}}{_HERE}\b[^\"]{{0,60}}?\b(?:{_OF_ANSWER}|{_VERSION}|{_REQUEST}"
    rf"|{_REWRITTEN})\b[^\":]{{0,90}}[.:!]?\W*\Z"
    rf"|\A\W*{_HERE} (?:[\w']+ ){{0,6}}?(?:l')?{_OF_ANSWER}\b[^\":]{{0,90}}[.:!]?\W*\Z"
    rf"|\A\W*(?:{_YES}\W+){{0,2}}(?:grazie per|thank(?:s| you) for|gracias por|merci (?:pour|de)|danke "
    rf"fur)\b[^\":]{{0,40}}\b{_NOUN}\b[^\":]{{0,40}}\Z"
    rf"|\A\W*(?:{_YES}\W+){{0,2}}(?:capisco|comprendo|i understand|entiendo|je comprends|ich "
    rf"verstehe)\b[^\":]{{0,40}}\b{_any(_REQUEST, TITLE)}\b[^\":]{{0,60}}\Z"
)
#: A remark and more behind it, in one line.
_LEADING_REMARK = re.compile(
    rf"\A\W*(?:{_YES}[,.!]+ *){{0,2}}{_HERE}\b[^\":.!]{{0,70}}?\b{_OF_ANSWER}\b[^\":.!]{{0,60}}[:.!]\W+(?=\w)"
    r"|\A(?:certo|certamente|sure|certainly|of course|absolutely|claro|por supuesto|bien sur|naturlich"
    r"|gerne|selbstverstandlich)! +(?=\w)"
)
#: What is said of how a headline is set.
_MANNER = _any(
    TITLE,
    r"stile|tono|registro|virgolette|due punti|giornale|testata|fatti|original[ei]|struttura|linguaggio"
    r"|formato|lunghezza|informazion[ei]|sintetic\w+|significato",
    r"style|tone|quot\w+|colons?|newspaper|outlet|facts|original|wording|structure|language|format"
    r"|length|concise|meaning|information|neutral|verbs?",
    r"estilo|comillas|dos puntos|periodico|diario|hechos|estructura|lenguaje|significado",
    r"ton|guillemets|deux-points|journal|faits|structure|langage|sens",
    r"stil|ton|anfuhrungszeichen|doppelpunkt|zeitung|fakten|original|struktur|sprache|bedeutung",
)
#: What is said of an answer.
_ABOUT = _any(
    r"quest[oa] (?:titolo|versione|riscrittura|formulazione) (?:\w+ )?(?:us[ai]|utilizz\w+|mant\w+"
    r"|rispett\w+|riprend\w+|rifl\w+|cattur\w+|sottoline\w+|rend\w|segue|conserv\w+|mett\w+|punta"
    r"|evidenzi\w+|evit\w+|riassum\w+|risult\w+|e (?:piu|in linea|breve|conciso|coerente|adatt\w"
    r"|stat\w)|ha (?:lo|il|un))\b",
    r"this (?:headline|title|version|rewrite) (?:\w+ly )?(?:uses?|keeps?|maintains?|reflects?|is|has"
    r"|captures?|emphasi[sz]es?|highlights?|follows?|preserves?|retains?|aims?|makes?|conveys?|avoids?"
    r"|puts?|focuses|matches|mirrors|adopts?|summari[sz]es?|should|would)",
    r"est[ea] (?:titular|titulo|version) (?:usa|utiliza|mantiene|refleja|es|respeta|sigue|conserva"
    r"|resume|destaca|evita|capta)",
    r"ce(?:tte)? (?:titre|version) (?:utilise|garde|reprend|reflete|est|respecte|conserve|suit|met"
    r"|resume|evite|souligne|capte)",
    r"diese[rs]? (?:titel|uberschrift|schlagzeile|fassung|version) (?:verwendet|nutzt|behalt|ist|folgt"
    r"|bewahrt|betont|fasst|entspricht|vermeidet|spiegelt|greift)",
    rf"(?:ho (?:\w+ )?(?:usato|mantenuto|scelto|riscritto|cercato|reso|utilizzato|adottato|evitato"
    rf"|preferito|conservato|accorciato)|il (?:nuovo )?titolo (?:usa|mantiene|riprende|rispetta"
    rf"|riflette))\b{_NEAR}{_MANNER}",
    rf"(?:i(?:'ve| have)? (?:\w+ )?(?:used|kept|chose|chosen|rewrote|rewritten|tried|made|avoided"
    rf"|maintained|aimed|preserved|shortened|focused)|the (?:new )?headline (?:uses|keeps|reflects"
    rf"|maintains))\b{_NEAR}{_MANNER}",
    rf"(?:he (?:usado|mantenido|elegido|utilizado|reescrito|intentado|conservado)|el (?:nuevo )?titular "
    rf"(?:usa|mantiene))\b{_NEAR}{_MANNER}",
    rf"(?:j'ai (?:utilise|garde|choisi|conserve|repris|reecrit|essaye|evite)|le (?:nouveau )?titre "
    rf"(?:utilise|reprend|garde))\b{_NEAR}{_MANNER}",
    rf"ich habe\b{_NEAR}{_MANNER}\b{_NEAR}(?:verwendet|gewahlt|beibehalten|benutzt|umgeschrieben"
    rf"|genutzt|ubernommen|gekurzt|versucht)",
    r"(?:nota|note|n\.? ?b\.?|hinweis|anmerkung|remarque|spiegazione|explanation|explicacion"
    r"|explication|erklarung) ?:",
)
_ABOUT_ANSWER = re.compile(rf"\W*{_ABOUT}\b")
#: A remark behind the answer, in one line.
_TRAILING_REMARK = re.compile(
    r"(?:[.!?…)\"*]| -| //) *(?:nota|note|n\.? ?b\.?|hinweis|anmerkung|remarque|spiegazione|explanation"
    r"|explicacion|explication|erklarung) ?:|"
    r" // |"
    rf"(?:[.!?…\"*)]| -|[(\[—]|;)\W{{0,4}}{_ABOUT}\b|[(\[](?:nota|note|n\.? ?b\.?|hinweis|anmerkung"
    rf"|remarque|versione|headline|titolo|rewritten)\b"
    r"|[.!?…)] (?:spero (?:che|di)|fammi sapere|let me know|(?:i )?hope (?:this|that|it|you)|espero que"
    r"|j'espere|ich hoffe|feel free|se (?:vuoi|preferisci|ti serve)|hazme saber|faites-moi|dites-moi)\b"
    r"|[(\[]\d+ (?:caratteri|parole|characters|words|caracteres|palabras|mots|zeichen|worter)[)\]]"
)


def is_remark(text: str) -> bool:
    """Return whether a line announces an answer or speaks about it, and is no answer itself.

    Examples:
        >>> is_remark("Certo! Ecco una versione riscritta.")
        True
        >>> is_remark("Ecco il piano del governo")
        False
    """
    said = plain(text)
    return bool(_REMARK.search(said)) or bool(_ABOUT_ANSWER.match(said))


def without_leading_remark(text: str) -> str:
    """Return a line without the remark that stands before the answer in it."""
    said = plain(text)
    match = _LEADING_REMARK.match(said)
    # Where the lengths differ, folding has moved the letters, so the end of the match is not known in `text`.
    if match is None or len(said) != len(text):
        return text
    return text[match.end() :]


def has_trailing_remark(text: str) -> bool:
    """Return whether a line holds an answer and a remark about it behind."""
    return bool(_TRAILING_REMARK.search(plain(text)))


#: Faults that programs name.
_FAULT = _any(
    r"rate[- ]?limit\w*|too many requests|quota|(?:internal|upstream|bad) (?:server )?(?:error|gateway"
    r"|request)|service (?:is )?(?:temporarily )?unavailable|gateway time-?out|context (?:length"
    r"|window)|maximum context|max(?:imum)?[ _]tokens"
    r"|out of memory|cuda|model \S{0,40} ?(?:was )?not found|overloaded|timed? ?out|connection "
    r"(?:refused|reset|error|aborted|closed)|api[ _]?key|invalid (?:request|api|model|token)"
    r"|unauthori[sz]ed|forbidden|traceback|request failed|failed to (?:generate|load|fetch|connect)"
    r"|something went wrong|unexpected error|no response",
    r"limite (?:di|de) (?:richieste|solicitudes|requetes|peticiones|token|frequenza|debit)|troppe "
    r"richieste|(?:errore )?interno del server|server (?:non (?:disponibile|raggiungibile)|interno"
    r"|sovraccaric\w+)|servizio (?:\w+ )?non disponibile|tempo (?:scaduto|esaurito)|memoria (?:esaurita"
    r"|insufficiente)|chiave api|risposta vuota|richiesta non valida|modello non trovato"
    r"|demasiadas solicitudes|interno del servidor|servicio no disponible|tiempo de espera|trop de "
    r"requetes|interne du serveur|service indisponible|delai d(?:'attente)? depasse|(?:anfrage"
    r"|raten)limit\w*|zu viele anfragen|interner server ?fehler|dienst nicht verfugbar"
    r"|zeituberschreitung|verbindung (?:abgelehnt|unterbrochen|fehlgeschlagen)",
)
_ERROR = re.compile(
    r"\A\W*(?:errore|erreur|error|fehler) (?:di|del|della|nella|de|du|bei der|beim) (?:connessione|rete"
    r"|server|richiesta|api|elaborazione|generazione|conexion|connexion|servidor|serveur"
    r"|verbindung)\W*\Z|"
    r"\A\W*(?:the |il |el |le |der )?(?:server|servidor|serveur|model|modello|modelo|modele) (?:is|e"
    r"|esta|est|ist|had) (?:\w+ )?(?:overloaded|busy|not ready|sovraccaric\w|sobrecargado|surcharge"
    r"|uberlastet)\b[^:\"]*\Z|"
    r"\A\W*(?:your |la )?(?:session|sessione)\b.{0,12}(?:expired|scaduta)\W*\Z|"
    rf"\A\W*(?:(?:an? )?(?:\w+\.)*\w*(?:error|exception)\b|errore|erreur|fehler|fatal|warning|http"
    rf"|status|ein fehler|un error|une erreur|un errore)[^:\"]{{0,30}}:?.{{0,60}}?(?:{_FAULT}"
    rf"|\b[45]\d\d\b\W*\Z|\{{)"
    rf"|\A\W*(?:(?:error|errore|erreur|fehler|http|status)?\W*[45]\d\d\W+)?(?:the |il |el |le |der "
    rf"|your )?(?:\w+ ){{0,4}}?{_FAULT}(?: (?:exceeded|reached|superato|superado|depassee?"
    rf"|uberschritten|error|hit))?(?:[.,!]?\W*(?:please|riprova|try|por favor|veuillez|bitte)\b.*|\W*)\Z"
    r"|\A\W*(?:error|errore|erreur|fehler|none|null|nan|undefined|n/?a)\W*\Z|\A\W*traceback \(most recent"
    r"|\A\W*(?:an|a|si e verificato un|ha ocurrido un|se ha producido un|une|es ist ein) (?:\w+ "
    r")?(?:error|errore|erreur|fehler)\b(?: (?:occurred|aufgetreten|s'est produite|est survenue"
    r"|inatteso|imprevisto))?[^:\"]*\Z"
)


def is_error(text: str) -> bool:
    """Return whether a text is the error message of a program.

    Examples:
        >>> is_error("Error: rate limit exceeded")
        True
        >>> is_error("Errore: bollette doppie a mille famiglie")
        False
    """
    return bool(_ERROR.search(plain(text)))


#: Sections that stand above a headline.
_SECTION = _any(
    r"cronaca(?: \w+)?|politica(?: \w+)?|esteri|interni|economia|sport|cultura|spettacol[io]|attualita"
    r"|societa|scienz[ae]|salute|tecnologia|opinioni|editoriale|ultim'?ora|ultime notizie|in evidenza"
    r"|breaking(?: news)?|mondo|italia|ambiente|musica|cinema|tv|calcio|motori",
    r"news|politics|world|business|sports?|opinion|culture|science|health|technology|tech|entertainment"
    r"|local news|top stor(?:y|ies)|latest news|exclusive|live|us news|national|international|economy"
    r"|environment",
    r"noticias|mundo|internacional|nacional|deportes|opinion|sociedad|ciencia|tecnologia|salud|cultura"
    r"|ultima hora|sucesos|espana",
    r"actualites?|monde|international|politique|economie|societe|sports?|sciences?|sante|technologie"
    r"|faits divers|france|opinions?",
    r"nachrichten|politik|wirtschaft|panorama|kultur|wissenschaft|gesundheit|technik|meinung|ausland"
    r"|inland|eilmeldung|regional|feuilleton",
)
_SECTION_LINE = re.compile(rf"\W*{_SECTION}(?: ?[/|&,-] ?{_SECTION})?\W*")


def is_section(text: str) -> bool:
    """Return whether a line is the name of a newspaper's section."""
    return bool(_SECTION_LINE.fullmatch(plain(text)))
