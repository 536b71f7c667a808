# What evalnlgeval2020.sh and changeit2020.sh share: their arguments, what SCALE means, and the judges. They source it.
set -eo pipefail
corpus=$1 run=$2 a=${3:-rep} b=${4:-gio}

if [ "$SCALE" = full ]; then
  judge=(--as-published)
  network=(--as-published)
else
  network=(--batch-size 16 --source-tokens 100 --arg max_steps="${UPDATES:-200}")
  search=(--generation num_beams=1)
fi

step() { # step FILE COMMAND...: run the command unless the file that it writes last is there
  [ -e "$1" ] || "${@:2}"
}

for task in main hh ah; do
  step "$run/judges/$task/metrics.json" change-it train judge --task "$task" "${judge[@]}" \
    ${ENCODER:+--encoder "$ENCODER"} --resume --corpus "$corpus" --out "$run/judges/$task"
done
