"""The Space under load, as JSON: time from the button to verdicts, many people at once, rushes, hostile input, memory.

    python benchmarks/space.py --run runs/quickstart

The page runs in a process of its own, on the same cores as the requests. A request asks `/transfer`, which does what the
button does: new headlines, three judges' verdicts on each, readability. No two requests are about the same article, so
nothing is answered from a cache.
"""

import json
import random
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import tyro

from change_it.space.transfer_tab import STYLE_WEIGHT
from tools.sample.write import sample_articles

#: What an answer must never show.
INTERNAL = ("Traceback", 'File "', "site-packages", "Exception:")
TEXTS = (
    "",
    " \n\t",
    "a" * 1_000_000,
    "📰" * 400,
    "عنوان الخبر \u202e txet",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "null\x00byte \ud83d",
    "{{7*7}} ${7*7} %s %n '; DROP TABLE headlines; --",
    "¿" * 301,
    "../../etc/passwd",
)
ODD: tuple[Any, ...] = (
    None,
    7,
    -1,
    1e308,
    True,
    [],
    ["a"],
    {},
    {"path": "/etc/passwd"},
    "colle2faro",
    "faro",
)
FILES = (
    b"",
    b"\x00" * 1000,
    b"\xff\xfe\xfa headline",
    b"id,headline\n1,a\n",
    b"id,source,article,label,headline\n",
    b'id,source,article,label,headline\n1,"a,b,colle,c\n',
    b"id,source,article,label,headline\n1,a,b,nobody,c\n",
    b"id,source,article,label,headline\n1,,,colle,\n1,,,colle,\n",
    b"id;source;article;label;headline\n1;a;b;colle;c\n",
    b"id,source,article,label,headline\n" + b"x" * 1_000_000,
    b"PK\x03\x04 not a table",
)


@dataclass(kw_only=True)
class Options:
    """Start `change-it demo` and load it."""

    run: Path = Path("runs/quickstart")
    """Run whose models are served."""
    requests: int = 100
    """Requests of one person, one after the other, and of all of --users together."""
    users: int = 20
    """People at once."""
    rush: int = 300
    """Requests at the same moment."""
    hostile: int = 1_000
    """Hostile requests."""
    mixed: int = 3_600
    """Requests of all kinds in turn, some hostile; memory is read after the first third and at the end."""
    candidates: int = 3
    """Headlines asked for; as the page opens."""
    seed: int = 1
    """Of articles and of hostile input."""


class Page:
    """The served page, as curl sees it."""

    def __init__(self, address: str) -> None:
        self.address = address
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        self.client = httpx.Client(
            base_url=f"{address}/gradio_api", timeout=600, limits=limits, trust_env=False
        )

    def ask(self, endpoint: str, data: list[Any]) -> tuple[str, str]:
        """`complete` or `error` and the answer's text; `refused` where the queue is full; `status` with an unexpected one."""
        body = json.dumps({"data": data})  # lone surrogates too
        sent = self.client.post(
            f"/call/{endpoint}", content=body.encode(), headers={"content-type": "application/json"}
        )
        if sent.status_code == 503:
            return "refused", sent.text
        if sent.status_code != 200:
            return f"status {sent.status_code}", sent.text
        found = self.client.get(f"/call/{endpoint}/{sent.json()['event_id']}")
        event = "none"
        for line in found.text.splitlines():
            if line.startswith("event: "):
                event = line.removeprefix("event: ")
        return event, found.text

    def upload(self, content: bytes, name: str) -> str:
        """The file's place on the server; empty where it is refused."""
        sent = self.client.post("/upload", files={"files": (name, content)})
        return sent.json()[0] if sent.status_code == 200 else ""


def questions(options: Options, count: int, seed: int) -> list[list[Any]]:
    """Arguments of `/transfer`: as many articles of the sample that the quickstart has not seen."""
    labels = ("colle", "faro")
    return [
        [
            article.headline,
            article.article,
            f"{article.label}2{labels[1 - labels.index(article.label)]}",
            "rewrite",
            options.candidates,
            "en",
            STYLE_WEIGHT,
        ]
        for article in sample_articles(count, seed)
    ]


def own_headline(asked: list[Any], number: int) -> list[Any]:
    """Arguments of `/judge` about the article of a question to `/transfer`."""
    headline, article, direction, *_ = asked
    return [f"{headline} {number}", headline, article, direction, "en"]


def timed(page: Page, endpoint: str, asked: list[list[Any]], users: int, server: int) -> dict[str, Any]:
    """Seconds of each request, `users` at a time, how each ended, and processor seconds of the server."""
    times = psutil.Process(server).cpu_times

    def once(data: list[Any]) -> tuple[float, str]:
        start = time.perf_counter()
        event, _ = page.ask(endpoint, data)
        return time.perf_counter() - start, event

    start, used = time.perf_counter(), sum(times()[:2])
    with ThreadPoolExecutor(users) as pool:
        answers = list(pool.map(once, asked))
    whole = time.perf_counter() - start
    seconds = sorted(second for second, _ in answers)
    ends = [end for _, end in answers]
    return {
        "requests": len(asked),
        "at_once": users,
        "median_seconds": round(statistics.median(seconds), 3),
        "95th_percentile_seconds": round(seconds[int(0.95 * (len(seconds) - 1))], 3),
        "slowest_seconds": round(seconds[-1], 3),
        "requests_a_second": round(len(asked) / whole, 2),
        "processor_seconds": round(sum(times()[:2]) - used, 2),
        "ends": {end: ends.count(end) for end in sorted(set(ends))},
    }


def hostile(page: Page, options: Options) -> dict[str, Any]:
    """Ends of hostile requests, and those in which something internal was shown."""
    draw = random.Random(options.seed)
    ends: dict[str, int] = {}
    shown: list[str] = []
    for number in range(options.hostile):
        kind = draw.choice(("transfer", "judge", "score", "odd"))
        if kind == "score":
            name = draw.choice(("a.csv", "a.xlsx", "<b>.csv", "a" * 200 + ".csv"))
            place = page.upload(draw.choice(FILES), name)
            file = {"path": place, "meta": {"_type": "gradio.FileData"}} if place else None
            endpoint, data = "score", [file, draw.choice(("relative", "x", None)), "en"]
        elif kind == "odd":
            endpoint = draw.choice(("transfer", "judge", "score"))
            data = [draw.choice(ODD) for _ in range(draw.randint(0, 7))]
        else:
            endpoint = kind
            data = [draw.choice(TEXTS) for _ in range(2)]
            judged = [draw.choice(TEXTS), "colle2faro", "en"]
            data += ["colle2faro", "rewrite", 3, "en", STYLE_WEIGHT] if kind == "transfer" else judged
        end, text = page.ask(endpoint, data)
        ends[end] = ends.get(end, 0) + 1
        if end.startswith("status 5") or end == "none" or any(sign in text for sign in INTERNAL):
            shown.append(f"{number} {endpoint} {end} {text[:200]}")
    return {"requests": options.hostile, "ends": ends, "internal": shown[:10], "internal_count": len(shown)}


def mixed(page: Page, options: Options, server: int) -> dict[str, Any]:
    """Megabytes of the server after a third of the requests, when caches have filled, and after all."""
    process = psutil.Process(server)
    asked = questions(options, options.mixed, 5000 + options.seed)
    ends: dict[str, int] = {}
    megabytes = []
    for number, data in enumerate(asked):
        if number in (options.mixed // 3, options.mixed - 1):
            megabytes.append(round(process.memory_info().rss / 1e6, 1))
        match number % 4:
            case 0:
                end, _ = page.ask("transfer", data)
            case 1 | 2:
                end, _ = page.ask("judge", own_headline(data, number))
            case _:
                end, _ = page.ask("judge", [TEXTS[number % len(TEXTS)], *own_headline(data, number)[1:]])
        ends[end] = ends.get(end, 0) + 1
    growth = round(megabytes[1] / megabytes[0], 3)
    return {"requests": options.mixed, "ends": ends, "megabytes": megabytes, "growth": growth}


def main(options: Options) -> None:
    command = [sys.executable, "-u", "-m", "change_it.cli", "demo", "--run", str(options.run), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            for line in server.stdout:
                if "http://" in line:
                    break
            page = Page(line[line.index("http://") :].split()[0].rstrip("/"))
            report: dict[str, Any] = {}
            for name, count, users in (
                ("one person", options.requests, 1),
                (f"{options.users} people", options.requests, options.users),
                ("a rush", options.rush, options.rush),
            ):
                for endpoint in ("transfer", "judge") if count else ():
                    print(name, endpoint, file=sys.stderr)
                    options.seed += 1
                    asked = questions(options, count, 1000 + options.seed)
                    if endpoint == "judge":
                        asked = [own_headline(data, number) for number, data in enumerate(asked)]
                    results = timed(page, endpoint, asked, users, server.pid)
                    assert "complete" in results["ends"], "no request was answered"
                    report.setdefault(name, {})[endpoint] = results
            if options.mixed:
                print("mixed", file=sys.stderr)
                report["mixed"] = mixed(page, options, server.pid)
            if options.hostile:
                print("hostile input", file=sys.stderr)
                report["hostile input"] = hostile(page, options)
            report["alive"] = page.ask("transfer", questions(options, 1, 999)[0])[0] == "complete"
        finally:
            server.terminate()
    print(json.dumps(report, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main(tyro.cli(Options))
