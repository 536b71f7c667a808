"""HEvAS (2019): informativeness and readability of headlines, baselines and statistics, usable alone and without torch."""
