"""How far to believe the judges: systems that must fail, what main listens to, calibration, verdicts in words."""
