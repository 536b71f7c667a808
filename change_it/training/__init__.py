"""Training: one Accelerate loop for judges, masked language models and generators, and its options."""
