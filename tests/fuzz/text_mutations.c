/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads small files that were damaged at random.  Each must be taken, or be refused with one sentence
 * that names the file and with a status that its reader documents.  What is taken must be sound:
 * a protocol gives the same plan when it is read again.
 *
 * usage: text_mutations KIND SEED ROUNDS FOLDER FILE...   (FOLDER is written to)
 * Prints "N taken, N refused" or, with exit status 1, what went wrong and with which text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/protocol_fakes.h"
#include "analysis/claim.h"
#include "audit/audit_key.h"
#include "base/files.h"
#include "cli/number_file.h"
#include "executor/site.h"
#include "mutate.h"
#include "protocol/plan.h"
#include "run/described.h"
#include "run/manifest.h"
#include "run/noise.h"
#include "run/worker.h"

/* ---- the readers ------------------------------------------------------------------------------- */

/* Reads the text, which is also the content of the file at `path`.  EH_E_INTERNAL: what was taken is
 * not sound. */
typedef eh_status (*reader)(const mutant *s, const char *path, eh_error *error);

static eh_status plan_digest(const mutant *s, const char *path, char out[65], eh_error *error)
{
	protocol *p = NULL;
	plan *made = NULL;
	eh_status status = protocol_parse(s->data, s->size, path, &p, error);

	if (status == EH_OK)
		status = plan_make(p, fake_find, NULL, &made, error);
	if (status == EH_OK && (made->case_count == 0 || made->case_count > 10000))
		status = error_set(error, EH_E_INTERNAL, "%s: %zu cases", path, made->case_count);
	if (status == EH_OK)
		memcpy(out, made->digest, 65);
	plan_free(made);
	protocol_free(p);
	return status;
}

static eh_status read_protocol(const mutant *s, const char *path, eh_error *error)
{
	char first[65] = "", second[65] = "";
	eh_status status = plan_digest(s, path, first, error);

	if (status != EH_OK)
		return status;
	status = plan_digest(s, path, second, error);
	if (status != EH_OK || strcmp(first, second) != 0)
		return error_set(error, EH_E_INTERNAL, "%s: read again it gives another plan", path);
	return EH_OK;
}

static eh_status read_claim(const mutant *s, const char *path, eh_error *error)
{
	claim *c = NULL;
	eh_status status = claim_parse(s->data, s->size, path, &c, error);

	claim_free(c);
	return status;
}

static eh_status read_site(const mutant *s, const char *path, eh_error *error)
{
	site *made = NULL;
	eh_status status = site_read(path, &made, error);

	(void)s;
	site_free(made);
	return status;
}

static eh_status read_devices(const mutant *s, const char *path, eh_error *error)
{
	discover_report report;
	eh_status status;

	(void)s;
	layout_init(discover_report_layout(), &report);
	status = described_read(path, &report, error);
	if (status == EH_OK && report.backends.items[0].devices.count == 0)
		status = error_set(error, EH_E_INTERNAL, "%s: no device", path);
	layout_clear(discover_report_layout(), &report);
	return status;
}

static eh_status read_noise(const mutant *s, const char *path, eh_error *error)
{
	noise_record record;
	eh_status status;

	(void)s;
	layout_init(noise_record_layout(), &record);
	status = noise_read(path, NULL, &record, error);
	layout_clear(noise_record_layout(), &record);
	return status;
}

static eh_status read_numbers(const mutant *s, const char *path, eh_error *error)
{
	number_file f;
	eh_status status = number_file_read(path, &f, error);

	(void)s;
	if (status != EH_OK)
		return status;
	for (size_t i = 0; i < f.count && status == EH_OK; i++)
		if (f.columns[i].count == 0)
			status = error_set(error, EH_E_INTERNAL, "%s: an empty column", path);
	number_file_free(&f);
	return status;
}

static eh_status read_key(const mutant *s, const char *path, eh_error *error)
{
	audit_public key;
	eh_status status = audit_public_read(path, &key, error);

	(void)s;
	return status == EH_OK && strlen(key.key) != 64 ?
	       error_set(error, EH_E_INTERNAL, "%s: a key of %zu digits", path, strlen(key.key)) : status;
}

/* A line that a worker writes. */
static eh_status read_event(const mutant *s, const char *path, eh_error *error)
{
	worker_event e;
	eh_status status;

	layout_init(worker_event_layout(), &e);
	status = layout_read(worker_event_layout(), s->data, s->size, path, &e, error);
	layout_clear(worker_event_layout(), &e);
	return status;
}

/* ---- the kinds --------------------------------------------------------------------------------- */

static const char *const ini_tokens[] = {
	"[", "]", "=", ":", ",", ";", "#", " ", "\n", "\r\n", "\t", "%", "@", "-", ".", "..", "|",
	"0", "1", "-1", "9007199254740993", "18446744073709551615", "18446744073709551616", "1e308",
	"1e999", "nan", "inf", "0x10", "64MiB", "4KiB", "1TiB", "20ms", "1.5s", "0.0000000001s",
	"yes", "no", "[protocol]", "[measure]", "[case ", "[case a]\n", "name = ", "version = ",
	"workload = stream\n", "workload = gemm\n", "workload = liar\n", "workload = plain\n",
	"workload = clash\n", "workload = broken\n", "tier = portable, tuned\n", "tier = vendor\n",
	"cache = cold\n", "bytes = ", "operation = ", "precision = ", "m = 1, 2, 3\n", "lie = 3\n",
	"samples-min = ", "time-max = ", "half-width = ", "\xef\xbb\xbf", "\xff", "\xc3", "\xed\xa0\x80",
	"\xe2\x80\xa8", "\x01", "\x7f", "%s%n", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
};

static const char *const json_tokens[] = {
	"{", "}", "[", "]", ":", ",", "\"", "\\", "\\u0000", "\\ud800", "null", "true", "false", "0", "-0", "-1",
	"1e308", "1e999", "5e-324", "9007199254740993", "18446744073709551616", "NaN", "\"format\":", "\"digest\":",
	"\"ratios\":[", "\"cases\":[", "\"event\":\"case\"", "\"record\":{", "[[[[[[[[[[[[[[[[[[[[", "\xff", "\xc3",
	"\xed\xa0\x80", "\x01", "\x7f", "%s%n", "\"kind\":\"end\"", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
};

static const char *const word_tokens[] = {
	"1", "-1", "0", "1e308", "1e-308", "1e999", "nan", "inf", "0x10", ",", ";", "\t", " ", "#", "\n", "\r\n",
	"a,b,c\n", "-----BEGIN PUBLIC KEY-----", "-----END PUBLIC KEY-----", "MCowBQYDK2VwAyEA", "=", "\xef\xbb\xbf",
	"\xff", "\xc3", "\x01", "\x7f", "%s%n",
};

#define TOKENS(list) { list, sizeof(list) / sizeof((list)[0]) }

typedef struct kind {
	const char *name;
	reader read;
	eh_status refusals[3];   /* that its reader documents                                     */
	mutate_tokens tokens;
} kind;

static const kind kinds[] = {
	{ "protocol", read_protocol, { EH_E_USAGE }, TOKENS(ini_tokens) },
	{ "claim", read_claim, { EH_E_USAGE }, TOKENS(ini_tokens) },
	{ "site", read_site, { EH_E_USAGE }, TOKENS(ini_tokens) },
	{ "devices", read_devices, { EH_E_USAGE }, TOKENS(ini_tokens) },
	{ "noise", read_noise, { EH_E_FORMAT, EH_E_ALTERED }, TOKENS(json_tokens) },
	{ "numbers", read_numbers, { EH_E_USAGE }, TOKENS(word_tokens) },
	{ "key", read_key, { EH_E_USAGE, EH_E_FORMAT }, TOKENS(word_tokens) },
	{ "event", read_event, { EH_E_FORMAT }, TOKENS(json_tokens) },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* ---- one text ---------------------------------------------------------------------------------- */

static int complain(const mutant *s, const char *what, const char *message)
{
	printf("%s: '%s'\n--- the text, %zu bytes:\n", what, message, s->size);
	fwrite(s->data, 1, s->size, stdout);
	puts("\n---");
	return 1;
}

static bool documented(const kind *k, eh_status status)
{
	for (size_t i = 0; i < 3; i++)
		if (k->refusals[i] == status)
			return true;
	return false;
}

static bool one_line(const char *message)
{
	while (*message != '\0') {
		size_t size = text_utf8_size(message, strlen(message));

		if (size == 0 || (unsigned char)*message < 0x20)
			return false;
		message += size;
	}
	return true;
}

/* A new file without a sync: truncating one, or file_write, waits for the disk. */
static bool save(const mutant *s, const char *path)
{
	FILE *out = remove(path) == 0 || errno == ENOENT ? fopen(path, "wbe") : NULL;
	bool whole = out != NULL && fwrite(s->data, 1, s->size, out) == s->size;

	return out != NULL && fclose(out) == 0 && whole;
}

typedef struct counts { size_t taken, refused; } counts;

/* 0, or 1 after having complained. */
static int examine(const kind *k, const mutant *s, const char *path, counts *all)
{
	eh_error error = ERROR_INIT;
	eh_status status;

	if (!save(s, path))
		return complain(s, "the file cannot be written", path);
	status = k->read(s, path, &error);
	if (status == EH_OK) {
		all->taken++;
		return 0;
	}
	all->refused++;
	if (status == EH_E_INTERNAL)
		return complain(s, "what was taken is not sound", error.message);
	if (!documented(k, status) || error.code != status)
		return complain(s, "the status is not documented", error.message);
	if (strstr(error.message, path) == NULL || strlen(error.message) < strlen(path) + 10)
		return complain(s, "the message does not name the file", error.message);
	return one_line(error.message) ? 0 : complain(s, "the message is not one line of text", error.message);
}

static int mutate_and_examine(const kind *k, const mutant *all, size_t count, random_state *r,
                              const char *path, counts *total)
{
	const mutant *from = &all[random_below(r, count)];
	mutant s = { .data = memory_get(from->size + 1), .size = from->size };
	uint64_t times = 1 + random_below(r, 3);
	int bad;

	memcpy(s.data, from->data, from->size);
	for (uint64_t i = 0; i < times; i++)
		mutate_once(r, &s, all, count, k->tokens);
	/* Exactly as large as it is, so that a read beyond it is found by the sanitizer. */
	s.data = memory_grow(s.data, s.size);
	bad = examine(k, &s, path, total);
	free(s.data);
	return bad;
}

int main(int argc, char **argv)
{
	const kind *k = NULL;
	uint64_t seed, rounds;
	size_t count;
	mutant *all;
	char *path;
	random_state r;
	counts total = { 0, 0 };
	int bad = 0;

	for (size_t i = 0; argc > 1 && i < KINDS; i++)
		if (strcmp(kinds[i].name, argv[1]) == 0)
			k = &kinds[i];
	if (argc < 6 || k == NULL || !text_parse_uint(argv[2], &seed) || !text_parse_uint(argv[3], &rounds)) {
		fputs("usage: text_mutations KIND SEED ROUNDS FOLDER FILE...\n", stderr);
		return 2;
	}
	count = (size_t)argc - 5;
	all = memory_get(count * sizeof(*all));
	path = path_join(argv[4], "fuzzed.txt");
	for (size_t i = 0; i < count && bad == 0; i++) {
		eh_error error = ERROR_INIT;

		if (file_read(argv[5 + i], &all[i].data, &all[i].size, &error) != EH_OK) {
			puts(error.message);
			return 2;
		}
		bad = examine(k, &all[i], path, &total);
	}
	random_seed(&r, seed);
	for (uint64_t i = 0; i < rounds && bad == 0; i++)
		bad = mutate_and_examine(k, all, count, &r, path, &total);
	for (size_t i = 0; i < count; i++)
		free(all[i].data);
	free(all);
	free(path);
	if (bad == 0)
		printf("%zu taken, %zu refused\n", total.taken, total.refused);
	return bad;
}
