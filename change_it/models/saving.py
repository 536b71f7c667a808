"""Save and push loaded models, by the methods that models of transformers have."""

from abc import ABC, abstractmethod
from importlib import import_module
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, ClassVar, Literal

from change_it.files.model_folders import MODEL_FILES, weight_files

if TYPE_CHECKING:
    import torch

#: What an object can be pushed as.
PushedModel = Literal["judge", "generator"]


class Pushable(ABC):
    """An object that is saved in a folder, and pushed to the Hub as `change-it push` does it.

    Attributes:
        push_kind: what it is pushed as.
    """

    push_kind: ClassVar[PushedModel]

    @abstractmethod
    def save_pretrained(self, save_directory: str | Path) -> None:
        """Save it in a new or empty folder."""

    def push_to_hub(
        self,
        repo_id: str,
        *,
        private: bool = False,
        license: str | None = None,
        dataset: str | None = None,
        package: str | None = None,
        revision: str | None = None,
        create_pr: bool = False,
        commit_message: str | None = None,
        tag: str | None = None,
        replace: bool = False,
    ) -> str:
        """Push it with its card; the arguments are those of `change-it push`.

        Returns:
            Address of the commit, or of the pull request.

        Raises:
            InputError: it may not be pushed so, or the Hub refuses it; the repository is then as it was.
        """
        # The room of the Hub lies above this one: it is looked up when somebody pushes.
        objects = import_module("change_it.hub.objects")
        with TemporaryDirectory() as folder:
            saved = Path(folder) / "model"
            self.save_pretrained(saved)
            address: str = objects.push_folder(
                self.push_kind,
                saved,
                repo_id,
                private=private,
                license=license,
                dataset=dataset,
                package=package,
                revision=revision,
                create_pr=create_pr,
                message=commit_message,
                tag=tag,
                replace=replace,
            )
        return address


def restore_files(source: Path, target: Path, *, command: str) -> None:
    """Put the files that a model was loaded from over those just saved, unless its weights have changed.

    Its hashes, and the figures that were measured for it, then stay what they were.

    Args:
        source: the folder that it was loaded from.
        target: the folder that it was saved in.
        command: what trains such models, for messages.
    """
    if not _has_same_weights(source, target, command=command):
        return
    for pattern in MODEL_FILES:
        for path in source.glob(pattern):
            copyfile(path, target / path.name)


def _has_same_weights(source: Path, target: Path, *, command: str) -> bool:
    """Return whether two folders hold equal weights, whatever their type and their shards."""
    import torch

    first = _read_weights(source, command=command)
    second = _read_weights(target, command=command)
    if first.keys() != second.keys():
        return False
    return all(torch.equal(first[name].float(), second[name].float()) for name in first)


def _read_weights(folder: Path, *, command: str) -> "dict[str, torch.Tensor]":
    """Read the weights of all shards, by their names."""
    from safetensors.torch import load_file

    tensors: dict[str, torch.Tensor] = {}
    for path in weight_files(folder, command=command):
        tensors.update(load_file(path))
    return tensors
