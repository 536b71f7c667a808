#!/usr/bin/env bash
# HEvAS 2019: Tables 1 (informativeness), 2 (readability) and 3 (correlations), of all test articles.
#
#   examples/hevas2019.sh CORPUS RUN [LANGUAGE]     it when not given
set -eo pipefail
corpus=$1 run=$2

[ -e "$run/hevas2019/summary.json" ] || change-it hevas --documents "$corpus/articles/test.parquet" --language "${3:-it}" \
  --baselines random tfidf first stextrank wtextrank --out "$run/hevas2019"
python "$(dirname "$0")/tables.py" hevas2019 "$run" "$corpus" | tee "$run/hevas2019.md"
