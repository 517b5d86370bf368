#!/usr/bin/env python3
"""Kernels of one simulated exchange beside the recorded timeline of the same configuration.

    fanin simulate --path nvlink --ffn-ranks 1 --attention-ranks 3 --transport-sms 24 --tokens 512 \
        --json > simulated.json
    scripts/plot_timeline.py simulated.json experiments/recorded/seed/kernel_timelines.jsonl \
        --trace 3a1f-t512-afd --out timeline.png
"""
import argparse
import json

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {
    "dispatch_impl": "#4878a8",
    "dispatch_copy_epilogue": "#e0a030",
    "combine_impl": "#5aa060",
    "combine_reduce_epilogue": "#b05060",
}


def recorded_spans(path, trace):
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if row.get("trace") == trace]
    if not rows:
        raise SystemExit(f"{path}: no trace '{trace}'")
    return [dict(row) for row in rows], rows[0]["period_us"]


def simulated_spans(path):
    with open(path, encoding="utf-8") as text:
        result = json.load(text)
    return result["kernels"], result["exchange_us"]


def draw(axes, spans, row_of, height, edge):
    for span in spans:
        row, slot = row_of(span)
        axes.barh(
            row + slot * height * 1.05,
            span["end_us"] - span["start_us"],
            left=span["start_us"],
            height=height,
            color=COLOURS.get(span["kernel"], "#888888"),
            alpha=1.0 if edge else 0.55,
            edgecolor="black" if edge else "none",
            linewidth=0.6,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("simulated")
    parser.add_argument("recorded")
    parser.add_argument("--trace", required=True)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    recorded, recorded_period = recorded_spans(arguments.recorded, arguments.trace)
    simulated, simulated_period = simulated_spans(arguments.simulated)

    devices = sorted({span["device"] for span in recorded})
    kernels = list(COLOURS)
    figure, axes = plt.subplots(figsize=(11, 1.2 + 1.5 * len(devices)))

    def row_of(offset):
        def place(span):
            slot = kernels.index(span["kernel"]) if span["kernel"] in kernels else len(kernels)
            return -devices.index(span["device"]) * 1.25 - 0.24 * slot - offset, 0

        return place

    draw(axes, recorded, row_of(0.0), 0.10, False)
    draw(axes, simulated, row_of(0.11), 0.10, True)
    role = {span["device"]: span["role"] for span in recorded}
    axes.set_yticks([-i * 1.25 - 0.41 for i in range(len(devices))])
    axes.set_yticklabels([f"GPU {device}\n{role[device]}" for device in devices])
    axes.axvline(0.0, color="black", linewidth=0.5)
    axes.set_xlabel("us after the first Attention GPU starts its dispatch")
    axes.set_title(
        f"{arguments.trace}: pale = recorded under a profiler (period {recorded_period:.1f} us), "
        f"outlined = simulated ({simulated_period:.1f} us)",
        fontsize=10,
    )
    handles = [plt.Rectangle((0, 0), 1, 1, color=colour) for colour in COLOURS.values()]
    axes.legend(handles, COLOURS, loc="lower center", bbox_to_anchor=(0.5, -0.2), ncols=4, frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(arguments.out, dpi=130)


if __name__ == "__main__":
    main()
