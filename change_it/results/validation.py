"""What each aspect was validated on: the one place of these claims, which reports, the page, cards and docs read."""

COMPLIANCY = "Readers were asked about its judges: HH orders headlines by whether they tell one story, AH by whether the article supports them; at .5, the papers' threshold, both accept more than readers do."
STYLE = "Validated by provenance alone, on two invented newspapers: main tells their headlines on one event apart, and copies, clauses and gold come out in this order. Of four pairs of real outlets it can be measured on one, in one direction, with the same order. Readers were not asked, who hardly tell two such newspapers apart."
ACCEPTABILITY = "Validated on what a language model said that it would accept of headlines of two pairs of newspapers: AUC .76 and .78 (chance is .5), among headlines that models wrote .78 and .75. It orders headlines, is no share of good ones, and hardly finds inventions about the right people (AUC .67 on what a 0.5B wrote)."
