"""Prompt a chat model with the nearest training headlines as examples, and write a file of predictions.

    change-it corpus items --corpus runs/news/corpus --out todo.csv
    python examples/few_shot.py runs/news/corpus todo.csv mine.csv http://localhost:8000/v1 NAME

The server is any OpenAI-compatible one; a key is read from CHANGE_IT_API_KEY. Each headline is asked with the
three training pairs (A1) whose headlines of its own newspaper share most words with it. The test set gives no
example.
"""

import csv
import os
import sys

from datasets import load_dataset
from huggingface_hub import InferenceClient
from sklearn.feature_extraction.text import TfidfVectorizer

SHOTS = 3


def prompt_for(item: dict[str, str], own: list[str], other: list[str]) -> str:
    """Return the prompt for an item.

    `own` are training headlines of its newspaper, `other` those of the newspaper to write for.
    """
    vectorizer = TfidfVectorizer()
    learnt = vectorizer.fit_transform(own)
    cosines = (learnt @ vectorizer.transform([item["headline"]]).T).toarray()[:, 0]
    nearest = cosines.argsort(kind="stable")[::-1][:SHOTS]
    shots = "".join(f"Headline: {own[row]}\n{item['to']}: {other[row]}\n\n" for row in nearest)
    task = f"Rewrite the last headline in the style of {item['to']}. Answer with the new headline alone."
    return (
        f"{task}\n\nArticle: {item['article'][:2000]}\n\n{shots}Headline: {item['headline']}\n{item['to']}:"
    )


def main(corpus: str, todo: str, out: str, server: str, model: str) -> None:
    """Ask the server for a headline of every row of `todo`, and write id and headline to `out`."""
    training = load_dataset(corpus, "pairs", split="train").filter(lambda pair: pair["alignment"] == "A1")
    a_ids = set(load_dataset(corpus, "pairs", split="test")["a_id"])
    a, b = training["a_headline"][:], training["b_headline"][:]
    client = InferenceClient(base_url=server, api_key=os.environ.get("CHANGE_IT_API_KEY"))
    with open(todo, newline="", encoding="utf-8") as items, open(out, "w", encoding="utf-8") as predictions:
        writer = csv.writer(predictions, lineterminator="\n")
        writer.writerow(["id", "headline"])
        for item in csv.DictReader(items):
            prompt = prompt_for(item, a, b) if item["id"] in a_ids else prompt_for(item, b, a)
            messages = [{"role": "user", "content": prompt}]
            answer = client.chat_completion(messages, model=model, max_tokens=60, temperature=0)
            writer.writerow([item["id"], answer.choices[0].message.content.strip()])


if __name__ == "__main__":
    main(*sys.argv[1:])
