/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/aatrial.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/command.h"
#include "stat/noisefloor.h"
#include "plugin/host.h"
#include "report/report.h"
#include "run/noise.h"

#define PAIRS_DEFAULT 10
#define PAIRS_MOST 1000
#define SECOND_NS UINT64_C(1000000000)

static int calibrate_run(int argc, char **argv);

extern const command command_calibrate;
const command command_calibrate = {
	.name = "calibrate",
	.summary = "how much two runs of the same thing differ: the least margin of comparisons",
	.help = "usage: evenhand calibrate [--on SELECTOR,...] [--pairs N] [--protocol PROTOCOL]\n"
	        "                          [--set BACKEND.KEY=VALUE]... [--site FILE] [--json] [-q] [-v]\n"
	        "       evenhand calibrate --list [--json]\n"
	        "       evenhand calibrate --show EXECUTOR [--json]\n"
	        "\n"
	        "Runs a short protocol twice, again and again, and sees by how much the two runs of a\n"
	        "pair differ, though nothing did.  The noise floor of a class of cases (its workload)\n"
	        "is the upper 95 % confidence bound of what 95 % of pairs stay within.  It is stored for\n"
	        "exactly this stack; `run` puts it into its results, and `compare` calls no difference\n"
	        "below it FASTER or SLOWER.\n"
	        "\n"
	        "  --on SELECTOR,...   as of `run`; default: all executors\n"
	        "  --pairs N           3 to 1000, default 10; more make the bound tighter\n"
	        "  --protocol PROTOCOL  default: calibrate-1, one case of each workload\n"
	        "  --set BACKEND.KEY=VALUE   a setting of a backend\n"
	        "  --site FILE         what this place declares\n"
	        "  --list              what is stored\n"
	        "  --show EXECUTOR     its classes and cases; a name or the beginning of a digest\n"
	        "  --json              the same as JSON on stdout\n"
	        "  -q, --quiet         no progress on stderr\n"
	        "  -v, --verbose       more messages on stderr\n"
	        "\n"
	        "Exit code: 0 fine; 4 usage; 5 disk, rights, drivers; 6 interrupted, nothing stored; 7\n"
	        "stored, but without the cases that gave too few ratios.\n"
	        "\n"
	        "  evenhand calibrate --on host:0\n"
	        "  evenhand calibrate --show host:gcc-12\n"
	        "  evenhand calibrate --on opencl --pairs 60 --protocol my.ini\n",
	.run = calibrate_run,
	.values = "--on --pairs --protocol --site --show",
	.again = "--set",
};

typedef struct flags {
	aatrial_options options;
	const char *show;
	bool list, json, quiet, measures; /* measures: a flag of measuring was given */
} flags;

static eh_status read_value(const char *flag, const char *value, flags *f, eh_error *error)
{
	uint64_t number = 0;

	if (strcmp(flag, "--show") == 0) {
		f->show = value;
		return EH_OK;
	}
	f->measures = true;
	if (strcmp(flag, "--on") == 0) {
		f->options.selectors = value;
	} else if (strcmp(flag, "--protocol") == 0) {
		f->options.protocol = value;
	} else if (strcmp(flag, "--site") == 0) {
		f->options.site = value;
	} else if (strcmp(flag, "--pairs") == 0) {
		if (!text_parse_uint(value, &number) || number < NOISEFLOOR_LEAST || number > PAIRS_MOST)
			return error_set(error, EH_E_USAGE, "--pairs takes a number from %d to %d, not '%s'",
			                 NOISEFLOOR_LEAST, PAIRS_MOST, value);
		f->options.pairs = (size_t)number;
	} else {
		return host_option_set(value, error);
	}
	return EH_OK;
}

static eh_status read_flags(int argc, char **argv, flags *f, eh_error *error)
{
	f->quiet = log_level() <= EH_LOG_ERROR;
	for (int i = 1; i < argc; i++) {
		const char *a = argv[i];
		eh_status status = EH_OK;

		if (command_takes_value(&command_calibrate, a)) {
			if (i + 1 == argc || argv[i + 1][0] == '\0')
				return error_set(error, EH_E_USAGE, "%s needs a value", a);
			status = read_value(a, argv[++i], f, error);
		} else if (strcmp(a, "--list") == 0) {
			f->list = true;
		} else if (strcmp(a, "--json") == 0) {
			f->json = true;
		} else if (strcmp(a, "-q") == 0 || strcmp(a, "--quiet") == 0) {
			f->quiet = true;
		} else if (!command_level(a)) {
			status = error_set(error, EH_E_USAGE, "unknown %s '%s'",
			                   a[0] == '-' ? "flag" : "argument", a);
		}
		if (status != EH_OK)
			return status;
	}
	if ((f->list || f->show != NULL) && (f->measures || (f->list && f->show != NULL)))
		return error_set(error, EH_E_USAGE, "--list and --show stand alone, beside --json");
	return EH_OK;
}

/* ---- what is stored -------------------------------------------------------------------------- */

/* All that are sound; of the others a warning says why not. */
static eh_status read_all(cJSON **out, eh_error *error)
{
	char *folder = noise_folder();
	char **names;

	*out = cJSON_CreateArray();
	if (folder == NULL)
		return EH_OK;
	names = dir_list(folder, ".json", error);
	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char *path = path_join(folder, names[i]);
		eh_error why = ERROR_INIT;
		cJSON *record;

		if (noise_read(path, NULL, &record, &why) == EH_OK)
			cJSON_AddItemToArray(*out, record);
		else
			log_write(EH_LOG_WARN, "%s", why.message);
		free(path);
	}
	free(folder);
	if (names == NULL)
		return EH_E_IO;
	dir_list_free(names);
	return EH_OK;
}

static void print_json(const cJSON *item)
{
	char *body = json_text(item, true);

	puts(body);
	free(body);
}

static void print_list(const cJSON *records)
{
	table *t = table_new("llrll");
	const cJSON *item;

	if (cJSON_GetArraySize(records) == 0) {
		puts("no noise floor is stored; evenhand calibrate measures them");
		table_free(t);
		return;
	}
	table_row(t, (const char *[]){ "executor", "measured", "pairs", "protocol", "digest" });
	table_rule(t);
	cJSON_ArrayForEach(item, records) {
		char *pairs = json_text(json_path(item, "pairs"), false);
		char *digest = memory_format("%.12s", json_string(item, "executor_digest", ""));

		table_row(t, (const char *[]){ json_string(item, "executor", ""),
		          json_string(item, "measured_at", ""), pairs,
		          json_string(json_path(item, "protocol"), "name", ""), digest });
		free(pairs);
		free(digest);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static void print_record(const cJSON *record)
{
	table *t = table_new("llrr");
	const cJSON *item;

	printf("%s  %.12s  %s\n", json_string(record, "executor", ""),
	       json_string(record, "executor_digest", ""), json_string(record, "measured_at", ""));
	table_row(t, (const char *[]){ "class", "case", "pairs", "noise floor" });
	table_rule(t);
	cJSON_ArrayForEach(item, json_path(record, "cases")) {
		double floor_of_case = 0;
		char share[32], pairs[32];

		(void)json_double(item, "floor", &floor_of_case);
		snprintf(share, sizeof(share), "%.2f %%", floor_of_case * 100);
		snprintf(pairs, sizeof(pairs), "%d", cJSON_GetArraySize(json_path(item, "ratios")));
		table_row(t, (const char *[]){ json_string(item, "workload", ""),
		          json_string(item, "id", ""), pairs, share });
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static bool meant(const cJSON *record, const char *name)
{
	const char *digest = json_string(record, "executor_digest", "");

	return strcmp(json_string(record, "executor", ""), name) == 0 ||
	       (strlen(name) >= 4 && strncmp(digest, name, strlen(name)) == 0);
}

static eh_status show_stored(const flags *f, eh_error *error)
{
	cJSON *records, *chosen = cJSON_CreateArray(), *item;
	eh_status status = read_all(&records, error);

	cJSON_ArrayForEach(item, records)
		if (f->show == NULL || meant(item, f->show))
			cJSON_AddItemReferenceToArray(chosen, item);
	if (status == EH_OK && f->show != NULL && cJSON_GetArraySize(chosen) == 0)
		status = error_set(error, EH_E_USAGE, "no noise floor of '%s' is stored; evenhand calibrate "
		                   "--list names them", f->show);
	if (status == EH_OK && f->json)
		print_json(chosen);
	else if (status == EH_OK && f->show == NULL)
		print_list(chosen);
	else if (status == EH_OK)
		cJSON_ArrayForEach(item, chosen)
			print_record(item);
	cJSON_Delete(chosen);
	cJSON_Delete(records);
	return status;
}

/* ---- measuring ------------------------------------------------------------------------------- */

static void wipe(void)
{
	fputs("\r\033[K", stderr);
}

static void report(void *context, const aatrial_progress *p)
{
	const bool *terminal = context;
	text line = { 0 };

	text_add(&line, "%s  run %zu of %zu", p->protocol, p->run, p->runs);
	if (p->left_ns >= 60 * SECOND_NS)
		text_add(&line, "  %llu min %02llu s left", (unsigned long long)(p->left_ns / SECOND_NS / 60),
		         (unsigned long long)(p->left_ns / SECOND_NS % 60));
	else if (p->left_ns > 0)
		text_add(&line, "  %llu s left", (unsigned long long)(p->left_ns / SECOND_NS));
	if (*terminal) {
		fprintf(stderr, "\r%s\033[K", line.data);
		fflush(stderr);
	} else {
		log_write(EH_LOG_INFO, "%s", line.data);
	}
	text_free(&line);
}

static eh_status store(cJSON *records, const flags *f, int *code, eh_error *error)
{
	cJSON *list = cJSON_CreateArray(), *record;
	eh_status status = EH_OK;

	cJSON_ArrayForEach(record, records) {
		cJSON *missing = cJSON_DetachItemFromObjectCaseSensitive(record, "missing"), *item;
		const char *name = json_string(record, "executor", "");
		char *path = NULL;

		cJSON_ArrayForEach(item, missing) {
			log_write(EH_LOG_WARN, "%s: %s gave too few ratios, so it has no noise floor", name,
			          item->valuestring);
			*code = EXIT_CODE_ROWS_FAILED;
		}
		cJSON_Delete(missing);
		if (cJSON_GetArraySize(json_path(record, "cases")) == 0)
			continue;
		status = noise_write(record, &path, error);
		if (status != EH_OK)
			break;
		if (f->json) {
			item = cJSON_Duplicate(record, true);
			json_add_string(item, "path", path);
			cJSON_AddItemToArray(list, item);
		} else {
			print_record(record);
			printf("  %s\n", path);
		}
		free(path);
	}
	if (status == EH_OK && f->json)
		print_json(list);
	cJSON_Delete(list);
	return status;
}

static eh_status measure_all(const flags *f, int *code, eh_error *error)
{
	aatrial_options o = f->options;
	bool terminal = !f->quiet && isatty(STDERR_FILENO);
	cJSON *records = NULL;
	eh_status status;

	o.report = f->quiet ? NULL : report;
	o.context = &terminal;
	interrupt_install();
	signal(SIGXFSZ, SIG_IGN);
	if (terminal)
		log_set_before(wipe);
	status = noise_folder_make(error);
	if (status == EH_OK)
		status = aatrial_run(&o, &records, error);
	if (terminal) {
		wipe();
		log_set_before(NULL);
	}
	if (status == EH_OK)
		status = store(records, f, code, error);
	cJSON_Delete(records);
	return status;
}

static int calibrate_run(int argc, char **argv)
{
	flags f = { .options = { .protocol = "calibrate-1", .pairs = PAIRS_DEFAULT } };
	eh_error error = ERROR_INIT;
	int code = EXIT_CODE_OK;
	eh_status status;

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return command_help(&command_calibrate);
	status = read_flags(argc, argv, &f, &error);
	if (status == EH_OK)
		status = f.list || f.show != NULL ? show_stored(&f, &error) :
		                                    measure_all(&f, &code, &error);
	return status == EH_OK ? command_printed(&command_calibrate, code) :
	                         command_fail(&command_calibrate, &error);
}
