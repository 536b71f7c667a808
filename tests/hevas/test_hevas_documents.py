import pytest
from csv_files import write_rows

from change_it import InputError
from change_it.hevas.documents import Documents, read_documents, read_headlines, read_systems

ROWS = [
    {"id": "a", "headline": "Cade il governo", "article": "Il governo cade, «a Roma».\n\nSi vota."},
    {"id": "b", "headline": "Pane,  più caro", "article": "Sale il prezzo del pane."},
    {"id": "c", "headline": "Vince la squadra", "article": "La squadra vince ai rigori."},
]
IDS = ("a", "b", "c")
HEADLINES = (("Cade il governo",), ("Pane, più caro",), ("Vince la squadra",))


@pytest.fixture
def documents():
    return Documents(IDS, tuple(row["article"] for row in ROWS), HEADLINES, "three")


def test_the_references_of_a_corpus_are_the_other_newspapers_headlines(tmp_path):
    for table in ("articles", "pairs"):
        (tmp_path / table).mkdir()
    write_rows(tmp_path / "articles" / "test.parquet", ROWS)
    pair = {
        f"{side}_{part}": row[part]
        for side, row in zip("ab", ROWS, strict=False)
        for part in ("id", "headline")
    }
    write_rows(tmp_path / "pairs" / "test.parquet", [pair])
    read = read_documents(str(tmp_path))
    assert (read.ids, read.originals) == (("a", "b"), ("Cade il governo", "Pane, più caro"))
    assert read.references == (("Pane, più caro",), ("Cade il governo",))
    assert read.remarks == (f"1 articles of {tmp_path} have no partner and are left out",)
    file = tmp_path / "mine.csv"
    file.write_text("id,headline\nc,Tre\na,Uno\nb,Due\n", encoding="utf-8")
    assert read_headlines(file, read) == {"a": "Uno", "b": "Due"}  # c has no partner
    with pytest.raises(InputError, match="is a folder: name its files"):
        read_documents(str(tmp_path / "articles"))


def test_several_references(tmp_path):
    lists = write_rows(tmp_path / "lists.ndjson", [{"article": "x", "headlines": ["uno", " ", "due"]}])
    assert read_documents(str(lists)).references == (("uno", "due"),)
    columns = tmp_path / "columns.csv"
    text = "article,headline1,headline2,kicker\nx,uno,,tre\ny,uno,due,tre\n"
    columns.write_text(text, encoding="utf-8-sig")
    read = read_documents(str(columns))
    assert (read.ids, read.references) == (("1", "2"), (("uno",), ("uno", "due")))
    mapped = read_documents(str(columns), columns="headline=kicker, headline=headline2")
    assert mapped.references == (("tre",), ("tre", "due"))
    with pytest.raises(
        InputError, match=r"has no column article or full_text or document \(its columns are key"
    ):
        read_documents(str(write_rows(tmp_path / "news.csv", [{"key": "007", "body": "Testo"}])))


def test_headlines_by_id_in_any_order(tmp_path, documents):
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
    one = write_rows(tmp_path / "one.csv", [{"id": "c", "headline": "Tre"}, {"id": "a", "headline": "Uno"}])
    other = write_rows(tmp_path / "other.csv", [{"id": at, "headline": at.upper()} for at in "cb"])
    specs = [f"one={one}", f"other={other}"]
    shared, systems = read_systems(specs, documents, shared_items=True)
    assert (shared.ids, shared.references) == (("c",), HEADLINES[2:])
    assert systems == {"one": ["Tre"], "other": ["C"]}
    with pytest.raises(InputError, match="1 id missing: b; --shared-items measures"):
        read_systems(specs, documents)


def test_the_papers_format_is_read(tmp_path):
    file = tmp_path / "wikinews.txt"
    document = "<DOC {}>\n{}<HEADLINE>Rain &amp; wind\n</HEADLINE>{}<TEXT><p>It rains.</p>\n<p>A lot.</p></TEXT></DOC>\n"
    first = document.format("", "<DOCNO> w1 </DOCNO>", "<headline><![CDATA[Rain]]></headline>")
    file.write_text(f"<docs>{first}{document.format('n=2', '', '')}</docs>", encoding="utf-8")
    read = read_documents(str(file))
    assert (read.ids, read.texts) == (("w1", "2"), ("It rains. A lot.",) * 2)
    assert read.references == (("Rain & wind", "Rain"), ("Rain & wind",))
    system = tmp_path / "system.txt"
    system.write_text("<doc><title>One</title></doc><doc><title>Two</title></doc>", encoding="utf-8")
    assert read_headlines(system, read) == {"w1": "One", "2": "Two"}
