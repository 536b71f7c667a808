"""Malformed files and models, made from a seed, through every reader: each is read, or refused with an `InputError`, within bounds.

python tests/malformed.py [--files 10000] [--models 1000] [--seed N]
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
import shutil
import sys
import tempfile
import time
import zipfile
from hashlib import sha256
from pathlib import Path
from resource import RUSAGE_SELF, getrusage

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from safetensors.numpy import load_file, save_file

from change_it.annotation import read_key
from change_it.corpus.corpus_options import ReadingOptions
from change_it.corpus.reading import read_articles
from change_it.errors import InputError
from change_it.hevas.documents import read_documents
from change_it.hevas.embeddings import load_vectors
from change_it.io import read_json, read_records, read_text

SECONDS, MEGABYTES = 30.0, 1024  # of a reader that hangs, on any machine
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
    written = file.getvalue()
    if rng.random() < 0.3:  # quotes that are never closed or never opened
        written = "".join(mark + rng.choice(['"', "", ""]) if mark in ',;\t"\n' else mark for mark in written)
    return written


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
    read_key,
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


NUMBERS = (-1, 0, 1, 3, 10**6, 10**9, 10**12, 10**30, 0.5, float("nan"), float("inf"), True)


def edit(file, change):
    """Let `change` have the object of a JSON file."""
    record = json.loads(file.read_text(encoding="utf-8"))
    change(record)
    file.write_text(json.dumps(record), encoding="utf-8")


def edit_weights(folder, change):
    """Let `change` have the tensors of a saved model."""
    [file] = [*folder.glob("model.safetensors"), *folder.glob("adapter_model.safetensors")]
    tensors = load_file(file)
    change(tensors)
    save_file(tensors, file, metadata={"format": "pt"})


def spoil(tensors, name="", number=np.nan):
    """Put a number into the first tensor of that name."""
    key = next(key for key in sorted(tensors) if name in key and tensors[key].dtype == np.float32)
    tensors[key] = tensors[key].copy()
    tensors[key].flat[0] = number


def in_shards(folder, *, lacking=False, elsewhere=False):
    """The weights in two files and an index; the second is not there, or lies in another folder."""
    whole = folder / "model.safetensors"
    tensors = load_file(whole)
    whole.unlink()
    other = folder.parent / f"{folder.name}-other" if elsewhere else folder
    other.mkdir(exist_ok=True)
    names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    places = [names[number % 2] for number in range(len(tensors))]
    for name, place in zip(names, (folder, other), strict=True):
        part = {key: tensors[key] for key, held in zip(tensors, places, strict=True) if held == name}
        if not lacking or name == names[0]:
            save_file(part, place / name, metadata={"format": "pt"})
    shown = {names[0]: names[0], names[1]: f"../{other.name}/{names[1]}" if elsewhere else names[1]}
    index = {
        "metadata": {},
        "weight_map": {key: shown[held] for key, held in zip(tensors, places, strict=True)},
    }
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def places(record, path=()):
    """Where the values of a JSON object are."""
    items = record.items() if isinstance(record, dict) else enumerate(record)
    for key, found in items:
        yield (*path, key)
        if isinstance(found, dict | list) and len(found) < 200:
            yield from places(found, (*path, key))


def damage_model(folder, rng):
    """Change one thing in the folder of a model."""
    file = rng.choice(sorted(path for path in folder.iterdir() if path.suffix in (".json", ".safetensors")))
    how = rng.random()
    if how < 0.1:
        file.unlink()
    elif how < 0.3:
        file.write_bytes(damaged(file.read_bytes(), rng))
    elif file.suffix == ".safetensors":
        change = rng.choice(
            [
                spoil,
                lambda held: held.pop(rng.choice(sorted(held))),
                lambda held: held.update(more=np.ones(3)),
            ]
        )
        edit_weights(folder, change)
    else:

        def change(record):
            *path, last = rng.choice(list(places(record)))
            for key in path:
                record = record[key]
            record[last] = rng.choice([rng.choice(NUMBERS), value(rng)])

        edit(file, change)


def ask_judge(folder):
    """What a judge makes of a short headline and a long article."""
    from change_it.judges.judge import Judge

    judge = Judge.from_pretrained(folder, device="cpu")
    texts = ["Il ponte crolla", "La riforma è approvata. " * 40]
    found = judge.probabilities(texts, None if judge.task == "main" else texts[::-1], progress=False)
    assert np.isfinite(found).all()


def ask_generator(folder):
    """What a generator writes of a long article."""
    from change_it import HeadlineTransfer

    transfer = HeadlineTransfer.from_pretrained(folder, device="cpu")
    [text] = transfer(["Il ponte crolla"], article=["La riforma è approvata. " * 40], to=transfer.targets[0])
    assert isinstance(text, str)


def check_models(folder, model, ask, count, seed):
    """Faults of many copies of a saved model, one thing in each changed; of copies that are alike one is asked."""
    rng, found, asked = random.Random(seed), [], set()
    for number in range(count):
        copy = folder / f"{model.name}-{number}"
        shutil.copytree(model, copy)
        damage_model(copy, rng)
        content = frozenset((file.name, sha256(file.read_bytes()).digest()) for file in copy.iterdir())
        wrong = "" if content in asked else fault(ask, copy)
        asked.add(content)
        if wrong.startswith("took"):
            wrong = fault(ask, copy)
        if wrong:
            found.append(f"model {number} of seed {seed}: {ask.__name__} {wrong}"[:500])
        shutil.rmtree(copy)
    return found


def main(files, models, seed):
    """Check many files and models and say which have faults."""
    from space_runs import save_judge
    from tiny_generators import save_generator

    print(f"seed {seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = check(folder, files, seed)
        found += check_models(folder, save_judge(folder / "hh", "hh"), ask_judge, models, seed)
        found += check_models(folder, save_generator(folder / "sum"), ask_generator, models, seed)
    print(
        f"{files} files, {2 * models} models, {len(found)} faults, at most {getrusage(RUSAGE_SELF).ru_maxrss // 1024} MB"
    )
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--models", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    sys.exit(main(**vars(parser.parse_args())))
