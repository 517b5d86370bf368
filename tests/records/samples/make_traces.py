"""Writes kineto_rank0.json, kineto_rank1.json.gz and nsys.sqlite into the current folder.

Two devices run exchanges of three kernels each: dispatch_impl, dispatch_copy_epilogue, combine_impl.
Warm-up exchanges have a period of 90 us; the last six 30.125 us on device 0 and 30.250 us on device 1.
"""

import gzip
import json
import os
import sqlite3

BASE_NS = 1_790_000_000_000_000_000
KERNELS = (
    # name, start after the anchor, duration (ns), grid, block
    ("void dispatch_impl<false, 24>(int, void*)", 0, 10_500, 24, 512),
    ("void dispatch_copy_epilogue_impl<8>(void*)", 10_750, 3_125, 132, 1024),
    ("void combine_impl<24>(int, void*)", 14_000, 12_250, 24, 512),
)


def kernels(device):
    period = 30_125 + 125 * device
    start = BASE_NS + 1_500 * device
    for index in range(11):
        for name, offset, duration, grid, block in KERNELS:
            yield name, start + offset, duration, grid, block
        yield "void at::native::vectorized_elementwise_kernel<4>(int)", start + 27_000, 1_000, 8, 128
        # Four warm-up exchanges, then six that count, and the last anchor, which has no successor.
        start += 90_000 if index < 4 else period


def microseconds(nanoseconds):
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03d}"


def kineto(device):
    events = [
        '{"ph":"M","name":"process_name","pid":0,"args":{"name":"python"}}',
        '{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":1,"tid":1,"ts":%s,"dur":3.000,"args":{"Ev Idx":1}}'
        % microseconds(BASE_NS),
    ]
    for name, start, duration, grid, block in kernels(device):
        events.append(
            '{"ph":"X","cat":"kernel","name":%s,"pid":%d,"tid":7,"ts":%s,"dur":%s,'
            '"args":{"queued":0,"device":%d,"context":1,"stream":7,"correlation":5,'
            '"grid":[%d,1,1],"block":[%d,1,1],"est. achieved occupancy %%":30}}'
            % (json.dumps(name), device, microseconds(start), microseconds(duration), device, grid, block)
        )
    return '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU"}],"traceEvents":[\n%s\n],"traceName":"t.json"}\n' % (
        ",\n".join(events)
    )


with open("kineto_rank0.json", "w") as out:
    out.write(kineto(0))
with open("kineto_rank1.json.gz", "wb") as raw:
    with gzip.GzipFile(fileobj=raw, mode="wb", mtime=0) as out:
        out.write(kineto(1).encode())

if os.path.exists("nsys.sqlite"):
    os.remove("nsys.sqlite")
database = sqlite3.connect("nsys.sqlite")
database.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
database.execute(
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL, "
    "shortName INTEGER NOT NULL, mangledName INTEGER, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, "
    "gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL)"
)
names = {}
for device in range(2):
    for name, start, duration, grid, block in kernels(device):
        key = names.setdefault(name, len(names) + 1)
        database.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,?,1,7,5,42,?,?,NULL,?,1,1,?,1,1)",
            (start - BASE_NS + 1, start - BASE_NS + 1 + duration, device, key, key, grid, block),
        )
database.executemany("INSERT INTO StringIds VALUES (?,?)", [(key, name) for name, key in names.items()])
database.commit()
database.execute("VACUUM")
database.close()
