"""Train judges, which classify style (main), content (HH, AH) and fluency, and ask them for verdicts."""
