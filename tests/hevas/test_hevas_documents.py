import pytest
from csv_files import write_rows

from change_it import InputError
from change_it.hevas.documents import Documents, read_documents, read_headlines, read_systems

ROWS = [
    {"id": "a", "headline": "Cade il governo", "article": "Il governo cade, «a Roma».\n\nSi vota."},
    {"id": "b", "headline": "Pane,  più caro", "article": "Sale il prezzo del pane."},
    {"id": "c", "headline": "Vince la squadra", "article": "La squadra vince ai rigori."},
]


@pytest.fixture
def documents(tmp_path):
    return read_documents(str(write_rows(tmp_path / "three.csv", ROWS)))


def test_the_references_of_a_corpus_are_the_other_newspapers_headlines(tmp_path):
    for table in ("articles", "pairs"):
        (tmp_path / table).mkdir()
    write_rows(tmp_path / "articles" / "test.parquet", ROWS)
    pair = {"a_id": "a", "a_headline": "Cade il governo", "b_id": "b", "b_headline": "Pane,  più caro"}
    write_rows(tmp_path / "pairs" / "test.parquet", [pair])
    corpus = read_documents(str(tmp_path))
    assert (corpus.ids, corpus.originals) == (("a", "b"), ("Cade il governo", "Pane, più caro"))
    assert corpus.references == (("Pane, più caro",), ("Cade il governo",))
    assert corpus.remarks == (f"1 articles of {tmp_path} have no partner and are left out",)
    rows = [{"id": id_, "headline": id_.upper()} for id_ in "cab"]  # c has no partner
    assert read_headlines(write_rows(tmp_path / "mine.csv", rows), corpus) == {"a": "A", "b": "B"}


def test_several_references(tmp_path):
    lists = write_rows(tmp_path / "lists.ndjson", [{"article": "x", "headlines": ["uno", " …", "due"]}])
    assert read_documents(str(lists)).references == (("uno", "due"),)
    file = tmp_path / "columns.csv"
    file.write_text("article,headline1,headline2,kicker\nx,uno,,tre\ny,uno,due,tre\n", encoding="utf-8-sig")
    numbered = read_documents(str(file))
    assert (numbered.ids, numbered.references) == (("1", "2"), (("uno",), ("uno", "due")))
    mapped = read_documents(str(file), columns="headline=kicker, headline=headline2")
    assert mapped.references == (("tre",), ("tre", "due"))


@pytest.mark.parametrize(
    ("faults", "message"),
    [
        ({"ids": ("a", "a")}, r"1 document with a repeated id \(a\)"),
        ({"texts": ("x", " …")}, r"an empty article \(b\)"),
        ({"references": (("x",), ("…",))}, r"no reference headline \(b\)"),
        ({"ids": (), "texts": (), "references": ()}, "no documents"),
    ],
)
def test_documents_that_cannot_be_measured_are_refused(faults, message):
    with pytest.raises(InputError, match=message):
        Documents(**{"ids": ("a", "b"), "texts": ("x", "y"), "references": None, "name": "two"} | faults)


def test_headlines_by_id_in_any_order_or_line_by_line(tmp_path, documents):
    file = tmp_path / "mine.csv"
    text = 'id,headline,target,error\nc,Tre,gio,\na,"Uno, sì",gio,\nb,Due,gio,no generator\n'
    file.write_text(text, encoding="utf-8")
    assert read_headlines(file, documents) == {"a": "Uno, sì", "b": "", "c": "Tre"}
    file.write_text("headline\nUno\nDue\nTre\n", encoding="utf-8")
    assert [*read_headlines(file, documents).values()] == ["Uno", "Due", "Tre"]
    file.write_text("id,headline\na,Uno\na,Uno\nd,Due\n", encoding="utf-8")
    with pytest.raises(InputError, match="2 ids missing: b, c; 1 id not in the documents: d; 1 id dupl"):
        read_headlines(file, documents)


def test_shared_items_are_the_documents_that_every_file_has(tmp_path, documents):
    specs = []
    for name, ids in (("one", "ca"), ("other", "cb")):
        rows = [{"id": id_, "headline": id_.upper()} for id_ in ids]
        specs.append(f"{name}={write_rows(tmp_path / f'{name}.csv', rows)}")
    shared, systems = read_systems(specs, documents, shared_items=True)
    assert (shared.ids, shared.references) == (("c",), (("Vince la squadra",),))
    assert systems == {"one": ["C"], "other": ["C"]}
    with pytest.raises(InputError, match="1 id missing: b; --shared-items measures"):
        read_systems(specs, documents)


def test_the_papers_format_is_read(tmp_path):
    file, system = tmp_path / "wikinews.txt", tmp_path / "system.txt"
    text = "<TEXT><p>It rains.</p>\n<p>A lot.</p></TEXT>"
    document = f"<DOC {{}}>\n{{}}<HEADLINE>Rain &amp; wind\n</HEADLINE>{{}}{text}</DOC>\n"
    first = document.format("", "<DOCNO> w1 </DOCNO>", "<headline><![CDATA[Rain]]></headline>")
    file.write_text(f"<docs>{first}{document.format('n=2', '', '')}</docs>", encoding="utf-8")
    documents = read_documents(str(file))
    assert (documents.ids, documents.texts) == (("w1", "2"), ("It rains. A lot.",) * 2)
    assert documents.references == (("Rain & wind", "Rain"), ("Rain & wind",))
    system.write_text("<doc><title>One</title></doc><doc><title>Two</title></doc>", encoding="utf-8")
    assert read_headlines(system, documents) == {"w1": "One", "2": "Two"}
