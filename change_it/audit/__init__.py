"""How far to believe the judges: systems that must fail, what main listens to, calibration, power, verdicts in words."""

from change_it.audit.options import AuditOptions

__all__ = ["AuditOptions"]
