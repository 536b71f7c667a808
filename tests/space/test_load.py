"""Many people at the same moment: everybody is answered."""

import json
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from space_runs import served

PEOPLE = 300


@pytest.mark.slow
def test_nobody_of_three_hundred_at_once_is_turned_away(models):
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    with (
        served(models) as url,
        httpx.Client(base_url=f"{url}gradio_api", timeout=600, limits=limits, trust_env=False) as client,
    ):

        def ask(number):
            data = [f"Crolla il ponte {number}", "Il ponte crolla ieri.", "Crolla tutto!", "rep2gio", "it"]
            sent = client.post("/call/judge", json={"data": data})
            answer = client.get(f"/call/judge/{sent.json()['event_id']}").text
            _, complete, found = answer.rpartition("event: complete\ndata: ")
            assert complete, answer
            return json.loads(found)[0]["original"]["headline"]

        with ThreadPoolExecutor(PEOPLE) as people:
            answers = list(people.map(ask, range(PEOPLE)))
    assert answers == [f"Crolla il ponte {number}" for number in range(PEOPLE)]
