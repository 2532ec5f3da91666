/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills an archive with variants of one result, which differ in digest, start, executor, stack and times,
 * through archive_add.  `make bench BENCH=archive` uses it, to ask an archive whose results would take
 * an hour to make.
 *
 * usage: make_archive RESULT.json COUNT EXECUTORS ARCHIVE
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "archive/archive.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/parallel.h"
#include "base/text.h"

enum { TOGETHER = 250, STEP = 3600 };

static double noise(unsigned long long *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(*state >> 33) / 2147483648.0 - 0.5;
}

/* The times of every seventh executor become a tenth longer in the middle, with another stack. */
static void vary(result *r, unsigned long i, unsigned long count, unsigned long executors)
{
	record_result *record = r->record;
	unsigned long long state = i;
	bool late = i > count / 2;
	double factor = late && i % executors % 7 == 0 ? 1.1 : 1;
	time_t at = 1700000000 + (time_t)(i / executors) * STEP;
	char *words = memory_format("%lu", i), hex[65], started[24];
	struct tm parts;

	digest_bytes(words, strlen(words), hex);
	text_set(&record->digest, hex);
	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&at, &parts));
	text_set(&record->run.started, started);
	free(words);
	words = memory_format("cuda:%lu", i % executors);
	text_set(&record->executor.name, words);
	free(words);
	words = memory_format("%lu %d", i % executors, late);
	digest_bytes(words, strlen(words), hex);
	text_set(&record->executor.digest, hex);
	free(words);
	for (size_t k = 0; k < r->row_count; k++) {
		record_derived *d = r->rows[k].record->derived;
		double of = factor * (1 + 0.01 * noise(&state));

		for (size_t n = 0; n < d->interval_ns.count; n++)
			d->interval_ns.items[n] *= of;
		d->median_ns *= of;
	}
}

static result *read_one(const char *bytes, size_t size)
{
	char *copy = memory_get(size + 1);
	eh_error error = ERROR_INIT;
	result *r;

	memcpy(copy, bytes, size);
	if (result_read_bytes("variant.json", copy, size, &r, &error) != EH_OK) {
		fprintf(stderr, "make_archive: %s\n", error.message);
		exit(EXIT_CODE_USAGE);
	}
	return r;
}

typedef struct batch {
	const char *bytes;
	size_t size;
	unsigned long first, count, executors;
	archive_item *items[TOGETHER];
} batch;

static void make_one(void *context, size_t i)
{
	batch *b = context;
	result *r = read_one(b->bytes, b->size);

	vary(r, b->first + i, b->count, b->executors);
	b->items[i] = archive_item_make(r, b->bytes, b->size, NULL, NULL);
}

static eh_status fill(archive *a, batch *b, eh_error *error)
{
	enum archive_outcome outcomes[TOGETHER];
	eh_status status = EH_OK;

	for (b->first = 0; b->first < b->count && status == EH_OK; b->first += TOGETHER) {
		size_t n = b->count - b->first < TOGETHER ? b->count - b->first : TOGETHER;

		parallel_each(n, make_one, b);
		status = archive_add(a, b->items, n, outcomes, error);
		for (size_t i = 0; i < n; i++)
			archive_item_free(b->items[i]);
	}
	return status;
}

int main(int argc, char **argv)
{
	batch b = { .count = argc == 5 ? strtoul(argv[2], NULL, 10) : 0, .executors = argc == 5 ? strtoul(argv[3], NULL, 10) : 0 };
	eh_error error = ERROR_INIT;
	archive a;
	char *bytes;
	eh_status status;

	if (b.count == 0 || b.executors == 0) {
		fputs("usage: make_archive RESULT.json COUNT EXECUTORS ARCHIVE\n", stderr);
		return EXIT_CODE_USAGE;
	}
	status = file_read(argv[1], &bytes, &b.size, &error);
	if (status == EH_OK) {
		b.bytes = bytes;
		status = archive_open(argv[4], true, &a, &error);
	}
	if (status == EH_OK) {
		status = fill(&a, &b, &error);
		archive_close(&a);
	}
	if (status != EH_OK)
		fprintf(stderr, "make_archive: %s\n", error.message);
	return error_exit_code(status);
}
