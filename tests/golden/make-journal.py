#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes run.journal, the fixture of the golden tests: a small run with one of everything, of the
protocol golden.ini, with evidence that holds together.

usage: make-journal.py EVENHAND > run.journal; then UPDATE=1 with the tests that use it.
"""
import hashlib
import json
import os
import statistics
import subprocess
import sys


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


PROTOCOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.ini")
PLAN = json.loads(subprocess.run([sys.argv[1], "protocol", "show", "--json", PROTOCOL], check=True,
                                 stdout=subprocess.PIPE).stdout)["canonical"]
CASES = PLAN["cases"]
BASE_NS = {"triad.f32.64MiB": 9400000, "dot.f32.64MiB": 6100000, "fma.f64": 66000000,
           "fma.f32": 66000000, "gemm.f32.256": 410000, "gemm.f32.256.tuned": 390000,
           "launch.round-trip": 5200, "xfer.h2d.4KiB": 900}
BATCH = {"launch.round-trip": 20, "xfer.h2d.4KiB": 100}
SPEED = {"host:gcc-12": 1.0, "host:clang-14": 0.75, "opencl:pocl-0": 1.31}
CLOCK = {"host:gcc-12": "host", "host:clang-14": "host", "opencl:pocl-0": "device"}

state = 12345


def noise():
    global state
    state = (state * 1103515245 + 12345) % (1 << 31)
    return state / (1 << 31) - 0.5


def passed():
    return {"passed": True, "gate": "B", "checked": 4096, "failed": 0, "max_error": 0.25,
            "rho": 1.5e-8, "rho_limit": 1e-5, "tolerance": "|got-want| <= 8 eps |want|", "detail": ""}


def layers(executor):
    compiler = {"host:gcc-12": ("gcc", "12.2.0"), "host:clang-14": ("clang", "14.0.6"),
                "opencl:pocl-0": ("pocl", "3.1")}[executor]

    def text(value, source="queried"):
        return {"value": value, "source": source}
    out = [
        {"layer": "hardware", "name": "Example CPU", "version": "", "source": "queried",
         "fields": {"cores": {"value": 2, "source": "queried"}, "ecc": text("", "unavailable")}},
        {"layer": "runtime", "name": compiler[0] + " runtime", "version": "1", "source": "queried",
         "path": "/usr/lib/libexample.so", "sha256": sha("runtime " + executor)},
        {"layer": "compiler", "name": compiler[0], "version": compiler[1], "source": "queried"},
        {"layer": "harness", "name": "evenhand", "version": "0.1.0", "source": "declared"},
        {"layer": "operating-system", "name": "Example Linux", "version": "12", "source": "queried"},
        {"layer": "host", "name": "host", "version": "", "source": "queried",
         "fields": {"virtualization": text("none", "measured"), "container": text("none", "measured"),
                    "now-load": text("0.10 0.20 0.30")}},
        {"layer": "mapped-object", "name": "libc.so.6", "version": "", "source": "measured",
         "path": "/usr/lib/libc.so.6", "sha256": sha("libc")},
    ]
    return out


def half_width(samples):
    """Of eight samples: at 95 % the interval of the median is all of them."""
    return (max(samples) - min(samples)) / 2 / statistics.median(samples)


def proof(operations, each):
    """In five parts, whose time is that of the operations and of reading back."""
    drained = [100] * 5
    waited = [operations * each // 5 - 100] * 5
    waited[0] += operations * each - sum(waited) - sum(drained)
    return {"operations": operations, "host_ns": operations * each, "ns_per_operation": each,
            "claimed_ns": waited, "waited_ns": waited, "drained_ns": drained, "idle_ns": 100}


def identity(record):
    """As core/record/identity.c has it."""
    passing = ("memory_bytes", "max_alloc_bytes", "last_level_cache_bytes", "max_group_items", "local_memory_bytes",
               "clock_mhz", "numa_node", "timer_resolution_ns")
    lasting = []
    for layer in record["layers"]:
        kept = {key: value for key, value in layer.items() if key != "path" or "sha256" not in layer}
        if "fields" in kept:
            kept["fields"] = {k: v for k, v in kept["fields"].items() if not k.startswith("now-")}
        lasting.append(kept)
    return sha(canonical({"name": record["name"], "layers": lasting,
                          "device": {k: v for k, v in record["device"].items() if k not in passing}}))


def describe(executor):
    record = {"name": executor, "simulated": False,
              "device": {"id": executor.split(":")[1], "name": "Example CPU", "vendor": "Example",
                         "platform": "example 1", "type": "cpu", "pci": "", "uuid": "", "memory_bytes": 8589934592,
                         "max_alloc_bytes": 4294967296, "last_level_cache_bytes": 33554432, "compute_units": 2,
                         "max_group_items": 1024, "local_memory_bytes": 65536, "clock_mhz": 3000, "numa_node": -1,
                         "timer_resolution_ns": 1, "caps": ["fp64"]},
              "layers": layers(executor)}
    return {"digest": identity(record), **record}


def execution(executor, n, position, c):
    id = c["id"]
    if executor == "opencl:pocl-0" and id == "fma.f32":
        return {"execution": n, "position": position, "status": "unsupported",
                "reasons": ["The work needs work-groups of 64 items, the device allows 32."]}
    if executor == "host:clang-14" and id == "xfer.h2d.4KiB" and n == 3:
        return {"execution": n, "position": position, "status": "failed", "reasons": ["The worker was killed by signal 11 (segmentation fault)."]}
    wide = executor == "opencl:pocl-0" and id == "dot.f32.64MiB" and n in (2, 4)
    batch = BATCH.get(id, 1)
    shift = 1 + 0.004 * noise()
    samples = [max(1, round(BASE_NS[id] * SPEED[executor] * batch * shift * (1 + (0.08 if wide else 0.01) * noise())))
               for _ in range(8)]
    proved = -(-25000000 // BASE_NS[id])
    e = {"execution": n, "position": position, "status": "valid", "reasons": [], "flags": [],
         "clock": CLOCK[executor] if c["work"]["region"] == "execution" else "host", "batch": batch,
         "samples_ns": samples, "warmup_ns": [round(s * 1.1) for s in samples[:3]],
         "half_width": half_width(samples),
         "verification": {"selftest": passed(), "before": passed(), "after": passed(), "during": 1,
                          "during_failed": 0},
         "proof": proof(proved, BASE_NS[id]),
         "canary": {"compute_before_ns": 1000000 + 1000 * n, "compute_after_ns": 1004000,
                    "memory_before_ns": 2000000, "memory_after_ns": 2003000,
                    "reference_compute_ns": 1000000, "reference_memory_ns": 2000000},
         "load": {"cpu_seconds": 0.25, "wall_seconds": 10, "involuntary_switches": 3, "steal_seconds": 0.125},
         "program": {"source_sha256": sha(id), "binary_sha256": sha(id + executor), "binary_kind": "elf",
                     "ir_sha256": "", "ir_kind": "", "compiler": layers(executor)[2]["name"],
                     "compiler_version": layers(executor)[2]["version"], "flags": "-O3 -march=native",
                     "target": "x86_64 native", "from_cache": n > 1, "build_ns": 120000000}}
    if e["clock"] == "device":
        e["host_ns"] = [s + 4000 for s in samples]
    elif c["work"]["region"] == "execution":
        e["flags"] = ["host-clock"]
    if wide:
        e["status"] = "not-converged"
        e["reasons"] = ["The interval of the median is ±%.2f %% wide after 8 samples; ±1.00 %% within 0.2 s was "
                        "asked for." % (100 * e["half_width"])]
        e["flags"] = ["autocorrelated", "canary-moved"]
        e["canary"]["compute_after_ns"] = 1124000
    if executor == "opencl:pocl-0" and id == "gemm.f32.256" and n == 5:
        e["status"] = "invalid"
        e["reasons"] = ["The output was wrong after timing, on changed inputs."]
        e["verification"]["after"]["passed"] = False
        e["verification"]["after"]["failed"] = 12
    if c["tier"] == "tuned":
        e["tuning"] = {"space": {"tile": ["4", "8"]}, "budget_ns": 1000000000,
                       "trials": [{"parameters": {"tile": "4"}, "status": "valid", "median_ns": 410000.5,
                                   "samples": 5},
                                  {"parameters": {"tile": "8"}, "status": "valid", "median_ns": 390000,
                                   "samples": 5}],
                       "chosen": {"tile": "8"}}
    return e


def main():
    with open(PROTOCOL) as f:
        text = f.read()
    executors = list(SPEED)
    order = [(n, executors[(i + n) % 3]) for n in range(1, 6) for i in range(3)]
    lines = [{"kind": "run", "format": 1, "id": "20261121T000000Z-golden", "seed": 42,
              "started": "2026-11-21T00:00:00Z",
              "harness": {"name": "evenhand", "version": "0.1.0", "commit": "0123456789abcdef", "dirty": False,
                          "abi": "1.0", "build_flags": "-O2"},
              "who": {"tester": "Test", "party": "third-party", "sponsor": "", "verified": False},
              "protocol": {"name": "golden", "version": 1, "digest": sha(canonical(PLAN)), "text": text,
                           "canonical": PLAN, "deviations": []},
              "executions": {"declared": 5, "planned": 5},
              "executors": [{"name": e, "backend": e.split(":")[0], "index": 0, "path": "backend.so"}
                            for e in executors],
              "order": [{"position": p + 1, "execution": n, "executor": e}
                        for p, (n, e) in enumerate(order)]}]
    for n, e in order:
        for p, c in enumerate(CASES):
            lines.append({"kind": "case", "executor": e, "execution": n, "id": c["id"],
                          "record": execution(e, n, p + 1, c)})
        lines.append({"kind": "instrument", "executor": e, "execution": n,
                      "record": {"execution": n, "host_resolution_ns": 20, "host_overhead_ns": 25, "launch_ns": 4000,
                                 "device_resolution_ns": 1, "device_time": CLOCK[e] == "device",
                                 "device_time_reason": "" if CLOCK[e] == "device" else
                                 "The backend offers no device time."}})
        lines.append({"kind": "executor", "executor": e, "execution": n,
                      "record": describe(e)})
    lines.append({"kind": "end", "ended": "2026-11-21T00:05:00Z", "status": "complete"})
    chain = ""
    for line in lines:
        body = json.dumps(line, separators=(",", ":"))
        chain = sha(chain + body)
        print('%s,"chain":"%s"}' % (body[:-1], chain))


main()
