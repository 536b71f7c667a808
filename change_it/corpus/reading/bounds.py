"""Bounds from which what a check finds in an outlet's rows is no accident."""

#: Share of an outlet's rows from which most issues are reported; clean files stay below.
REPORT_SHARE = 0.05
#: Share of an outlet's rows from which something is common.
COMMON_SHARE = 0.2
#: Rows of an outlet below which shares say nothing.
MIN_ROWS = 20
#: Articles that share a headline, or stand in both outlets, from which that is no accident.
MIN_REPEATS = 5
#: Share of an outlet's articles that such repeats must reach as well.
MIN_REPEAT_SHARE = 0.01
