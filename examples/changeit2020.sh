#!/usr/bin/env bash
# CHANGE-IT 2020: Table 2 (judges), Table 4 (the baseline, SUM) and a ranking of submissions.
#
#   examples/changeit2020.sh CORPUS RUN [A B] [NAME=FILE...]
#
# A and B are the corpus's outlets, rep and gio when not given; a FILE is CSV with id and headline, a new one for each test
# article. SCALE=full trains what the organisers did, for days; otherwise judges are linear, or tune ENCODER, and the
# baseline has UPDATES updates (200) on short articles. Judges and baseline that are already in RUN are kept, so the same
# command goes on after an interruption. evalnlgeval2020.sh shares them in the same RUN.
. "$(dirname "$0")/papers2020.sh"
for to in "$a" "$b"; do
  step "$run/generators/sum-pn/$to/metrics.json" change-it train generator --recipe sum --to "$to" \
    --architecture pn "${network[@]}" --resume --corpus "$corpus" --out "$run/generators/sum-pn/$to"
done
step "$run/predictions/sum-pn.csv" change-it transfer --generator "$run/generators/sum-pn" \
  "${search[@]}" --corpus "$corpus" --out "$run/predictions/sum-pn.csv"

change-it score --corpus "$corpus" --judges "$run/judges" \
  --predictions "baseline=$run/predictions/sum-pn.csv" "${@:5}" --out "$run/changeit2020"
python "$(dirname "$0")/tables.py" changeit2020 "$run" "$corpus" | tee "$run/changeit2020.md"
