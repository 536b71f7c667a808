"""What many people ask at once is answered in one batch."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class Batches(Generic[Question, Answer]):
    """A function of many questions that many threads ask one each: a few threads answer all that wait."""

    def __init__(
        self, answer_all: Callable[[list[Question]], Sequence[Answer]], batch_size: int, workers: int = 1
    ):
        """`answer_all` gets 1 to `batch_size` questions and returns as many answers, in `workers` threads at once."""
        self._answer_all, self._batch_size = answer_all, batch_size
        self._waiting: deque[tuple[Question, Future[Answer]]] = deque()
        self._workers = ThreadPoolExecutor(workers, thread_name_prefix="batches")

    def submit(self, question: Question) -> Future[Answer]:
        """The answer to one question, or the error in which it ends, whatever becomes of the others."""
        answer: Future[Answer] = Future()
        self._waiting.append((question, answer))
        self._workers.submit(self._answer_waiting)
        return answer

    def _answer_waiting(self) -> None:
        """Answer those that have waited longest; none is left where an earlier call took them."""
        batch: list[tuple[Question, Future[Answer]]] = []
        with suppress(IndexError):
            while len(batch) < self._batch_size:
                batch.append(self._waiting.popleft())
        try:
            answers = self._answer_all([question for question, _ in batch]) if batch else []
        except Exception:  # of which question?
            for question, answer in batch:
                try:
                    [result] = self._answer_all([question])
                except Exception as error:
                    answer.set_exception(error)
                else:
                    answer.set_result(result)
        else:
            for (_, answer), result in zip(batch, answers, strict=True):
                answer.set_result(result)
