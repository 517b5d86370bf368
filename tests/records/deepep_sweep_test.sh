#!/usr/bin/env bash
# deepep_sweep on recorded logs, and with a stand-in for DeepEP's test that prints one.
set -euo pipefail
root=$1
fanin=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sample=$root/tests/records/samples/deepep_test_ep.log

mkdir "$work/logs"
cp "$sample" "$work/logs/sms24-tokens128-run0.log"
sed 's/61\.200/63.200/; s/60\.300/66.300/' "$sample" >"$work/logs/sms24-tokens128-run1.log"
sed 's/60\.300/61.300/' "$sample" >"$work/logs/sms24-tokens128-run2.log"
python3 "$root/scripts/deepep_sweep" --from-logs "$work/logs" --sms 24 --tokens 128 --cluster lab --tail-interval 6 \
  --fanin "$fanin" --out "$work/out.jsonl"
python3 - "$work/out.jsonl" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert len(rows) == 2, rows
first = rows[0]
assert first["repeats_us"] == [143.3, 149.3, 144.3], first["repeats_us"]
assert first["median_us"] == 144.3 and first["cluster"] == "lab" and first["tail_interval"] == 6, first
assert first["channels_per_sm"] == 8 and rows[1]["channels_per_sm"] == 7
PY

mkdir -p "$work/DeepEP/tests/elastic"
cat >"$work/DeepEP/tests/elastic/test_ep.py" <<PY
import os, sys
assert os.environ["EP_BUFFER_DEBUG"] == "1"
assert sys.argv[sys.argv.index("--num-sms") + 1] == "24"
if sys.argv[sys.argv.index("--num-tokens") + 1] == "1":
    sys.exit("out of memory")
print(open("$sample").read())
PY
code=0
python3 "$root/scripts/deepep_sweep" --deepep "$work/DeepEP" --sms 24 --tokens 1,128 --repeats 1 --cluster lab \
  --fanin "$fanin" --out "$work/run.jsonl" || code=$?
[ "$code" -eq 1 ] # one point failed, and says so
[ "$(wc -l <"$work/run.jsonl")" -eq 2 ]
[ -f "$work/run.logs/sms24-tokens128-run0.log" ] && [ -f "$work/run.logs/sms24-tokens1-run0.partial" ]
echo "deepep_sweep: fine"
