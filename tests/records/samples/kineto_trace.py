#!/usr/bin/env python3
"""Records a small token exchange, written in PyTorch operations, with PyTorch's own profiler.

usage: kineto_trace.py OUT.json
One GPU plays both roles: gather rows by expert (dispatch), expand, gather them back, weight and sum (combine).
The file is what torch.profiler.export_chrome_trace wrote; trim_kineto.py makes the committed sample of it.
"""
import sys

import torch
from torch.profiler import ProfilerActivity, profile

TOKENS, HIDDEN, TOP_K, EXPERTS, EXCHANGES = 512, 2048, 8, 128, 24


def exchange(rows, order, back, weights):
    sent = rows.index_select(0, order // TOP_K)
    expert_rows = sent * 1.5
    returned = expert_rows.index_select(0, back).view(TOKENS, TOP_K, HIDDEN)
    return (returned * weights).sum(dim=1)


def main(path):
    torch.manual_seed(1)
    rows = torch.randn(TOKENS, HIDDEN, device="cuda", dtype=torch.bfloat16)
    experts = torch.stack([torch.randperm(EXPERTS, device="cuda")[:TOP_K] for _ in range(TOKENS)])
    order = experts.flatten().argsort()
    back = order.argsort()
    weights = torch.rand(TOKENS, TOP_K, 1, device="cuda", dtype=torch.bfloat16)
    for _ in range(5):
        exchange(rows, order, back, weights)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as recorded:
        for _ in range(EXCHANGES):
            exchange(rows, order, back, weights)
        torch.cuda.synchronize()
    recorded.export_chrome_trace(path)


if __name__ == "__main__":
    main(sys.argv[1])
