# SPDX-License-Identifier: Apache-2.0
"""Records as columns of plain lists.  What a column means is in core/report/export.def; here is only
where the record has it."""
import json
import math

from .tables import TABLES

# What the program decides, from all results of a comparison and from who vouches for them.
JUDGED = ("evidence", "baseline", "speedup", "speedup_low", "speedup_high", "margin", "verdict")
_STRUCTS = TABLES["structs"]


def _table(name, only=None, without=()):
    members = _STRUCTS[name]["members"]
    return {key: member for key, member in members.items()
            if key not in without and (not only or key in only)}


COLUMNS = {
    "cases": _table("export_case", without=JUDGED),
    "samples": _table("export_sample"),
    "layers": {**_table("export_case", only=("run", "executor", "stack")), **_table("layer")},
    "archive.results": _table("archive_entry"),
    "archive.cases": {**_table("archive_line"), **_table("archive_point")},
    "archive.history": {**_table("archive_line"), **_table("archive_point")},
    "archive.annotations": _table("archive_note"),
    "archive.marks": {
        "mark": {**_STRUCTS["archive_entry"]["members"]["marks"], "kind": "text", "sentence": "The name."},
        **_table("archive_entry", only=("digest",)),
    },
}


def executor_of(record):
    return record["run"].get("label") or record["executor"]["name"]


def _cases_in_order(records):
    """Each case and its record: by case, in the order of first appearance, then by result.  Cases that
    no run was asked for are left out."""
    ids = {}
    for record in records:
        asked = record["run"].get("asked")
        for case in record["cases"]:
            if not asked or case["id"] in asked:
                ids.setdefault(case["id"])
    by_id = [{case["id"]: case for case in record["cases"]} for record in records]
    for name in ids:
        for record, cases in zip(records, by_id):
            if name in cases:
                yield record, cases[name]


# ---- cases ----------------------------------------------------------------------------------------


def _is_load(case):
    return case["measure"].get("scenario") in TABLES["words"]["load_kind"]


def _statistic(case):
    """The declared statistic, in nanoseconds, with its interval; the median where it could not be had."""
    derived = case.get("derived")
    if derived is None:
        return 0.0, []
    if case["measure"].get("statistic", "median") != "median" and "statistic" in derived:
        derived = derived["statistic"]
        return derived["ns"], derived.get("interval_ns", [])
    return derived["median_ns"], derived.get("interval_ns", [])


def _value(case):
    """value, low, high, time_ns; empty without an interval, or where the case does not count."""
    center, around = _statistic(case)
    low, high = around if len(around) == 2 else (0.0, 0.0)
    if case["status"] not in TABLES["counts"] or not (center > 0 and 0 < low <= high):
        return {}
    amount = 1.0 if _is_load(case) or not case["work"]["amount"] > 0 else case["work"]["amount"]
    if _unit(case) == TABLES["units"]["s"]:
        value, low, high = (ns / amount * 1e-9 for ns in (center, low, high))
    else:
        value, low, high = (amount / ns * 1e9 for ns in (center, high, low))
    if not (math.isfinite(value) and math.isfinite(low) and math.isfinite(high)):
        return {}
    return {"value": value, "low": low, "high": high, "time_ns": center}


def _unit(case):
    """A load is told by its latencies, which do not tell how much is done in a second."""
    return TABLES["units"]["s" if _is_load(case) else case["work"]["metric"]]


def _case_row(record, case):
    derived = case.get("derived", {"executions": 0, "counted": 0})
    return {
        "run": record["run"]["id"],
        "started": record["run"]["started"],
        "protocol": f"{record['protocol']['name']}@{record['protocol']['version']}",
        "executor": executor_of(record),
        "device": record["executor"]["device"].get("name", ""),
        "id": case["id"],
        "workload": case["workload"],
        "tier": case["tier"],
        "precision": case["precision"],
        "parameters": "; ".join(f"{key}={value}" for key, value in case["parameters"].items()),
        "status": case["status"] if case["executions"] else "not run",
        "flags": " ".join(case["flags"]),
        "unit": _unit(case),
        "executions": derived["executions"],
        "samples": derived.get("counted"),
        "reasons": " ".join(case["reasons"]),
        "stack": record["executor"]["digest"],
        "digest": record["digest"],
        **_value(case),
    }


def columns_of(name, rows):
    lists = {key: [] for key in COLUMNS[name]}
    for row in rows:
        for key, values in lists.items():
            values.append(row.get(key))
    return lists


def cases(records):
    return columns_of("cases", (_case_row(record, case) for record, case in _cases_in_order(records)))


# ---- samples --------------------------------------------------------------------------------------


def _padded(values, count):
    return values[:count] + [None] * (count - len(values))


def _sample_lists(record, case, execution):
    times = execution.get("samples_ns", [])
    count, operations = len(times), execution.get("batch") or 1
    same = {
        "run": record["run"]["id"], "executor": executor_of(record), "id": case["id"],
        "execution": execution["execution"], "status": execution["status"], "operations": operations,
        "clock": execution.get("clock"),
    }
    return {
        **{key: [value] * count for key, value in same.items()},
        "sample": list(range(1, count + 1)),
        "round": _padded(execution.get("turns", {}).get("rounds", []), count),
        "start_ns": _padded(execution.get("starts_ns", []), count),
        "time_ns": times,
        "each_ns": [float(ns) / float(operations) for ns in times],
    }


def samples(records):
    lists = {key: [] for key in COLUMNS["samples"]}
    for record, case in _cases_in_order(records):
        for execution in case["executions"]:
            found = _sample_lists(record, case, execution)
            for key, values in lists.items():
                values.extend(found[key])
    return lists


# ---- layers ---------------------------------------------------------------------------------------


def _plain(value):
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value)


def _layer_row(record, layer):
    facts = "; ".join(f"{name}={_plain(fact['value'])}" for name, fact in layer.get("fields", {}).items())
    return {
        **layer, "fields": facts, "run": record["run"]["id"], "executor": executor_of(record),
        "stack": record["executor"]["digest"],
    }


def layers(records):
    return columns_of("layers", (_layer_row(record, layer) for record in records
                                  for layer in record["executor"]["layers"]))
