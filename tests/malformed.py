"""Malformed files, made from a seed, through every reader: each is read, or refused with an `InputError`, within bounds.

python tests/malformed.py [--files 10000] [--seed N]
"""

import argparse
import bz2
import csv
import datetime
import decimal
import gzip
import io
import json
import lzma
import random
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from change_it.annotation.sheets import read_sheet
from change_it.corpus.options import ReadingOptions
from change_it.corpus.reading import read_articles
from change_it.errors import InputError
from change_it.hevas.documents import read_documents
from change_it.hevas.embeddings import load_vectors
from change_it.io import read_json, read_records, read_text

SECONDS, MEGABYTES = 2.0, 1024
COLUMNS = ("id", "headline", "article", "label", "date", "target", "alignment")
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "utf-7", "cp1252", "cp037", "shift_jis", "gb18030", "iso2022_jp", "mac_roman")  # fmt: skip
ENDINGS = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xml", ".txt", ".kv", ".bin", ".CSV")
TEXTS = (
    "", " ", "Roma, \"caput\" mundi", "a\nb\r\nc\rd", "\0", "\ud800", "\ufeff", "\u2028", "é" * 50, "=1+1", "1e400", "NaN", "-", "9" * 5000,
    "2019-02-30", "31/12/9999", "0000-00-00", "R", "G", "rep", "A2", "null", "'", '"', "\\", "{", "[", "\x1a", "\u202e", "😀", "100 3",
)  # fmt: skip


def text(rng):
    return (
        rng.choice(TEXTS)
        if rng.random() < 0.7
        else "".join(map(chr, rng.choices(range(1, 0xD7FF), k=rng.randrange(40))))
    )


def rows(rng):
    header = rng.sample(COLUMNS, rng.randint(1, len(COLUMNS)))
    return header, [[text(rng) for _ in header] for _ in range(rng.randrange(6))]


def csv_file(rng):
    header, cells = rows(rng)
    if rng.random() < 0.1:
        header.append(rng.choice([*header, ""]))
    file = io.StringIO()
    writer = csv.writer(
        file, delimiter=rng.choice(",;\t|"), lineterminator=rng.choice(["\n", "\r\n", "\r", "\n\n"])
    )
    writer.writerows([header, *(row[: rng.randint(0, 9)] for row in cells)])
    return file.getvalue()


def value(rng, depth=0):
    kind = rng.randrange(9 if depth < 4 else 6)
    if kind < 2:
        return text(rng)
    if kind < 6:
        return rng.choice([None, True, -0.0, float("nan"), float("-inf"), 10**30, 1e308, 0])
    if kind == 6:
        return {text(rng): value(rng, depth + 1) for _ in range(3)}
    return [value(rng, depth + 1) for _ in range(rng.randrange(3))]


def json_file(rng):
    lines = [{name: value(rng) for name in rows(rng)[0]} for _ in range(rng.randrange(6))]
    whole = rng.random()
    if whole < 0.2:
        return json.dumps(lines)
    if whole < 0.3:
        deep = rng.choice([30, 1000, 200_000])
        return rng.choice(
            ['{"id": ' + "[" * deep, "[" * deep, '{"a":' * deep, '{"id": ' + "[" * deep + "]" * deep + "}"]
        )
    if whole < 0.4:
        return rng.choice(
            [
                '{"id": ' + "9" * 10_000 + "}",
                "null",
                "3",
                '"a"',
                "[1, 2]",
                '{"id": 1}{"id": 2}',
                "{'id': 1}",
                "[{}",
                "[]",
                "{}",
            ]
        )
    return "\n".join(json.dumps(line, ensure_ascii=rng.random() < 0.5) for line in lines)


def marked_file(rng):
    entity = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>'
    parts = [
        entity,
        "<doc>",
        "</doc>",
        '<doc id="1">',
        "<headline>",
        "</headline>",
        "<text>",
        "</text>",
        "&c;",
        "&#x110000;",
        "Roma",
    ]
    return "".join(rng.choices(parts, k=rng.randrange(12)))


def vectors_file(rng):
    header = rng.choice(["2 3", "0 0", "-1 3", "99999999999 300", "2 3 4", "1 99999999"])
    return f"{header}\n" + "\n".join(f"{text(rng)} 1 2 {rng.choice(['3', 'x', ''])}" for _ in range(2))


_TYPES = (
    (pa.int8(), [1, None]), (pa.uint64(), [2**64 - 1, 0]), (pa.float16(), [np.float16(1.5), None]), (pa.float64(), [float("nan"), 1e300]),
    (pa.bool_(), [True, None]), (pa.null(), [None, None]), (pa.binary(), [b"\xff\xfe", b""]), (pa.large_string(), ["a", None]),
    (pa.binary(2), [b"ab", None]), (pa.decimal128(38, 10), [decimal.Decimal("1.5"), None]), (pa.decimal256(70, 2), [decimal.Decimal(7), None]),
    (pa.date32(), [datetime.date(2019, 3, 1), None]), (pa.date64(), [datetime.date(1, 1, 1), None]), (pa.time64("ns"), [1, None]),
    (pa.timestamp("ns"), [2**62, -(2**62)]), (pa.timestamp("s", "Europe/Rome"), [2**40, 0]), (pa.timestamp("us", "Not/There"), [0, None]),
    (pa.duration("ns"), [2**62, None]), (pa.list_(pa.string()), [["a", None], None]), (pa.large_list(pa.int64()), [[1], []]),
    (pa.list_(pa.int32(), 2), [[1, 2], None]), (pa.struct([("a", pa.string()), ("b", pa.list_(pa.int8()))]), [{"a": "x", "b": [1]}, None]),
    (pa.map_(pa.string(), pa.int32()), [[("a", 1)], None]), (pa.dictionary(pa.int32(), pa.string()), ["a", None]), (pa.string(), ["Roma", ""]),
)  # fmt: skip


def parquet_file(rng):
    names = rows(rng)[0] + rng.choice([[], ["id"], [""], ["è" * 300]])
    arrays = [pa.array(values, kind) for kind, values in (rng.choice(_TYPES) for _ in names)]
    if rng.random() < 0.1:  # a string that is not UTF-8
        broken = pa.StringArray.from_buffers(
            2, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")
        )
        arrays[0] = broken
    table = pa.Table.from_arrays(arrays, names=names).slice(0, rng.randrange(3))
    file = io.BytesIO()
    try:
        pq.write_table(table, file, compression=rng.choice(["none", "snappy", "gzip", "zstd"]))
    except (pa.ArrowException, ValueError):
        return b"PAR1PAR1"
    return file.getvalue()


def large_file(rng):
    """10 MB cells, 100,000 columns, very many rows of nothing."""
    big = rng.choice(["a", "è ", "1", '"', "[", " ", ","]) * 10_000_000
    many = ",".join(f"c{n}" for n in range(100_000))
    return rng.choice(
        [f"id,headline,article\n1,{big[:10_000_000]},b\n", f'id,headline\n1,"{big[:10_000_000]}', big[:10_000_000], many + "\n" + "," * 99_999,
         "id,headline\n" + "\n" * 2_000_000, json.dumps({"id": "1", "headline": big[:10_000_000]}),
         json.dumps({f"c{n}": n for n in range(100_000)}), "[" + "{}," * 100_000 + "{}]"]
    )  # fmt: skip


def packed(data, rng):
    kind = rng.randrange(4)
    if kind == 3:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.csv", data)
        return file.getvalue()
    return (gzip, bz2, lzma)[kind].compress(data)


def damaged(data, rng):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data) + 1)] if rng.random() < 0.4 else data)


def write(folder, rng, *, name, large=0.004):
    """One malformed file."""
    if rng.random() < large:
        data, ending = large_file(rng).encode(), rng.choice([".csv", ".json", ".jsonl", ".tsv"])
    else:
        makers = {
            ".csv": csv_file,
            ".json": json_file,
            ".jsonl": json_file,
            ".parquet": parquet_file,
            ".xml": marked_file,
            ".txt": vectors_file,
        }
        ending = rng.choice(list(makers))
        data = makers[ending](rng)
        if isinstance(data, str):
            encoding = rng.choice(ENCODINGS) if rng.random() < 0.4 else "utf-8"
            data = data.encode(encoding, errors="surrogatepass" if encoding == "utf-8" else "replace")
        if rng.random() < 0.3:
            data = damaged(data, rng)
        if rng.random() < 0.1:
            data = packed(data, rng)
        if rng.random() < 0.2:
            ending = rng.choice(ENDINGS)
    path = folder / f"{name}{ending}"
    path.write_bytes(data)
    return path


def read_corpus(path, encoding="utf-8"):
    found = read_articles(ReadingOptions(files=(str(path),), encoding=encoding))
    assert found.rows == len(found.articles) + len(found.rejected)
    for article in found.articles:  # a folder of parquet files can be written of them
        f"{article.id}{article.headline}{article.article}{article.label}".encode()


def read_encoded(path):
    read_corpus(path, ENCODINGS[int(path.stem) % len(ENCODINGS)])


def read_predictions(path):
    for record in read_records(path, required=("id", "headline", "target"), optional=("error",)):
        "".join(record.cells.values()).encode(errors="backslashreplace")


def read_hevas(path):
    read_documents(str(path))


READERS = (
    read_corpus,
    read_encoded,
    read_predictions,
    read_text,
    read_json,
    read_hevas,
    read_sheet,
    load_vectors,
)


def fault(reader, path):
    """Why a reader neither reads a file nor refuses it in one sentence, within bounds; empty where it does."""
    start, before = time.process_time(), getrusage(RUSAGE_SELF).ru_maxrss
    try:
        reader(path)
    except InputError as error:
        if not str(error).strip() or "\n" in str(error):
            return f"refused with {error!r}"
    except BaseException as error:  # polars' PanicException is no Exception
        return f"raised {error!r}"
    took, grown = time.process_time() - start, (getrusage(RUSAGE_SELF).ru_maxrss - before) // 1024
    return f"took {took:.1f} s and {grown} MB" if took > SECONDS or grown > MEGABYTES else ""


def check(folder, files, seed, *, large=0.004):
    """Faults of all readers with many files."""
    rng, found = random.Random(seed), []
    for number in range(files):
        path = write(folder, rng, name=str(number), large=large)
        for reader in READERS:
            wrong = fault(reader, path)
            if wrong.startswith("took"):  # something else may have run
                wrong = fault(reader, path)
            if wrong:
                found.append(f"file {number} of seed {seed}, {path.name}: {reader.__name__} {wrong}"[:500])
        path.unlink()
    return found


def main(files, seed):
    """Check many files and say which have faults."""
    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        found = check(Path(folder), files, seed)
    print(f"{files} files, {len(found)} faults, at most {getrusage(RUSAGE_SELF).ru_maxrss // 1024} MB")
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    sys.exit(main(**vars(parser.parse_args())))
