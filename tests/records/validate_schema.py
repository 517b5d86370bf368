"""Checks the committed records against record.schema.json with an independent validator.

Exit 77 (skipped) when the jsonschema package is not installed.
"""

import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python package jsonschema is not installed")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
schema = json.loads((root / "calibrate/record.schema.json").read_text())
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
checked = 0
bad = []
for path in sorted((root / "experiments/recorded").glob("**/*.jsonl")):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip():
            continue
        row = json.loads(line)
        if "median_us" not in row or "point" in row:  # a stamped point is no latency record
            continue
        checked += 1
        bad += [f"{path}:{number}: {error.message}" for error in validator.iter_errors(row)]
for wrong in (
    {},
    {"median_us": -1},
    {"median_us": "20"},
    {"median_us": 20, "tokens": 1.5},
    {"median_us": 20, "path": "pcie"},
    {"median_us": 20, "repeats_us": [20, -1]},
    {"median_us": 20, "fix": "14"},
):
    if validator.is_valid(wrong):
        bad.append(f"accepted: {wrong}")
print("\n".join(bad) or f"{checked} records valid")
sys.exit(1 if bad or checked < 236 else 0)
