"""Checkpoints of a run: written whole or not at all, without weights that are not trained."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from accelerate import Accelerator
from torch import Tensor, nn

from change_it.errors import InputError

#: Checkpoints kept: the newest, and the one before while the newest is being written.
CHECKPOINTS_KEPT = 2
#: Written into a checkpoint or a stage last: one without it was being written when the run died.
COMPLETE = "complete"


def untrained_weights(model: nn.Module) -> set[str]:
    """Names of the weights that are not trained."""
    named = model.named_parameters(remove_duplicate=False)
    return {name for name, parameter in named if not parameter.requires_grad}


def leave_out_frozen(models: Sequence[nn.Module], weights: list[dict[str, Tensor]], _: str) -> None:
    """Keep out of a checkpoint what a run that is resumed loads anyway: the base of adapters."""
    for model, state in zip(models, weights, strict=True):
        for name in untrained_weights(model) & state.keys():
            del state[name]


def _folders(out: Path) -> list[Path]:
    """Checkpoints, oldest first."""
    return sorted(
        (out / "checkpoints").glob("checkpoint_*"), key=lambda folder: int(folder.name.partition("_")[2])
    )


def save_checkpoint(accelerator: Accelerator, out: Path) -> None:
    """Write a checkpoint, its mark of completeness last."""
    accelerator.save_state()
    accelerator.wait_for_everyone()
    if accelerator.is_main_process:
        (_folders(out)[-1] / COMPLETE).touch()
    accelerator.wait_for_everyone()


def resume(accelerator: Accelerator, out: Path) -> None:
    """Load the newest complete checkpoint; without one the run starts from its beginning."""
    if accelerator.is_main_process:
        for folder in _folders(out):
            if not (folder / COMPLETE).exists():
                shutil.rmtree(folder)
    accelerator.wait_for_everyone()
    if folders := _folders(out):
        try:
            accelerator.load_state(str(folders[-1]), strict=False)  # frozen weights are not in it
        except InputError as error:
            raise InputError(
                f"{out} is of an unfinished run with other data or options ({error}): "
                "use the same ones to finish it, or remove that folder to begin again"
            ) from error
        accelerator.project_configuration.iteration = int(folders[-1].name.partition("_")[2]) + 1


def clear_checkpoints(accelerator: Accelerator, out: Path) -> None:
    """Delete all checkpoints."""
    if accelerator.is_main_process:
        shutil.rmtree(out / "checkpoints", ignore_errors=True)
    accelerator.wait_for_everyone()
