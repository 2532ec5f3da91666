/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a big result through the project's own builder: a journal with CASES cases of seeded
 * samples, and what result_build makes of it.  `make bench BENCH=contract` uses it; it is built as
 * BUILD/tests/bench/make_result.
 *
 * usage: make_result [-k] [-w TESTER] [-e EXECUTIONS] [-n SAMPLES] [-f FACTOR] [-s SEED] [-d STARTED]
 *                    [-x EXECUTOR] [-v DRIVER] [-u UUID] CASES OUT.json
 *   -e  executions of each case (5)
 *   -n  samples of each case, over all executions (100)
 *   -f  times are that many times as long (1): two results of different factors differ in speed
 *   -s  seed of the noise (1)
 *   -d  start of the run (2026-01-01T00:00:00Z)
 *   -x  name of the executor (host:big)
 *   -v  version of the driver in its stack (none)
 *   -u  unique id of the device (none)
 *   -w  who measured; with salts, so that the name can be redacted
 *   -k  keep the journal, as OUT.json.journal
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/chain.h"
#include "base/digest.h"
#include "base/files.h"
#include "../unit/json_tree.h"
#include "base/text.h"
#include "record/derive.h"
#include "record/identity.h"
#include "record/implied.h"
#include "record/result.h"

typedef struct settings {
	unsigned long cases, executions, samples;
	double factor;
	uint64_t seed;
	bool keep;
	const char *tester, *started, *executor, *driver, *uuid;
} settings;

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state >> 33;
}

/* In [-0.5, 0.5). */
static double noise(uint64_t *state)
{
	return (double)next(state) / 2147483648.0 - 0.5;
}

/* The members that plan and row have of a case.  The revision is none that exists, so that nobody
 * plans the text again. */
static void add_case(text *t, unsigned long i, unsigned long least)
{
	text_add(t, "\"id\":\"triad.n%lu\",\"workload\":\"stream\",\"revision\":1000000,"
	         "\"tier\":\"portable\",\"precision\":\"f32\",\"parameters\":{\"operation\":"
	         "\"triad\",\"bytes\":\"%lu\"},\"work\":{\"metric\":\"bytes/s\",\"amount\":%lu,"
	         "\"flops\":1024,\"bytes\":%lu,\"flops_formula\":\"2*N\",\"bytes_formula\":"
	         "\"3*N*s\",\"working_set_bytes\":%lu,\"region\":\"execution\"},\"measure\":{"
	         "\"warmup_min_ns\":1000000,\"warmup_max_ns\":100000000,\"samples_min\":%lu,"
	         "\"samples_max\":64,\"time_min_ns\":1000000,\"time_max_ns\":200000000,"
	         "\"half_width\":0.01,\"confidence\":0.95,\"margin\":0.01,\"proof_ns\":20000000,"
	         "\"timeout_ns\":30000000000,\"tune_budget_ns\":0,\"clock\":\"host\","
	         "\"cache\":\"warm\",\"regime\":\"burst\"}", i, 4096 * (i + 1), 12288 * (i + 1),
	         12288 * (i + 1), 12288 * (i + 1), least);
}

/* A valid execution has the samples that its plan asks for. */
static unsigned long least_of(const settings *s)
{
	unsigned long each = s->samples / s->executions;

	return each < 8 ? each : 8;
}

static void add_plan(text *t, const settings *s)
{
	unsigned long least = least_of(s);

	text_add(t, "{\"name\":\"big\",\"version\":1,\"intent\":\"A big result.\",\"compatible\":[],"
	         "\"executions\":5,\"seed\":1,\"interleave\":true,\"canary\":true,\"cases\":[");
	for (unsigned long i = 0; i < s->cases; i++) {
		text_add(t, "%s{", i > 0 ? "," : "");
		add_case(t, i, least);
		text_add(t, "}");
	}
	text_add(t, "]}");
}

static void put_first(FILE *out, const settings *s)
{
	text plan = { 0 };
	cJSON *parsed;
	char hex[65];

	add_plan(&plan, s);
	parsed = cJSON_Parse(plan.data);
	json_digest(parsed, hex);
	cJSON_Delete(parsed);
	fprintf(out, "{%s\"kind\":\"run\",\"format\":1,\"id\":\"big-%" PRIu64 "\",\"seed\":1,\"started\":"
	        "\"%s\",\"harness\":{\"name\":\"evenhand\",\"version\":\"0.1.0\","
	        "\"commit\":\"0123456789abcdef\",\"dirty\":false,\"abi\":\"1.0\",\"build_flags\":"
	        "\"-O2\"},\"who\":{\"tester\":\"%s\",\"party\":\"\",\"sponsor\":\"\",\"verified\":false},"
	        "\"protocol\":{\"name\":\"big\",\"version\":1,\"digest\":\"%s\",\"text\":"
	        "\"[protocol]\\nname = big\\nversion = 1\\nintent = A big result.\\n[case triad]\\nworkload = stream\\n\",\"canonical\":%s,\"deviations\":[]},"
	        "\"executions\":{\"declared\":5,\"planned\":%lu},\"executors\":[{\"name\":\"%s\","
	        "\"backend\":\"host\",\"index\":0,\"path\":\"host.so\"}],\"order\":[",
	        s->tester[0] != '\0' ? "\"salt\":\"00112233445566778899aabbccddeeff\"," : "", s->seed,
	        s->started, s->tester, hex, plan.data, s->executions, s->executor);
	for (unsigned long n = 1; n <= s->executions; n++)
		fprintf(out, "%s{\"position\":%lu,\"execution\":%lu,\"executor\":\"%s\"}",
		        n > 1 ? "," : "", n, n, s->executor);
	fputs("]}\n", out);
	text_free(&plan);
}

/* An execution as it was "measured". */
static void add_execution(text *t, const settings *s, unsigned long id, unsigned long execution,
                          uint64_t *state)
{
	static const char check[] = "{\"passed\":true,\"gate\":\"B\",\"checked\":4096,\"failed\":0,"
	                            "\"max_error\":0.25,\"tolerance\":\"8 eps\",\"detail\":\"\"}";
	unsigned long count = s->samples / s->executions;
	double base = 1e6 * s->factor * (1 + 0.004 * noise(state));
	char hex[65];
	char name[32];

	snprintf(name, sizeof(name), "triad.n%lu", id);
	digest_bytes(name, strlen(name), hex);
	text_add(t, "{\"execution\":%lu,\"position\":%lu,\"status\":\"valid\",\"reasons\":[],"
	         "\"flags\":[],\"clock\":\"host\",\"batch\":1,\"samples_ns\":[", execution, id + 1);
	for (unsigned long i = 0; i < count; i++)
		text_add(t, "%s%.0f", i > 0 ? "," : "", base * (1 + 0.01 * noise(state)));
	text_add(t, "],\"warmup_ns\":[1100000,1010000,1000000],\"verification\":{\"selftest\":%s,"
	         "\"before\":%s,\"after\":%s,\"during\":1,\"during_failed\":0},\"proof\":{"
	         "\"operations\":40,\"host_ns\":40000000,\"ns_per_operation\":1000000,\"claimed_ns\":"
	         "[8000000,8000000,8000000,8000000,8000000],\"waited_ns\":[8000000,8000000,8000000,"
	         "8000000,8000000],\"drained_ns\":[0,0,0,0,0],\"idle_ns\":0},\"canary\":{"
	         "\"compute_before_ns\":1001000,\"compute_after_ns\":1002000,\"memory_before_ns\":"
	         "2001000,\"memory_after_ns\":2003000,\"reference_compute_ns\":1000000,"
	         "\"reference_memory_ns\":2000000},\"load\":{\"cpu_seconds\":0.25,\"wall_seconds\":%.17g,"
	         "\"involuntary_switches\":3},\"program\":{\"source_sha256\":\"%s\",\"binary_sha256\":"
	         "\"%s\",\"binary_kind\":\"elf\",\"compiler\":\"gcc\",\"compiler_version\":\"12.2.0\","
	         "\"flags\":\"-O3\",\"from_cache\":false,\"build_ns\":120000000}}", check, check, check,
	         1 + 2e-9 * base * (double)count, hex, hex);
}

/* Half-width and flags follow from the samples; a case without enough of them did not converge. */
static void imply(record_case *row)
{
	record_execution *e = &row->executions.items[0];
	record_pool pool;

	record_pool_fill(&pool, row);
	implied_flags(row, e, &pool.series[0], &e->flags);
	(void)implied_half_width(&row->measure, e, &pool.series[0], NULL, &e->half_width);
	if (!(e->half_width <= row->measure.half_width))
		e->status = RECORD_NOT_CONVERGED;
	record_pool_free(&pool);
}

static void put_case(FILE *out, const settings *s, unsigned long id, unsigned long execution,
                     uint64_t *state)
{
	eh_error error = ERROR_INIT;
	text t = { 0 };
	record_case row;
	char *body;

	text_add(&t, "{\"status\":\"valid\",\"reasons\":[],\"flags\":[],");
	add_case(&t, id, least_of(s));
	text_add(&t, ",\"executions\":[");
	add_execution(&t, s, id, execution, state);
	text_add(&t, "]}");
	layout_init(record_case_layout(), &row);
	if (layout_read(record_case_layout(), t.data, t.size, "case", &row, &error) != EH_OK) {
		fprintf(stderr, "make_result: %s\n", error.message);
		exit(EXIT_CODE_USAGE);
	}
	imply(&row);
	body = layout_text(record_execution_layout(), &row.executions.items[0], false);
	fprintf(out, "{\"kind\":\"case\",\"executor\":\"%s\",\"execution\":%lu,\"id\":\"%s\","
	        "\"record\":%s}\n", s->executor, execution, row.id, body);
	free(body);
	layout_clear(record_case_layout(), &row);
	text_free(&t);
}

/* malloc'd: the executor, with the digest of its stack. */
static char *executor_text(const settings *s)
{
	static const char known[] = "{\"name\":\"%s\",\"digest\":\"\",\"simulated\":false,\"device\":{"
	                           "\"id\":\"big\",\"name\":\"Example CPU\",%s%s%s\"compute_units\":2,"
	                           "\"memory_bytes\":8589934592},\"layers\":[{\"layer\":\"hardware\","
	                           "\"name\":\"Example CPU\",\"source\":\"queried\"}%s%s%s]}";
	bool uuid = s->uuid[0] != '\0', driver = s->driver[0] != '\0';
	char *body = memory_format(known, s->executor, uuid ? "\"uuid\":\"" : "", s->uuid, uuid ? "\"," : "", driver ? ",{\"layer\":\"driver\",\"name\":\"Example driver\","
	                           "\"maker\":\"Example\",\"source\":\"queried\",\"version\":\"" : "", s->driver,
	                           driver ? "\"}" : "");
	record_executor executor;
	char hex[65];
	char *out;

	layout_init(record_executor_layout(), &executor);
	if (layout_read(record_executor_layout(), body, strlen(body), "executor", &executor, NULL) != EH_OK)
		exit(EXIT_CODE_USAGE);
	free(body);
	(void)identity_digest(&executor, hex);
	text_set(&executor.digest, hex);
	out = layout_text(record_executor_layout(), &executor, false);
	layout_clear(record_executor_layout(), &executor);
	return out;
}

static void put_executor(FILE *out, const settings *s, unsigned long execution)
{
	char *record = executor_text(s);

	fprintf(out, "{\"kind\":\"instrument\",\"executor\":\"%s\",\"execution\":%lu,\"record\":{"
	        "\"execution\":%lu,\"host_resolution_ns\":20,\"host_overhead_ns\":25,\"launch_ns\":4000,"
	        "\"device_resolution_ns\":1,\"device_time\":false,\"device_time_reason\":\"none\"}}\n",
	        s->executor, execution, execution);
	fprintf(out, "{\"kind\":\"executor\",\"executor\":\"%s\",\"execution\":%lu,\"record\":%s}\n",
	        s->executor, execution, record);
	free(record);
}

static bool write_journal(const char *path, const settings *s)
{
	uint64_t state = s->seed;
	char *lines = NULL, *whole;
	size_t size = 0;
	FILE *out = open_memstream(&lines, &size);
	bool good;

	if (out == NULL)
		return false;
	put_first(out, s);
	for (unsigned long n = 1; n <= s->executions; n++) {
		for (unsigned long i = 0; i < s->cases; i++)
			put_case(out, s, i, n, &state);
		put_executor(out, s, n);
	}
	/* Behind the start, whatever its time of day. */
	fprintf(out, "{\"kind\":\"end\",\"ended\":\"%.10sT23:59:59Z\",\"status\":\"complete\"}\n", s->started);
	if (fclose(out) != 0)
		return false;
	whole = chained(lines);
	good = file_write(path, whole, strlen(whole), NULL) == EH_OK;
	free(whole);
	free(lines);
	return good;
}

static bool read_settings(int argc, char **argv, settings *s)
{
	int flag;

	while ((flag = getopt(argc, argv, "e:n:f:s:w:d:x:v:u:k")) != -1) {
		switch (flag) {
		case 'e': s->executions = strtoul(optarg, NULL, 10); break;
		case 'n': s->samples = strtoul(optarg, NULL, 10); break;
		case 'f': s->factor = strtod(optarg, NULL); break;
		case 's': s->seed = strtoull(optarg, NULL, 10); break;
		case 'w': s->tester = optarg; break;
		case 'd': s->started = optarg; break;
		case 'x': s->executor = optarg; break;
		case 'v': s->driver = optarg; break;
		case 'u': s->uuid = optarg; break;
		case 'k': s->keep = true; break;
		default: return false;
		}
	}
	if (argc - optind != 2)
		return false;
	s->cases = strtoul(argv[optind], NULL, 10);
	return s->cases > 0 && s->executions > 0 && s->samples >= s->executions && s->factor > 0;
}

int main(int argc, char **argv)
{
	settings s = { .executions = 5, .samples = 100, .factor = 1, .seed = 1, .tester = "",
		       .started = "2026-01-01T00:00:00Z", .executor = "host:big", .driver = "", .uuid = "" };
	eh_error error = ERROR_INIT;
	char *journal;
	eh_status status;

	if (!read_settings(argc, argv, &s)) {
		fputs("usage: make_result [-k] [-w TESTER] [-e EXECUTIONS] [-n SAMPLES] [-f FACTOR] "
		      "[-s SEED] [-d STARTED] [-x EXECUTOR] [-v DRIVER] [-u UUID] CASES OUT.json\n", stderr);
		return EXIT_CODE_USAGE;
	}
	journal = memory_format("%s.journal", argv[optind + 1]);
	if (!write_journal(journal, &s)) {
		perror(journal);
		return EXIT_CODE_ENVIRONMENT;
	}
	status = result_build(journal, s.executor, true, NULL, argv[optind + 1], NULL, &error);
	if (status != EH_OK)
		fprintf(stderr, "make_result: %s\n", error.message);
	if (!s.keep)
		(void)remove(journal);
	free(journal);
	return error_exit_code(status);
}
