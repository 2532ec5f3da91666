/* SPDX-License-Identifier: Apache-2.0 */
#include "record/journal_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/text.h"

/* How a line ends: CHAIN, 64 hex digits, CHAIN_END. */
#define CHAIN ",\"chain\":\""
#define CHAIN_END "\"}"
#define CHAIN_SIZE (sizeof(CHAIN) - 1 + 64 + sizeof(CHAIN_END) - 1)

static const layout *layout_of(enum record_line_kind kind)
{
	switch (kind) {
	case RECORD_LINE_RUN: return record_line_run_layout();
	case RECORD_LINE_EXECUTOR: return record_line_executor_layout();
	case RECORD_LINE_INSTRUMENT: return record_line_instrument_layout();
	case RECORD_LINE_CASE: return record_line_case_layout();
	case RECORD_LINE_PILOT: return record_line_pilot_layout();
	case RECORD_LINE_NOISE: return record_line_noise_layout();
	case RECORD_LINE_SALVAGE: return record_line_salvage_layout();
	case RECORD_LINE_END: return record_line_end_layout();
	case record_line_kind_absent: break;
	}
	return NULL;
}

void record_line_init(record_line *line, enum record_line_kind kind)
{
	memset(line, 0, sizeof(*line));
	layout_init(layout_of(kind), line);
	line->kind = kind;
}

void record_line_clear(record_line *line)
{
	if (line->kind != record_line_kind_absent)
		layout_clear(layout_of(line->kind), line);
}

/* ---- the chain ------------------------------------------------------------------------------- */

/* The chain of a line whose bytes without "chain" are body[0 .. size) and "}". */
static void chain_of(const char before[65], const char *body, size_t size, char out[65])
{
	digest *d = digest_new();

	digest_add(d, before, strlen(before));
	digest_add(d, body, size);
	digest_add(d, "}", 1);
	digest_end(d, out);
}

char *journal_line_seal(const char *body, size_t size, char chain[65], size_t *line_size)
{
	char *line;

	chain_of(chain, body, size - 1, chain);
	*line_size = size - 1 + CHAIN_SIZE + 1;
	line = memory_get(*line_size + 1);
	memcpy(line, body, size - 1);
	snprintf(line + size - 1, CHAIN_SIZE + 2, CHAIN "%s" CHAIN_END "\n", chain);
	return line;
}

char *journal_line_text(const void *line, enum record_line_kind kind, char chain[65], size_t *line_size)
{
	char *body = layout_text(layout_of(kind), line, false);
	char *sealed = journal_line_seal(body, strlen(body), chain, line_size);

	free(body);
	return sealed;
}

/* Where the chain of a line begins; SIZE_MAX for a line without one. */
static size_t chain_place(const char *body, size_t size)
{
	size_t at = size - CHAIN_SIZE;

	if (size <= CHAIN_SIZE || memcmp(body + at, CHAIN, sizeof(CHAIN) - 1) != 0 ||
	    memcmp(body + size - (sizeof(CHAIN_END) - 1), CHAIN_END, sizeof(CHAIN_END) - 1) != 0)
		return SIZE_MAX;
	return at;
}

bool journal_line_states(const char *body, size_t size, char chain[65])
{
	if (size <= CHAIN_SIZE)
		return false;
	memcpy(chain, body + size - (sizeof(CHAIN_END) - 1) - 64, 64);
	chain[64] = '\0';
	return strspn(chain, "0123456789abcdef") == 64;
}

bool journal_line_complete(const char *body, size_t size)
{
	char chain[65];

	return chain_place(body, size) != SIZE_MAX && journal_line_states(body, size, chain);
}

bool journal_line_follows(const char *body, size_t size, const char before[65], char chain[65])
{
	size_t at = chain_place(body, size);

	if (at == SIZE_MAX) {
		chain[0] = '\0';
		return false;
	}
	chain_of(before, body, at, chain);
	return memcmp(body + at + sizeof(CHAIN) - 1, chain, 64) == 0;
}

size_t journal_line_cut_chain(char *body, size_t size)
{
	size_t at = chain_place(body, size);

	if (at == SIZE_MAX)
		return size;
	body[at] = '}';
	return at + 1;
}

/* ---- what a line says ------------------------------------------------------------------------ */

/* Absent for a text that is no line of a journal. */
static enum record_line_kind kind_of(json_scan s)
{
	json_quoted word;
	bool found;

	s.error = NULL;
	if (json_scan_find(&s, "kind", &found) != EH_OK || !found || json_scan_peek(&s) != '"' ||
	    json_scan_string(&s, &word) != EH_OK)
		return record_line_kind_absent;
	return (enum record_line_kind)layout_word_value(record_line_kind_words(), word.bytes, word.size);
}

eh_status journal_line_read(char *body, size_t size, const char *path, long offset, record_line *line,
                            eh_error *error)
{
	char *name = memory_format("%s, line at byte %ld", path, offset);
	json_scan s = json_scan_of(body, (json_span){ 0, journal_line_cut_chain(body, size) }, 0, name,
	                           error);
	enum record_line_kind kind = kind_of(s);
	eh_status status;

	s.memory = LIMIT_HEAD_MEMORY;
	memset(line, 0, sizeof(*line));
	if (kind != record_line_kind_absent) {
		record_line_init(line, kind);
		status = layout_scan(layout_of(kind), s, "", line);
	} else {
		status = json_scan_skip(&s);
		if (status == EH_OK)
			status = error_set(error, EH_E_FORMAT, "%s: is not a line of a journal: the file is "
			                   "damaged or something else; run into a new folder", name);
	}
	free(name);
	return status;
}

/* The text or the number of the next member, if it has that name; else NULL. */
static char *next_member(json_scan *s, const char *name, bool *more)
{
	json_quoted key, word;
	double number;
	char *value = NULL;

	if (!*more || json_scan_name(s, &key) != EH_OK || !json_quoted_is(key, name)) {
		*more = false;
		return NULL;
	}
	if (json_scan_peek(s) == '"')
		value = json_scan_string(s, &word) == EH_OK ? json_quoted_text(word) : NULL;
	else if (json_starts_number(json_scan_peek(s)) && json_scan_number(s, &number) == EH_OK)
		value = memory_format("%.0f", number);
	*more = value != NULL && json_scan_more(s, '}', more) == EH_OK && *more;
	return value;
}

/* The writer begins lines with these members in this order. */
char *journal_line_guess(const char *body, size_t size)
{
	json_scan s = json_scan_of(body, (json_span){ 0, size }, 0, "", NULL);
	bool more = false;
	char *kind, *executor, *execution, *id, *said;

	if (json_scan_peek(&s) != '{' || json_scan_enter(&s, &more) != EH_OK)
		return memory_text("what it held cannot be told");
	kind = next_member(&s, "kind", &more);
	executor = next_member(&s, "executor", &more);
	execution = next_member(&s, "execution", &more);
	id = next_member(&s, "id", &more);
	said = kind == NULL ? memory_text("what it held cannot be told") :
	       memory_format("it calls itself a line of kind %.20s%s%.100s%s%.20s%s%.100s", kind,
	                     executor != NULL ? " of " : "", executor != NULL ? executor : "",
	                     execution != NULL ? ", execution " : "", execution != NULL ? execution : "",
	                     id != NULL ? ", case " : "", id != NULL ? id : "");
	free(kind);
	free(executor);
	free(execution);
	free(id);
	text_clean(said);
	return said;
}
