#!/usr/bin/env bash
# All that a quickstart has to offer on the Hub, under one owner: bash tools/publish.sh OWNER runs/quickstart [--dry-run]
set -euo pipefail
owner=$1 run=$2
shift 2
change-it push dataset "$run/corpus" "$owner/headlines-in-two-styles" "$@"
data=(--dataset "$owner/headlines-in-two-styles")
change-it push judge "$run/judges" "$owner/headline-judges" "${data[@]}" "$@"
change-it push generator "$run/generators/rewrite" "$owner/headline-rewriter" "${data[@]}" "$@"
for metric in compliancy headline_rouge hevas; do
  change-it push metric "$metric" "$owner/$metric" "$@"
done
change-it push space headline_transfer "$owner/headline-transfer" "$@"
