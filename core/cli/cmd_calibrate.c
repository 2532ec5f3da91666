/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/aatrial.h"
#include "base/files.h"
#include "base/interrupt.h"
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

static void records_clear(noise_record_list *records)
{
	for (size_t i = 0; i < records->count; i++)
		layout_clear(noise_record_layout(), &records->items[i]);
	free(records->items);
	*records = (noise_record_list){ 0 };
}

static bool meant(const noise_record *record, const char *name)
{
	return strcmp(record->executor, name) == 0 ||
	       (strlen(name) >= 4 && strncmp(record->executor_digest, name, strlen(name)) == 0);
}

/* Appends the sound records of that executor (NULL: of all); warns of the others. */
static eh_status read_all(const char *name, noise_record_list *out, eh_error *error)
{
	char *folder = noise_folder();
	char **names;

	if (folder == NULL)
		return EH_OK;
	names = dir_list(folder, ".json", error);
	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char *path = path_join(folder, names[i]);
		eh_error why = ERROR_INIT;
		noise_record record;

		layout_init(noise_record_layout(), &record);
		if (noise_read(path, NULL, &record, &why) != EH_OK)
			log_write(EH_LOG_WARN, "%s", why.message);
		else if (name == NULL || meant(&record, name))
			layout_move(noise_record_layout(), &record,
			            layout_append(noise_record_layout(), out));
		layout_clear(noise_record_layout(), &record);
		free(path);
	}
	free(folder);
	if (names == NULL)
		return EH_E_IO;
	dir_list_free(names);
	return EH_OK;
}

static void print_json(const noise_record_list *records)
{
	char *body = layout_list_text(noise_record_layout(), records, true);

	puts(body);
	free(body);
}

static void print_list(const noise_record_list *records)
{
	table *t;

	if (records->count == 0) {
		puts("no noise floor is stored; evenhand calibrate measures them");
		return;
	}
	t = table_new("llrll");
	table_row(t, (const char *[]){ "executor", "measured", "pairs", "protocol", "digest" });
	table_rule(t);
	for (size_t i = 0; i < records->count; i++) {
		const noise_record *r = &records->items[i];
		char pairs[24], digest[16];

		snprintf(pairs, sizeof(pairs), "%llu", (unsigned long long)r->pairs);
		snprintf(digest, sizeof(digest), "%.12s", r->executor_digest);
		table_row(t, (const char *[]){ r->executor, r->measured_at, pairs, r->protocol.name,
		          digest });
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static void print_record(const noise_record *r)
{
	table *t = table_new("llrr");

	printf("%s  %.12s  %s\n", r->executor, r->executor_digest, r->measured_at);
	table_row(t, (const char *[]){ "class", "case", "pairs", "noise floor" });
	table_rule(t);
	for (size_t i = 0; i < r->cases.count; i++) {
		const noise_case *c = &r->cases.items[i];
		char share[32], pairs[32];

		snprintf(share, sizeof(share), "%.2f %%", c->floor * 100);
		snprintf(pairs, sizeof(pairs), "%zu", c->ratios.count);
		table_row(t, (const char *[]){ c->workload, c->id, pairs, share });
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static eh_status show_stored(const flags *f, eh_error *error)
{
	noise_record_list records = { 0 };
	eh_status status = read_all(f->show, &records, error);

	if (status == EH_OK && f->show != NULL && records.count == 0)
		status = error_set(error, EH_E_USAGE, "no noise floor of '%s' is stored; evenhand calibrate "
		                   "--list names them", f->show);
	if (status == EH_OK && f->json)
		print_json(&records);
	else if (status == EH_OK && f->show == NULL)
		print_list(&records);
	for (size_t i = 0; status == EH_OK && !f->json && f->show != NULL && i < records.count; i++)
		print_record(&records.items[i]);
	records_clear(&records);
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

/* Takes the cases with too few ratios out, with a warning each; whether there were any. */
static bool drop_missing(noise_record *record)
{
	noise_case_list *cases = &record->cases;
	size_t kept = 0, all = cases->count;

	for (size_t i = 0; i < all; i++) {
		noise_case *c = &cases->items[i];

		if (c->ratios.count >= NOISEFLOOR_LEAST) {
			if (i != kept)
				layout_move(noise_case_layout(), c, &cases->items[kept]);
			kept++;
			continue;
		}
		log_write(EH_LOG_WARN, "%s: %s gave too few ratios, so it has no noise floor",
		          record->executor, c->id);
		layout_clear(noise_case_layout(), c);
	}
	cases->count = kept;
	return kept < all;
}

/* Stores and prints each; records without a case are left out. */
static eh_status store(noise_record_list *records, const flags *f, int *code, eh_error *error)
{
	noise_record_list stored = { 0 };
	eh_status status = EH_OK;

	for (size_t i = 0; i < records->count && status == EH_OK; i++) {
		noise_record *r = &records->items[i];

		if (drop_missing(r))
			*code = EXIT_CODE_ROWS_FAILED;
		if (r->cases.count == 0)
			continue;
		status = noise_write(r, error);
		if (status != EH_OK)
			break;
		if (!f->json) {
			print_record(r);
			printf("  %s\n", r->path);
		}
		layout_move(noise_record_layout(), r, layout_append(noise_record_layout(), &stored));
	}
	if (status == EH_OK && f->json)
		print_json(&stored);
	records_clear(&stored);
	return status;
}

static eh_status measure_all(const flags *f, int *code, eh_error *error)
{
	aatrial_options o = f->options;
	bool terminal = !f->quiet && isatty(STDERR_FILENO);
	noise_record_list records = { 0 };
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
		status = store(&records, f, code, error);
	records_clear(&records);
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
