"""Training: transformers' Trainer for judges and generators, and its options."""
