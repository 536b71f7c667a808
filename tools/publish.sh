#!/usr/bin/env bash
# All that a run has to offer on the Hub, under one account: bash tools/publish.sh ACCOUNT runs/quickstart [--dry-run]
set -euo pipefail
account=$1 run=$2
shift 2
package=git+${HF_ENDPOINT:-https://huggingface.co}/spaces/$account/compliancy
corpus=$account/headlines-in-two-styles judges=$account/headline-judges generator=$account/headline-rewriter
# The Space of compliancy carries the package, and the other pages install it from there, unless it is private.
pages=(--package "$package" "$@")
for option in "$@"; do
  if [ "$option" = --private ]; then pages=("$@"); fi
done
change-it push dataset "$run/corpus" "$corpus" "$@"
change-it push judge "$run/judges" "$judges" --dataset "$corpus" --package "$package" "$@"
change-it push metric compliancy "$account/compliancy" --variables "CHANGE_IT_JUDGES=$judges" "$@"
change-it push metric headline_rouge "$account/headline_rouge" "${pages[@]}"
change-it push metric hevas "$account/hevas" "${pages[@]}"
models=("CHANGE_IT_JUDGES=$judges" "CHANGE_IT_CORPUS=$corpus")
if [ -d "$run/generators/rewrite" ]; then # a run of your own newspapers may have none
  change-it push generator "$run/generators/rewrite" "$generator" --dataset "$corpus" --package "$package" "$@"
  models+=("CHANGE_IT_GENERATORS=rewrite=$generator")
fi
change-it push space headline_transfer "$account/headline-transfer" --variables "${models[@]}" "${pages[@]}"
