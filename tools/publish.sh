#!/usr/bin/env bash
# All that a run has to offer on the Hub, under one owner: bash tools/publish.sh OWNER runs/quickstart [--dry-run]
set -euo pipefail
owner=$1 run=$2
shift 2
corpus=$owner/headlines-in-two-styles judges=$owner/headline-judges generator=$owner/headline-rewriter
change-it push dataset "$run/corpus" "$corpus" "$@"
change-it push judge "$run/judges" "$judges" --dataset "$corpus" "$@"
change-it push metric compliancy "$owner/compliancy" --variables "CHANGE_IT_JUDGES=$judges" "$@"
change-it push metric headline_rouge "$owner/headline_rouge" "$@"
change-it push metric hevas "$owner/hevas" "$@"
models=("CHANGE_IT_JUDGES=$judges" "CHANGE_IT_CORPUS=$corpus")
if [ -d "$run/generators/rewrite" ]; then # a run of your own newspapers may have none
  change-it push generator "$run/generators/rewrite" "$generator" --dataset "$corpus" "$@"
  models+=("CHANGE_IT_GENERATORS=rewrite=$generator")
fi
change-it push space headline_transfer "$owner/headline-transfer" --variables "${models[@]}" "$@"
