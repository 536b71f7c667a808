"""How reliable the judges are: perturbations, cues of main, calibration, verdicts in words."""
