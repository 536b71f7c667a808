#!/usr/bin/env bash
# EvalNLGEval 2020: Table 1 (judges), Table 2 (systems) and the order of the systems.
#
#   examples/evalnlgeval2020.sh CORPUS RUN [A B]     A and B: the corpus's outlets; rep and gio when not given
#
# SCALE=full trains what the paper did, for days; otherwise judges are linear, or tune ENCODER, and each generator has
# UPDATES updates (200) on short articles. Whatever is already in RUN is kept, so the same command goes on after an
# interruption. changeit2020.sh shares judges and SUM in the same RUN.
. "$(dirname "$0")/papers2020.sh"

# SUM is PN by the paper's text and PNC by the organisers' file.
for system in sum-pn sum-pnc s2s1 s2s2 s2s3; do
  architecture=${system#sum-}
  for to in "$a" "$b"; do
    step "$run/generators/$system/$to/metrics.json" change-it train generator --recipe "${system%-*}" --to "$to" \
      --architecture "${architecture%[123]}" "${network[@]}" --resume --corpus "$corpus" --out "$run/generators/$system/$to"
  done
  step "$run/predictions/$system.csv" change-it transfer --generator "$run/generators/$system" \
    "${search[@]}" --corpus "$corpus" --out "$run/predictions/$system.csv"
  predictions+=("$system=$run/predictions/$system.csv")
done

step "$run/evalnlgeval2020/scores.json" change-it score --corpus "$corpus" --judges "$run/judges" \
  --predictions "${predictions[@]}" --out "$run/evalnlgeval2020"
python "$(dirname "$0")/tables.py" evalnlgeval2020 "$run" "$corpus" | tee "$run/evalnlgeval2020.md"
