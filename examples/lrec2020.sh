#!/usr/bin/env bash
# LREC 2020: Tables 1 and 5, the newspaper-agnostic generator, and expectations E1 to E4.
#
#   examples/lrec2020.sh CORPUS RUN [A B]     A and B: the corpus's outlets; rep and gio when not given
#
# VECTORS names a word2vec file for the Bi-LSTM. SCALE=full trains what the paper did, for days; otherwise each network has UPDATES updates (200) on short articles.
# Whatever is already in RUN is kept, so the same command goes on after an interruption.
set -eo pipefail
corpus=$1 run=$2 a=${3:-rep} b=${4:-gio}

vectors=(${VECTORS:+--vectors "$VECTORS"})
if [ "$SCALE" = full ]; then
  network=(--as-published)
else
  classifier=(--arg max_steps="${UPDATES:-200}")
  network=(--architecture pnc --batch-size 16 --source-tokens 100 "${classifier[@]}")
  search=(--generation num_beams=1)
fi

step() { # step FILE COMMAND...: run the command unless the file that it writes last is there
  [ -e "$1" ] || "${@:2}"
}

classify() { # classify SET: the Bi-LSTM on a training set
  step "$run/classifiers/$1/metrics.json" change-it train judge --task main --encoder bilstm --train-on "$1" \
    "${vectors[@]}" "${classifier[@]}" --resume --corpus "$corpus" --out "$run/classifiers/$1"
}

generate() { # generate NAME --recipe ...: the generator
  step "$run/generators/$1/metrics.json" change-it train generator "${@:2}" "${network[@]}" --resume \
    --corpus "$corpus" --out "$run/generators/$1"
}

write() { # write NAME OUTLET: headlines of the generator for all test articles, its own newspaper's and the other's
  step "$run/predictions/$1.csv" change-it transfer --generator "$run/generators/$1" --to "$2" \
    "${search[@]}" --input "$corpus/articles/test.parquet" --out "$run/predictions/$1.csv"
}

classify random
for set in train_d train_m; do
  classify "$set"
  for to in "$a" "$b"; do
    generate "$set-$to" --recipe "$set" --to "$to"
    write "$set-$to" "$to"
  done
done
generate agnostic --recipe agnostic
write agnostic "$a"
python "$(dirname "$0")/tables.py" lrec2020 "$run" "$corpus" | tee "$run/lrec2020.md"
