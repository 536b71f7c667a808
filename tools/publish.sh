#!/usr/bin/env bash
# All that a quickstart has to offer on the Hub, under one account: bash tools/publish.sh ACCOUNT runs/quickstart [--dry-run]
set -euo pipefail
account=$1 run=$2
shift 2
change-it push dataset "$run/corpus" "$account/headlines-in-two-styles" "$@"
data=(--dataset "$account/headlines-in-two-styles")
change-it push judge "$run/judges" "$account/headline-judges" "${data[@]}" "$@"
change-it push generator "$run/generators/rewrite" "$account/headline-rewriter" "${data[@]}" "$@"
for metric in compliancy headline_rouge hevas; do
  change-it push metric "$metric" "$account/$metric" "$@"
done
change-it push space headline_transfer "$account/headline-transfer" "$@"
