"""Options of low-rank adapters (Hu et al. 2021). Neither torch nor PEFT is loaded."""

from dataclasses import dataclass

from change_it.errors import InputError

#: Learning rate of adapters, which start at nothing and take larger steps.
LORA_RATE = 1e-3
#: Rank of adapters.
LORA_RANK = 16
#: What adapters add is scaled by it over the rank.
LORA_ALPHA = 32


@dataclass(frozen=True, kw_only=True)
class Adapters:
    """Settings of low-rank adapters, by PEFT's names.

    Attributes:
        r: rank.
        lora_alpha: what they add is scaled by it over the rank.
        lora_dropout: share of their inputs that are dropped in training.
        targets: names of the layers that get them; empty for PEFT's own choice.
    """

    r: int = LORA_RANK
    lora_alpha: int = LORA_ALPHA
    lora_dropout: float = 0.0
    targets: tuple[str, ...] = ()


@dataclass(kw_only=True)
class LoraFields:
    """Options of a training with adapters."""

    lora: bool = False
    """Train low-rank adapters alone (extra: lora). Those of a generator are saved alone, those of a judge are
    merged into its encoder at the end."""
    lora_rank: int | None = None
    """Rank of the adapters; 16 when not given."""
    lora_alpha: int | None = None
    """What adapters add is scaled by alpha / rank; 32 when not given."""
    lora_dropout: float | None = None
    """Share of an adapter's inputs that are dropped in training, from 0 to below 1; 0 when not given."""
    lora_targets: tuple[str, ...] = ()
    """Names of the layers that get adapters, as q_proj v_proj, or all-linear; PEFT's own for the model when
    not given.
    """

    @property
    def adapters(self) -> Adapters:
        """Return the settings of the adapters."""
        return Adapters(
            r=LORA_RANK if self.lora_rank is None else self.lora_rank,
            lora_alpha=LORA_ALPHA if self.lora_alpha is None else self.lora_alpha,
            lora_dropout=self.lora_dropout or 0.0,
            targets=tuple(self.lora_targets),
        )


def check_adapters(options: LoraFields) -> None:
    """Refuse settings of adapters where there are no adapters, and values that no adapter can have."""
    numbers = {"--lora-rank": options.lora_rank, "--lora-alpha": options.lora_alpha}
    given = [name for name, value in numbers.items() if value is not None]
    if options.lora_dropout is not None:
        given.append("--lora-dropout")
    if options.lora_targets:
        given.append("--lora-targets")
    if given and not options.lora:
        raise InputError(f"{given[0]} requires --lora")
    for name, value in numbers.items():
        if value is not None and value < 1:
            raise InputError(f"{name} {value} is out of range: give a whole number from 1 on")
    if options.lora_dropout is not None and not 0 <= options.lora_dropout < 1:
        raise InputError(f"--lora-dropout {options.lora_dropout} is out of range: give 0 to below 1")
