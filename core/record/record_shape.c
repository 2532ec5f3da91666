/* SPDX-License-Identifier: Apache-2.0 */
/* The result record, member by member: docs/result-format.md and docs/result.schema.json say the
 * same, and the tests hold them together. */
#include <stddef.h>

#include "record/shape.h"

#define STATUSES "valid|not-converged|unsupported|failed|invalid"
#define SOURCES "measured|queried|declared|unavailable"

#define END { NULL, SHAPE_TEXT, false, NULL, NULL }
#define MUST(key, kind) { key, SHAPE_##kind, false, NULL, NULL }
#define MAY(key, kind) { key, SHAPE_##kind, true, NULL, NULL }
#define MUST_BE(key, words) { key, SHAPE_WORD, false, NULL, words }
#define MUST_IN(key, kind, inner) { key, SHAPE_##kind, false, inner, NULL }
#define MAY_IN(key, kind, inner) { key, SHAPE_##kind, true, inner, NULL }

static const shape harness[] = {
	MUST_BE("name", "evenhand"), MUST("version", TEXT), MUST("commit", TEXT),
	MUST("dirty", BOOL), MUST("abi", TEXT), MUST("build_flags", TEXT), END
};

static const shape who[] = {
	MUST("tester", TEXT), MUST("party", TEXT), MUST("sponsor", TEXT), MUST("verified", BOOL), END
};

static const shape work[] = {
	MUST_BE("metric", "bytes/s|flop/s|s"), MUST("amount", NUMBER), MUST("flops", NUMBER),
	MUST("bytes", NUMBER), MUST("flops_formula", TEXT), MUST("bytes_formula", TEXT),
	MUST("working_set_bytes", UINT), MUST_BE("region", "execution|enqueue|round-trip"), END
};

static const shape planned_case[] = {
	MUST("id", TEXT), MUST("workload", TEXT), MUST("revision", UINT),
	MUST_BE("tier", "portable|tuned|vendor"), MUST("precision", TEXT),
	MUST("parameters", TEXT_MAP), MUST_IN("work", OBJECT, work), MUST("measure", SCALAR_MAP), END
};

static const shape canonical[] = {
	MUST("name", TEXT), MUST("version", UINT), MUST("intent", TEXT), MUST("compatible", TEXTS),
	MUST("executions", UINT), MUST("seed", UINT), MUST("interleave", BOOL),
	MUST("canary", BOOL), MUST_IN("cases", OBJECTS, planned_case),
	{ "level", SHAPE_WORD, true, NULL, "standard|certified" }, MAY("requires", TEXT),
	MAY("executions_max", UINT), END
};

static const shape protocol[] = {
	MUST("name", TEXT), MUST("version", UINT), MUST("digest", SHA256), MUST("text", TEXT),
	MUST_IN("canonical", OBJECT, canonical), MUST("deviations", TEXTS), END
};

static const shape pilot_case[] = {
	MUST("id", TEXT), MUST("executions", UINT), MUST("center_ns", NUMBER), MUST("spread", NUMBER),
	MUST("within", NUMBER), MUST("between", NUMBER), MUST("half_width", NUMBER),
	MUST("needed", UINT), MUST("optimum", NUMBER), END
};
static const shape pilot[] = {
	MUST("executions", UINT), MUST("most", UINT), MUST("reached", BOOL),
	MAY_IN("deciding", OBJECT, pilot_case), END
};
static const shape run_executions[] = {
	MUST("declared", UINT), MUST("done", UINT), MAY("planned", UINT),
	MAY_IN("pilot", OBJECT, pilot), END
};
static const shape run_order[] = { MUST("execution", UINT), MUST("position", UINT), END };
static const shape noise_floor[] = {
	MUST("measured_at", TEXT), MUST("pairs", UINT), MUST("classes", NUMBER_MAP), END
};
static const shape run[] = {
	MUST("id", TEXT), MUST("seed", UINT), MUST("started", TEXT), MUST("ended", TEXT),
	MUST_IN("executions", OBJECT, run_executions), MUST_IN("order", OBJECTS, run_order),
	MAY_IN("noise_floor", OBJECT, noise_floor), END
};

static const shape device[] = {
	MAY("id", TEXT), MAY("name", TEXT), MAY("vendor", TEXT), MAY("platform", TEXT),
	MAY("type", TEXT), MAY("pci", TEXT), MAY("uuid", TEXT), MAY("memory_bytes", UINT),
	MAY("max_alloc_bytes", UINT), MAY("last_level_cache_bytes", UINT),
	MAY("compute_units", UINT), MAY("max_group_items", UINT), MAY("local_memory_bytes", UINT),
	MAY("clock_mhz", UINT), MAY("numa_node", INT), MAY("timer_resolution_ns", UINT),
	MAY("caps", TEXTS), END
};

static const shape field[] = { MUST("value", SCALAR), MUST_BE("source", SOURCES), END };
static const shape layer[] = {
	MUST_BE("layer", "hardware|interconnect|firmware|driver|runtime|compiler|library|harness|"
	                 "operating-system|host|mapped-object|site"),
	MUST("name", TEXT), MAY("version", TEXT), MAY("owner", TEXT),
	MUST_BE("source", SOURCES), MAY("path", TEXT),
	MAY("sha256", SHA256_OR_EMPTY), MAY_IN("fields", MAP, field), END
};

static const shape executor[] = {
	MUST("name", TEXT), MUST("digest", SHA256_OR_EMPTY), MUST("simulated", BOOL),
	MUST_IN("device", OBJECT, device), MUST_IN("layers", OBJECTS, layer), END
};

static const shape order_trial[] = {
	MUST("verdict", TEXT), MUST("readings", UINT), MUST("steps_back", UINT),
	MUST("largest_ns", UINT), MAY("processors", UINT), END
};

static const shape instrument[] = {
	MUST("execution", UINT), MUST("host_resolution_ns", UINT), MUST("host_overhead_ns", UINT),
	MUST("launch_ns", UINT), MUST("device_resolution_ns", UINT), MUST("device_time", BOOL),
	MUST("device_time_reason", TEXT), MAY("launch_least_ns", UINT), MAY("launch_most_ns", UINT),
	MAY_IN("host_order", OBJECT, order_trial), MAY_IN("device_order", OBJECT, order_trial), END
};

static const shape check[] = {
	MUST("passed", BOOL), MAY("gate", TEXT), MAY("checked", UINT), MAY("failed", UINT),
	MAY("max_error", NUMBER), MAY("rho", NUMBER), MAY("rho_limit", NUMBER),
	MAY("tolerance", TEXT), MAY("detail", TEXT), END
};

static const shape verification[] = {
	MAY_IN("selftest", OBJECT, check), MAY_IN("before", OBJECT, check),
	MAY_IN("after", OBJECT, check), MAY("during", UINT), MAY("during_failed", UINT), END
};

static const shape proof[] = {
	MUST("operations", UINT), MUST("host_ns", UINT), MUST("ns_per_operation", NUMBER), END
};

static const shape varied[] = {
	MAY("new_ns", UINTS), MAY("repeated_ns", UINTS), MAY("skipped", TEXT),
	MAY("first_variant", UINT), END
};

static const shape canary[] = {
	MAY("compute_before_ns", NUMBER), MAY("compute_after_ns", NUMBER),
	MAY("memory_before_ns", NUMBER), MAY("memory_after_ns", NUMBER),
	MAY("reference_compute_ns", NUMBER), MAY("reference_memory_ns", NUMBER),
	MAY("compute_rounds", UINT), MAY("memory_bytes", UINT), END
};

static const shape load[] = {
	MAY("cpu_seconds", NUMBER), MAY("wall_seconds", NUMBER), MAY("involuntary_switches", UINT),
	MAY("steal_seconds", NUMBER), END
};

static const shape program[] = {
	MAY("kernel", TEXT), MAY("defines", TEXTS),
	MAY("source_sha256", SHA256_OR_EMPTY), MAY("binary_sha256", SHA256_OR_EMPTY),
	MAY("binary_kind", TEXT), MAY("ir_sha256", SHA256_OR_EMPTY), MAY("ir_kind", TEXT),
	MAY("compiler", TEXT), MAY("compiler_version", TEXT), MAY("flags", TEXT),
	MAY("target", TEXT), MAY("from_cache", BOOL), MAY("build_ns", UINT), END
};

static const shape trial[] = {
	MUST("parameters", TEXT_MAP), MUST("status", TEXT), MAY("median_ns", NUMBER),
	MAY("samples", UINT), END
};

static const shape tuning[] = {
	MUST("space", TEXTS_MAP), MUST("budget_ns", UINT), MUST_IN("trials", OBJECTS, trial),
	MAY("chosen", TEXT_MAP), END
};

static const shape cache[] = {
	MUST_BE("state", "cold"), MUST_BE("method", "rotation|eviction"), MUST("sets", UINT),
	MUST("set_bytes", UINT), MUST("evicted_bytes", UINT), MUST("cache_bytes", UINT),
	MUST("cache_known", BOOL), END
};

static const shape data[] = {
	MUST_BE("distribution", "standard|normal|uniform|zeros|incompressible"),
	MUST("sha256", SHA256), END
};

static const shape sustained_entry[] = {
	MUST("by", TEXT), MUST("still", BOOL), MUST("waited_ns", UINT), END
};

static const shape sustained_energy[] = {
	MUST("joules", NUMBER), MUST("seconds", NUMBER), MUST("method", TEXT),
	MUST("channel", TEXT), MAY("idle_watts", NUMBER), END
};

static const shape throttle_state[] = {
	MUST("channel", TEXT), MUST("name", TEXT), MAY("share", NUMBER), MAY("events", NUMBER),
	MUST("meaning", TEXT), END
};

static const shape sustained[] = {
	MUST_IN("entry", OBJECT, sustained_entry), MUST("window_ns", UINT), MUST("time_ns", UINT),
	MUST("operations", UINT), MUST("merged", UINT), MUST("drains", UINT), MUST("canary", TEXT),
	MAY_IN("energy", OBJECT, sustained_energy), MAY("energy_reason", TEXT),
	MAY_IN("throttle", OBJECTS, throttle_state), END
};

static const shape telemetry_channel[] = {
	MUST("probe", TEXT), MUST("place", TEXT), MUST("name", TEXT), MUST("kind", TEXT),
	MUST("part", TEXT), MUST_BE("form", "instant|average|counter|bits"), MUST("unit", TEXT),
	MAY("window_ns", UINT), MUST("times_ns", NUMBERS), MUST("values", NUMBERS), END
};

static const shape telemetry_gap[] = {
	MUST("probe", TEXT), MUST("place", TEXT), MUST("name", TEXT), MUST("reason", TEXT),
	MAY("failures", UINT), END
};

static const shape telemetry[] = {
	MUST("period_ns", UINT), MAY("grown_period_ns", UINT), MUST("readings", UINT),
	MUST("overhead_ns", UINT), MAY("overhead_share", NUMBER), MUST("simulated", BOOL),
	MUST_IN("channels", OBJECTS, telemetry_channel), MUST_IN("gaps", OBJECTS, telemetry_gap), END
};

static const shape guards[] = {
	MAY("load_before", NUMBER), MAY("load_after", NUMBER), MAY("running_before", UINT),
	MAY("running_after", UINT), MAY("throttled_periods", UINT), MAY("throttled_seconds", NUMBER),
	MAY("memory_stall_seconds", NUMBER), MAY("clock_before_mhz", NUMBER),
	MAY("clock_after_mhz", NUMBER), MAY("temperature_before_c", NUMBER),
	MAY("temperature_after_c", NUMBER), MAY("power_limit_watts", NUMBER),
	MAY("device_users_before", UINT),
	MAY("device_users_after", UINT), END
};

/* Of a disturbed attempt that is not the row's. */
static const shape attempt[] = {
	MUST("attempt", UINT), MUST_BE("status", STATUSES), MUST("reasons", TEXTS),
	MUST("flags", TEXTS), MAY("disturbed", TEXTS),
	{ "clock", SHAPE_WORD, true, NULL, "device|host" },
	MAY("batch", UINT), MAY("samples_ns", UINTS), MAY("host_ns", UINTS), MAY("starts_ns", UINTS),
	MAY("half_width", NUMBER), MAY_IN("canary", OBJECT, canary), MAY_IN("load", OBJECT, load), END
};

static const shape requests[] = {
	MUST("due_ns", UINTS), MUST("issued_ns", UINTS), MUST("done_ns", UINTS), END
};

static const shape scenario_point[] = {
	MUST("rate", NUMBER), MUST("requests", UINT), MUST("offered", NUMBER),
	MUST("completed", NUMBER), MUST("lag_p99_ns", UINT), MUST("lag_share", NUMBER),
	MUST("value_ns", NUMBER), MUST("late", BOOL), MUST("grows", BOOL), MUST("met", BOOL), END
};

static const shape scenario[] = {
	MUST_BE("kind", "server|closed|knee"), MUST("concurrency", UINT), MUST("service_ns", UINT),
	MUST("rate", NUMBER), MAY_IN("points", OBJECTS, scenario_point), MAY("capacity", NUMBER),
	MAY("saturation", NUMBER), END
};

const shape shape_execution[] = {
	MUST("execution", UINT), MAY("position", UINT), MUST_BE("status", STATUSES),
	MUST("reasons", TEXTS), MAY("flags", TEXTS),
	{ "clock", SHAPE_WORD, true, NULL, "device|host" },
	MAY("batch", UINT), MAY("samples_ns", UINTS), MAY("host_ns", UINTS), MAY("warmup_ns", UINTS),
	MAY("half_width", NUMBER), MAY_IN("verification", OBJECT, verification),
	MAY_IN("varied", OBJECT, varied),
	MAY_IN("proof", OBJECT, proof), MAY_IN("canary", OBJECT, canary), MAY_IN("load", OBJECT, load),
	MAY_IN("program", OBJECT, program), MAY_IN("tuning", OBJECT, tuning), MAY("starts_ns", UINTS),
	MAY_IN("cache", OBJECT, cache), MAY_IN("data", OBJECT, data),
	MAY_IN("sustained", OBJECT, sustained), MAY("disturbed", TEXTS), MAY("attempt", UINT),
	MAY_IN("attempts", OBJECTS, attempt), MAY_IN("telemetry", OBJECT, telemetry),
	MAY_IN("guards", OBJECT, guards), MAY_IN("requests", OBJECT, requests),
	MAY_IN("scenario", OBJECT, scenario), END
};

static const shape derived_number[] = {
	MUST("name", TEXT), MUST("ns", NUMBER), MUST("interval_ns", NUMBERS), END
};

static const shape derived_series[] = {
	MUST("execution", UINT), MUST_BE("class", "short|flat|warm-up|slowdown|no-steady-state"),
	MUST("segments", UINTS), MUST("steady_first", UINT), MUST("steady_count", UINT),
	MUST("lag1", NUMBER), MUST("runs_z", NUMBER), MUST("trend_z", NUMBER), MUST("modes", UINT),
	END
};

static const shape derived_sustained[] = {
	MUST("execution", UINT), MUST("rates", NUMBERS), MUST("medians_ns", NUMBERS),
	MUST("steady_first", UINT), MUST("best", NUMBER), MUST("steady", NUMBER),
	MUST("ratio", NUMBER), MAY("joules_each", NUMBER), MAY("net_joules_each", NUMBER), END
};

static const shape derived_load[] = {
	MUST("execution", UINT), MUST("offered", NUMBER), MUST("completed", NUMBER),
	MUST("lag_p99_ns", UINT), MUST("lag_share", NUMBER), MUST("grows", BOOL), MUST("met", BOOL),
	END
};

static const shape derived[] = {
	MUST("n", UINT), MUST("executions", UINT), MUST("median_ns", NUMBER),
	MUST("interval_ns", NUMBERS), MUST("min_ns", NUMBER), MUST("max_ns", NUMBER),
	MUST("q1_ns", NUMBER), MUST("q3_ns", NUMBER), MUST("mad_ns", NUMBER), MAY("rate", NUMBER),
	MAY("each_ns", NUMBER), MUST("execution_medians_ns", NUMBERS), MAY("canary_drift", NUMBER),
	MAY_IN("sustained", OBJECTS, derived_sustained), MAY_IN("load", OBJECTS, derived_load),
	MAY("counted", UINT), MAY_IN("statistic", OBJECT, derived_number),
	MAY_IN("percentiles", OBJECTS, derived_number), MAY_IN("series", OBJECTS, derived_series),
	END
};

const shape shape_case[] = {
	MUST("id", TEXT), MUST("workload", TEXT), MUST("revision", UINT),
	MUST_BE("tier", "portable|tuned|vendor"), MUST("precision", TEXT),
	MUST("parameters", TEXT_MAP), MUST_IN("work", OBJECT, work), MUST("measure", SCALAR_MAP),
	MUST_BE("status", STATUSES), MUST("reasons", TEXTS), MUST("flags", TEXTS),
	MUST_IN("executions", OBJECTS, shape_execution), MAY_IN("derived", OBJECT, derived), END
};

static const shape digests[] = {
	MUST("harness", SHA256), MUST("who", SHA256), MUST("protocol", SHA256), MUST("run", SHA256),
	MUST("executor", SHA256), MUST("instruments", SHA256), MUST("cases", TEXTS), END
};

const shape shape_result[] = {
	MUST_BE("format", "evenhand-result"), MUST("format_version", UINT),
	MUST_BE("status", "complete|incomplete"), MUST_IN("harness", OBJECT, harness),
	MUST_IN("who", OBJECT, who), MUST_IN("protocol", OBJECT, protocol), MUST_IN("run", OBJECT, run),
	MUST_IN("executor", OBJECT, executor), MUST_IN("instruments", OBJECTS, instrument),
	MUST_IN("cases", OBJECTS, shape_case), MAY("salts", TEXT_MAP),
	MUST_IN("digests", OBJECT, digests),
	MUST("digest", SHA256), END
};
