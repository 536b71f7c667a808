"""What a terminal says while the steps of a run are worked on."""

import io

from rich.console import Console

from change_it.cli.progress import StepProgress

STEPS = {
    "corpus": ["corpus"],
    "hh judge": ["hh judge"],
    "fluency judge": ["fluency judge"],
    "choosing": ["choosing hh", "choosing fluency"],
}
JOBS = [job for jobs in STEPS.values() for job in jobs]


class Clock:
    """A clock that stands still: a test sets `now`, in seconds."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_the_step_its_jobs_the_seconds_and_what_is_left_are_said():
    clock = Clock()
    progress = StepProgress(STEPS, JOBS, 2, clock)
    progress.show(["corpus"])
    clock.now += 5
    assert progress.line == "step 1 of 5: corpus; 5 s"
    clock.now += 13
    progress.finish("corpus", 18.0)  # twice as long as on the sample
    progress.show(["hh judge", "fluency judge"])
    # 2 × (1 + 9 + 1 + 9) s by two processes, and 2 × 4 s of scoring
    assert progress.line == "step 2 of 5: hh judge, fluency judge; 18 s, about 28 s left"
    clock.now += 2
    progress.finish("hh judge", 2.0)
    progress.show(["fluency judge", "choosing hh"])
    assert progress.line == "step 3 of 5: fluency judge, choosing hh; 20 s, about 26 s left"


def test_a_job_that_takes_longer_than_usual_leaves_no_time_below_zero():
    clock = Clock()
    progress = StepProgress(STEPS, JOBS, 1, clock)
    for job in JOBS[:-1]:
        progress.finish(job, 0.0)
    progress.show(JOBS[-1:])
    clock.now += 600
    assert progress.line == "step 4 of 5: choosing fluency; 10 min, about 0 s left"
    progress.finish(JOBS[-1], 600.0)
    progress.show([])
    assert progress.line.startswith("step 5 of 5: score; 10 min")


def test_finished_steps_of_an_earlier_call_are_counted():
    progress = StepProgress(STEPS, ["choosing fluency"], 2, Clock())
    progress.show(["choosing fluency"])
    assert progress.line == "step 4 of 5: choosing fluency; 0 s"


def test_the_line_is_drawn_anew():
    clock = Clock()
    progress = StepProgress(STEPS, JOBS, 1, clock)
    progress.show(["corpus"])
    out = io.StringIO()
    status = Console(file=out, width=80, force_terminal=True).status(progress)
    for now in (101, 107):
        clock.now = now
        status.console.print(status.renderable)
    assert "step 1 of 5: corpus; 1 s" in out.getvalue()
    assert "step 1 of 5: corpus; 7 s" in out.getvalue()
