"""Many people at the same moment: everybody is answered, and nobody suffers for what another sent."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from space_runs import served

from change_it.translation import translate


@pytest.mark.parametrize(
    ("endpoint", "arguments", "people"),
    [
        ("transfer", ["rep2gio", "sum", 2], 80),
        pytest.param("judge", ["rep2gio"], 300, marks=pytest.mark.slow),
    ],
)
def test_nobody_of_many_at_once_is_turned_away(models, endpoint, arguments, people):
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    with (
        served(models) as url,
        httpx.Client(base_url=f"{url}gradio_api", timeout=600, limits=limits, trust_env=False) as client,
    ):

        def ask(number):
            """The headline in the answer, or what is wrong with the request; every tenth has no headline."""
            headline = f"Crolla il ponte {number}" if number % 10 else ""
            language = "en" if number % 20 else "it"
            data = [headline, "Il ponte crolla ieri.", *arguments, language]
            data = [*data, 0.5] if endpoint == "transfer" else ["Crolla tutto!", *data]
            sent = client.post(f"/call/{endpoint}", json={"data": data})
            answer = client.get(f"/call/{endpoint}/{sent.json()['event_id']}").text
            found = json.loads(answer.rpartition("data: ")[2])
            return found[0]["original"]["headline"] if "event: complete" in answer else found["error"]

        with ThreadPoolExecutor(people) as threads:
            answers = list(threads.map(ask, range(people)))
    wrong = [translate(language, "limits.no_headline") for language in ("it", "en")]
    assert answers == [
        f"Crolla il ponte {number}" if number % 10 else wrong[number // 10 % 2] for number in range(people)
    ]
