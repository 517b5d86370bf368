#!/usr/bin/env python3
"""Makes the committed sample of what kineto_trace.py wrote: trim_kineto.py FROM.json TO.json.gz

Drops the two keys that name the file and the run; every event stays as the profiler wrote it.
"""
import gzip
import json
import sys


def main(source, target):
    with open(source, encoding="utf-8") as file:
        trace = json.load(file)
    for key in ("traceName", "trace_id"):
        trace.pop(key, None)
    with open(target, "wb") as file, gzip.GzipFile("", mode="wb", fileobj=file, mtime=0) as packed:
        packed.write(json.dumps(trace).encode())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
