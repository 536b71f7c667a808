"""Measure headlines by HEvAS (2019): informativeness, readability, baselines, statistics; without torch."""
