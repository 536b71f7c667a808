"""Training: one Accelerate loop for judges and generators, and its options."""
