#!/usr/bin/env bash
# Your own newspapers with models of the Hub: judges from an encoder, an encoder-decoder tuned whole, a causal model by LoRA, a report.
#
#   examples/finetune_hub_model.sh CORPUS RUN
#
# ENCODER, SEQ2SEQ and CAUSAL name other models, Hub ids or folders; UPDATES and ITEMS make it shorter. On one GPU it is some hours;
# on several, `accelerate launch -m change_it.judges.train` and `-m change_it.generators.train` take the options below. What is already
# in RUN is kept, so the same command goes on after an interruption.
set -eo pipefail
corpus=$1 run=$2
encoder=${ENCODER:-dbmdz/bert-base-italian-cased}
seq2seq=${SEQ2SEQ:-it5/it5-base}
causal=${CAUSAL:-Qwen/Qwen2.5-0.5B-Instruct}
short=(${UPDATES:+--arg max_steps="$UPDATES"})

step() { # step FILE COMMAND...: run the command unless the file that it writes last is there
  [ -e "$1" ] || "${@:2}"
}

for task in main hh ah fluency; do # those of fold 1 score; linear ones of fold 0 choose the floor
  step "$run/judges/$task/metrics.json" change-it train judge --task "$task" --fold 1 --encoder "$encoder" \
    "${short[@]}" --resume --corpus "$corpus" --out "$run/judges/$task"
  step "$run/judges-0/$task/metrics.json" change-it train judge --task "$task" --fold 0 \
    --corpus "$corpus" --out "$run/judges-0/$task"
done
step "$run/audit/audit.json" change-it audit --corpus "$corpus" --judges "$run/judges" --items "${ITEMS:-200}" --out "$run/audit"

tune() { # tune NAME MODEL OPTION...: one generator for both newspapers, and its headlines
  step "$run/generators/$1/metrics.json" change-it train generator --recipe rewrite --architecture "$2" "${@:3}" \
    --source-tokens 256 --target-tokens 48 "${short[@]}" --resume --corpus "$corpus" --out "$run/generators/$1"
  step "$run/predictions/$1.csv" change-it transfer --generator "$run/generators/$1" --items "${ITEMS:-200}" \
    --corpus "$corpus" --out "$run/predictions/$1.csv"
}

tune seq2seq "$seq2seq"
tune causal "$causal" --lora
change-it score --corpus "$corpus" --judges "$run/judges" --floor "$run/judges-0" --shared-items \
  --predictions seq2seq="$run/predictions/seq2seq.csv" causal="$run/predictions/causal.csv" --out "$run/report"
