#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much sums of few bits err: what gemm allows a library's products of 8-bit floats is set by this.

1000 sums of k products of normal e4m3 factors.  A unit adds 32 products to its sum at a time: all are cut
to so many bits below the largest of them.  `parts`: after so many terms the sum goes on in f64, 0: never.
Printed: the worst error in units of 2^-14 |A||B|, and the limit.  Run it by hand: python3 tests/stat/few-bits.py, ten seconds.
"""
import math
import random


def e4m3(x):
    unit = 2.0 ** (max(math.frexp(x)[1] - 1, -6) - 3)
    return round(x / unit) * unit


def hopper(products, bits, parts):
    total = held = 0.0
    for at in range(0, len(products), 32):
        chunk = products[at:at + 32] + [held]
        unit = 2.0 ** (math.frexp(max(map(abs, chunk)))[1] - bits)
        held = sum(math.trunc(x / unit) for x in chunk) * unit
        if parts and (at + 32) % parts == 0:
            total, held = total + held, 0.0
    return total + held


def in_f16(products, *_):
    held = 0.0
    for x in products:
        held += x
        unit = 2.0 ** (math.frexp(held)[1] - 11)
        held = round(held / unit) * unit
    return held


random.seed(1)
print("   k  14 bits, parts of 128   of 256   none    f16   limit")
for k in (32, 128, 512, 4096):
    worst = [0.0] * 4
    for _ in range(1000):
        products = [e4m3(random.gauss(0, 1)) * e4m3(random.gauss(0, 1)) for _ in range(k)]
        right, size = math.fsum(products), math.fsum(map(abs, products))
        for i, (how, parts) in enumerate(((hopper, 128), (hopper, 256), (hopper, 0), (in_f16, 0))):
            worst[i] = max(worst[i], abs(how(products, 14, parts) - right) / size * 2 ** 14)
    print("%4d %22.2f %8.2f %6.2f %6.2f %7.2f" % (k, *worst, min(6, max(1, 6 * math.sqrt(128 / k)))), flush=True)
