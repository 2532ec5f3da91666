/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damages journals and reads them in every way: as a result is built, as a run is resumed, and as a
 * journal is salvaged.  What is read must be what was written: without an error the lines are the first
 * ones of the original, a cut is named in a warning, and a salvaged journal has only lines of the original.
 * Every third journal has its chain made anew after the damage, so that what stands behind the chain is
 * damaged too: then only crashes count.
 * Prints "AS-IT-WAS CUT SALVAGED REFUSED FORGED", and how many of them a resumed run takes; 1 with the reason, and the journal in FOLDER, when a
 * journal was read as another one.
 * usage: journal_mutations SEED ROUNDS FOLDER JOURNAL...   (FOLDER is written to)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit/chain.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "record/journal.h"
#include "record/result.h"
#include "run/ledger.h"
#include "run/manifest.h"

static uint64_t state;

static size_t below(size_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n > 0 ? (size_t)(state >> 33) % n : 0;
}

/* ---- damage ---------------------------------------------------------------------------------- */

static void put_in(text *t, size_t at, const char *bytes, size_t size)
{
	text_add_bytes(t, bytes, size);
	memmove(t->data + at + size, t->data + at, t->size - size - at);
	memmove(t->data + at, bytes, size);
}

static void take_out(text *t, size_t at, size_t size)
{
	memmove(t->data + at, t->data + at + size, t->size - at - size);
	t->size -= size;
	t->data[t->size] = '\0';
}

/* The line around a byte, with its newline. */
static void line_around(const text *t, size_t at, size_t *begin, size_t *size)
{
	const char *end = memchr(t->data + at, '\n', t->size - at);

	*begin = at;
	while (*begin > 0 && t->data[*begin - 1] != '\n')
		(*begin)--;
	*size = (end != NULL ? (size_t)(end - t->data) + 1 : t->size) - *begin;
}

static void damage_line(text *t, size_t at)
{
	size_t begin, size;
	char *line;

	line_around(t, at, &begin, &size);
	line = memory_get(size + 1);
	memcpy(line, t->data + begin, size);
	switch (below(3)) {
	case 0:
		take_out(t, begin, size);
		break;
	case 1:
		put_in(t, begin, line, size);
		break;
	default: /* exchanged with another */
		take_out(t, begin, size);
		if (t->size > 0) {
			size_t other, rest;

			line_around(t, below(t->size), &other, &rest);
			put_in(t, other, line, size);
		} else {
			put_in(t, 0, line, size);
		}
	}
	free(line);
}

static void damage_once(text *t)
{
	static const char *const tokens[] = { "{", "}", "[", "]", "\"", ",", ":", "0", "-", "\\", "\n", "1e9",
		"null", "{\"a\":1}\n", "\"kind\":\"end\",", ",\"chain\":\"", "18446744073709551615", "\\u0000" };
	size_t at = below(t->size), length = 1 + below(t->size - at < 64 ? t->size - at : 64);
	const char *token = tokens[below(sizeof(tokens) / sizeof(*tokens))];

	switch (below(9)) {
	case 0:
	case 1:
	case 2:
		t->data[at] ^= (char)(1 << below(8));
		break;
	case 3:
		t->data[at] = (char)below(256);
		break;
	case 4:
		take_out(t, at, length);
		break;
	case 5:
		put_in(t, at, token, strlen(token));
		break;
	case 6:
		memset(t->data + at, 0, below(2) ? length : t->size - at);
		break;
	case 7:
		if (below(2) == 0) {
			t->size = at;
			t->data[at] = '\0';
			break;
		}
		/* fall through */
	default:
		damage_line(t, at);
	}
}

/* ---- the original ---------------------------------------------------------------------------- */

typedef struct original {
	text bytes;
	text_list lines; /* canonical, in order */
} original;

static const layout *layout_of(const record_line *line)
{
	switch (line->kind) {
	case RECORD_LINE_RUN: return record_line_run_layout();
	case RECORD_LINE_EXECUTOR: return record_line_executor_layout();
	case RECORD_LINE_INSTRUMENT: return record_line_instrument_layout();
	case RECORD_LINE_CASE: return record_line_case_layout();
	case RECORD_LINE_PILOT: return record_line_pilot_layout();
	case RECORD_LINE_NOISE: return record_line_noise_layout();
	case RECORD_LINE_SALVAGE: return record_line_salvage_layout();
	default: return record_line_end_layout();
	}
}

static eh_status collect(void *context, record_line *line, long offset, eh_error *error)
{
	char *canonical = layout_canonical(layout_of(line), line, NULL);

	(void)offset;
	(void)error;
	text_list_add(context, canonical);
	free(canonical);
	return EH_OK;
}

static bool load(const char *path, original *o)
{
	char *data = NULL;
	size_t size = 0;

	if (file_read(path, &data, &size, NULL) != EH_OK || size == 0)
		return false;
	text_add_bytes(&o->bytes, data, size);
	free(data);
	return journal_each(path, collect, &o->lines, NULL) == EH_OK;
}

static void unload(original *o)
{
	text_free(&o->bytes);
	text_list_clear(&o->lines);
}

static bool put(const char *path, const text *t)
{
	FILE *f = fopen(path, "w");
	bool ok = f != NULL && fwrite(t->data, 1, t->size, f) == t->size;

	return f != NULL && fclose(f) == 0 && ok;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_beginning(const text_list *read, const original *o)
{
	if (read->count > o->lines.count)
		return false;
	for (size_t i = 0; i < read->count; i++)
		if (strcmp(read->items[i], o->lines.items[i]) != 0)
			return false;
	return true;
}

/* Apart from the line that says so, behind the first. */
static bool is_part(const text_list *read, const original *o)
{
	for (size_t i = 0; i < read->count; i++)
		if (i == 1 ? strstr(read->items[i], "\"kind\":\"salvage\"") == NULL :
		             !text_list_has(&o->lines, read->items[i]))
			return false;
	return read->count >= 2 && strcmp(read->items[0], o->lines.items[0]) == 0;
}

/* What a resumed run reads; true when all of it can be. */
static bool resume(const char *path)
{
	bool whole = false;
	record_line first;
	manifest *m = NULL;
	eh_error error = ERROR_INIT;

	if (journal_line_at(path, 0, &first, &error) == EH_OK && manifest_read(&first, &m, &error) == EH_OK) {
		ledger *l = ledger_new(m->plan, (const char *const *)m->names, m->executor_count, m->executions,
		                       m->most, m->asked);

		whole = ledger_read(l, path, &error) == EH_OK;
		ledger_free(l);
		manifest_free(m);
	}
	record_line_clear(&first);
	return whole;
}

static eh_status names(void *context, record_line *line, long offset, eh_error *error)
{
	(void)offset;
	(void)error;
	if (line->kind == RECORD_LINE_RUN)
		for (size_t i = 0; i < line->run.executors.count && i < 4; i++)
			text_list_add(context, line->run.executors.items[i].name);
	return EH_OK;
}

/* The results of all executors; reading one that was built must not crash. */
static void build(const char *path, const char *folder)
{
	text_list all = { 0 };
	char *out = memory_format("%s/mutated.json", folder);
	eh_error error = ERROR_INIT;

	(void)journal_each(path, names, &all, &error);
	for (size_t i = 0; i < all.count; i++) {
		result *r = NULL;

		if (result_build(path, all.items[i], true, NULL, out, NULL, &error) == EH_OK)
			(void)result_read(out, &r, &error);
		result_free(r);
	}
	text_list_clear(&all);
	free(out);
}

/* ---- a round --------------------------------------------------------------------------------- */

enum outcome { AS_IT_WAS, CUT, SALVAGED, REFUSED, FORGED, RESUMED, OUTCOMES };

static size_t warnings;

static void count_warning(void *context, int level, const char *message)
{
	(void)context;
	(void)message;
	warnings += level == EH_LOG_WARN;
}

static bool wrong(const char *why)
{
	fprintf(stderr, "%s\n", why);
	return false;
}

static void remove_copies(const char *folder)
{
	char **all = dir_list(folder, "", NULL);

	for (size_t i = 0; all != NULL && all[i] != NULL; i++) {
		char *path = path_join(folder, all[i]);

		if (strncmp(all[i], "mutated.journal.", 16) == 0)
			(void)unlink(path);
		free(path);
	}
	dir_list_free(all);
}

/* false when the journal was read as another one. */
static bool judge_damaged(const char *path, const original *o, size_t size, enum outcome *found)
{
	text_list read = { 0 };
	journal *j = NULL;
	eh_error error = ERROR_INIT;
	bool sound = true;

	warnings = 0;
	if (journal_each(path, collect, &read, &error) == EH_OK && !is_beginning(&read, o))
		sound = wrong("other lines were read without an error");
	text_list_clear(&read);
	*found = REFUSED;
	if (journal_open(path, &j, &error) == EH_OK) {
		char *data = NULL;
		size_t now = 0;

		journal_close(j);
		*found = warnings > 0 ? CUT : AS_IT_WAS;
		if (journal_each(path, collect, &read, &error) != EH_OK || !is_beginning(&read, o))
			sound = wrong("opening left other lines");
		if (file_read(path, &data, &now, NULL) != EH_OK || (now != size) != (warnings > 0))
			sound = wrong("a cut without a warning, or a warning without a cut");
		free(data);
	} else if (journal_salvage(path, NULL, NULL, &error) == EH_OK) {
		*found = SALVAGED;
		if (warnings == 0 || journal_each(path, collect, &read, &error) != EH_OK || !is_part(&read, o))
			sound = wrong("a salvage left other lines, or said nothing");
	}
	text_list_clear(&read);
	return sound;
}

static bool round_of(const original *o, const char *folder, size_t number, size_t counts[OUTCOMES])
{
	char *path = path_join(folder, "mutated.journal");
	text t = { 0 };
	enum outcome found = FORGED;
	bool sound = true;

	text_add_bytes(&t, o->bytes.data, o->bytes.size);
	for (size_t edits = number % 2 ? 1 : 1 + below(3); number > 0 && edits > 0 && t.size > 8; edits--)
		damage_once(&t);
	if (number % 3 == 2 && memchr(t.data, '\0', t.size) == NULL) {
		char *again = chained(t.data);

		text_free(&t);
		text_add_bytes(&t, again, strlen(again));
		free(again);
	}
	if (!put(path, &t)) {
		perror(path);
		exit(5);
	}
	if (number % 3 != 2)
		sound = judge_damaged(path, o, t.size, &found);
	else
		build(path, folder);
	if (number % 3 == 1)
		build(path, folder);
	counts[RESUMED] += resume(path);
	counts[found]++;
	if (sound)
		remove_copies(folder);
	text_free(&t);
	free(path);
	return sound;
}

int main(int argc, char **argv)
{
	size_t counts[OUTCOMES] = { 0 }, files = (size_t)argc - 4;
	unsigned long rounds;
	bool sound = true;

	if (argc < 5)
		return 4;
	state = strtoull(argv[1], NULL, 10);
	rounds = strtoul(argv[2], NULL, 10);
	log_set_sink(count_warning, NULL);
	for (size_t k = 0; k < files && sound; k++) {
		original o = { 0 };

		if (!load(argv[4 + k], &o)) {
			fprintf(stderr, "%s cannot be read\n", argv[4 + k]);
			return 5;
		}
		for (unsigned long i = 0; i < rounds / files && sound; i++)
			sound = round_of(&o, argv[3], i, counts);
		unload(&o);
	}
	for (size_t i = 0; i < OUTCOMES; i++)
		printf("%zu%s", counts[i], i + 1 < OUTCOMES ? " " : "\n");
	return sound ? 0 : 1;
}
