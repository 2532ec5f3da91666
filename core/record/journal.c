/* SPDX-License-Identifier: Apache-2.0 */
#include "record/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/fresh.h"
#include "base/json_scan.h"
#include "base/text.h"

/* The lock is on a byte far beyond the content. */
#define LOCK_BYTE ((off_t)1 << 62)

/* How a line ends: CHAIN, 64 hex digits, CHAIN_END. */
#define CHAIN ",\"chain\":\""
#define CHAIN_END "\"}"
#define CHAIN_SIZE (sizeof(CHAIN) - 1 + 64 + sizeof(CHAIN_END) - 1)

struct journal {
	int fd;
	char *path;
	char chain[65];   /* of the last line                                                     */
};

/* An open file description lock belongs to this descriptor and ends with the process. */
static int lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = LOCK_BYTE, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &whole);
}

/* The offset behind the last whole line, or -1 with errno. */
static off_t whole_end(int fd, off_t size)
{
	char block[4096];

	while (size > 0) {
		size_t want = size < (off_t)sizeof(block) ? (size_t)size : sizeof(block);
		ssize_t got = pread(fd, block, want, size - (off_t)want);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if ((size_t)got != want) {
			errno = EIO;
			return -1;
		}
		for (size_t i = want; i > 0; i--)
			if (block[i - 1] == '\n')
				return size - (off_t)(want - i);
		size -= (off_t)want;
	}
	return 0;
}

/* Cuts an incomplete last line; *end is the end of the file. */
static int cut_torn(int fd, off_t *end)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	*end = whole_end(fd, st.st_size);
	if (*end < 0)
		return -1;
	return *end < st.st_size ? ftruncate(fd, *end) : 0;
}

static int write_all(int fd, const char *data, size_t size, off_t at)
{
	while (size > 0) {
		ssize_t put = pwrite(fd, data, size, at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -1;
		if (put == 0) {
			errno = ENOSPC;
			return -1;
		}
		data += put;
		size -= (size_t)put;
		at += put;
	}
	return 0;
}

static eh_status append_text(int fd, const char *path, const char *data, size_t size,
                             eh_error *error)
{
	off_t end = 0;

	if (cut_torn(fd, &end) != 0)
		return error_system(error, errno, "cannot append to %s", path);
	if (write_all(fd, data, size, end) != 0 || fdatasync(fd) != 0) {
		int why = errno;
		/* If this fails too, the line has no newline and counts as incomplete. */
		if (ftruncate(fd, end) != 0)
			why = why != 0 ? why : errno;
		return error_system(error, why, "cannot append to %s", path);
	}
	return EH_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const layout *layout_of(enum record_line_kind kind)
{
	switch (kind) {
	case RECORD_LINE_RUN: return record_line_run_layout();
	case RECORD_LINE_EXECUTOR: return record_line_executor_layout();
	case RECORD_LINE_INSTRUMENT: return record_line_instrument_layout();
	case RECORD_LINE_CASE: return record_line_case_layout();
	case RECORD_LINE_PILOT: return record_line_pilot_layout();
	case RECORD_LINE_NOISE: return record_line_noise_layout();
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

/* The chain of a line whose bytes without "chain" are body[0 .. size) and "}". */
static void chain_of(const char before[65], const char *body, size_t size, char out[65])
{
	text t = { 0 };

	text_add(&t, "%s", before);
	text_add_bytes(&t, body, size);
	text_add(&t, "}");
	digest_bytes(t.data, t.size, out);
	text_free(&t);
}

/* malloc'd, with its newline; *chain is changed from that of the line before to its own. */
static char *line_text(const void *line, enum record_line_kind kind, char chain[65], size_t *size)
{
	char *body = layout_text(layout_of(kind), line, false);
	size_t inner = strlen(body) - 1;

	chain_of(chain, body, inner, chain);
	*size = inner + CHAIN_SIZE + 1;
	body = memory_grow(body, *size + 1);
	snprintf(body + inner, CHAIN_SIZE + 2, CHAIN "%s" CHAIN_END "\n", chain);
	return body;
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

static eh_status refuse_altered(const char *path, long offset, eh_error *error)
{
	return error_set(error, EH_E_ALTERED, "%s, line at byte %ld: its chain does not fit: this line or "
	                 "one before it was changed after it was written; run into a new folder", path,
	                 offset);
}

/* Compares the chain of a line with what follows from the line before, and moves *chain on. */
static eh_status check_chain(const char *body, size_t size, const char *path, long offset,
                             char chain[65], eh_error *error)
{
	size_t at = chain_place(body, size);

	if (at == SIZE_MAX)
		return refuse_altered(path, offset, error);
	chain_of(chain, body, at, chain);
	return memcmp(body + at + sizeof(CHAIN) - 1, chain, 64) == 0 ? EH_OK :
	       refuse_altered(path, offset, error);
}

/* Sets *chain to that of the last line, which is checked when it is read. */
static eh_status read_last_chain(int fd, const char *path, char chain[65], eh_error *error)
{
	char end[CHAIN_SIZE + 1];
	struct stat st;

	if (fstat(fd, &st) != 0)
		return error_system(error, errno, "cannot read %s", path);
	if (st.st_size < (off_t)sizeof(end) ||
	    pread(fd, end, sizeof(end), st.st_size - (off_t)sizeof(end)) != (ssize_t)sizeof(end))
		return EH_OK;
	snprintf(chain, 65, "%.64s", end + sizeof(CHAIN) - 1);
	return EH_OK;
}

/* ---- opening and appending ------------------------------------------------------------------- */

static journal *journal_new(int fd, const char *path, const char chain[65])
{
	journal *j = memory_get(sizeof(*j));

	j->fd = fd;
	j->path = memory_text(path);
	memcpy(j->chain, chain, sizeof(j->chain));
	return j;
}

static eh_status refuse_lock(const char *path, eh_error *error)
{
	if (errno == EAGAIN || errno == EACCES)
		return error_set(error, EH_E_UNAVAILABLE, "another evenhand is working in the folder of %s; "
		                 "wait until it has ended", path);
	return error_system(error, errno, "cannot lock %s; choose a folder whose file system has locks",
	                    path);
}

eh_status journal_create(const char *path, const record_line_run *first, journal **out, eh_error *error)
{
	char chain[65] = "";
	size_t size;
	char *body;
	fresh file;
	eh_status status = fresh_open(&file, path, error);
	const int fd = file.fd;

	if (status != EH_OK)
		return status;
	body = line_text(first, RECORD_LINE_RUN, chain, &size);
	status = append_text(fd, path, body, size, error);
	free(body);
	if (status == EH_OK && lock(fd) != 0)
		status = refuse_lock(path, error);
	if (status == EH_OK) {
		status = fresh_place(&file, false, error);
		if (status == EH_E_USAGE)
			(void)error_set(error, EH_E_USAGE, "%s exists: this folder already holds a run; complete it with "
			                "--resume or name another folder with -o", path);
	}
	if (status == EH_OK)
		*out = journal_new(fd, path, chain);
	else
		fresh_drop(&file);
	return status;
}

eh_status journal_open(const char *path, journal **out, eh_error *error)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char chain[65] = "";
	eh_status status;

	if (fd < 0 && errno == ENOENT)
		return error_set(error, EH_E_NOT_FOUND, "there is no journal %s", path);
	if (fd < 0)
		return error_system(error, errno, "cannot open %s", path);
	status = lock(fd) == 0 ? append_text(fd, path, "", 0, error) : refuse_lock(path, error);
	if (status == EH_OK)
		status = read_last_chain(fd, path, chain, error);
	if (status != EH_OK) {
		close(fd);
		return status;
	}
	*out = journal_new(fd, path, chain);
	return EH_OK;
}

eh_status journal_append(journal *j, const record_line *line, eh_error *error)
{
	char chain[65];
	char *body;
	size_t size;
	eh_status status;

	memcpy(chain, j->chain, sizeof(chain));
	body = line_text(line, line->kind, chain, &size);
	status = append_text(j->fd, j->path, body, size, error);
	if (status == EH_OK)
		memcpy(j->chain, chain, sizeof(chain));
	free(body);
	return status;
}

void journal_close(journal *j)
{
	if (j == NULL)
		return;
	close(j->fd);
	free(j->path);
	free(j);
}

/* ---- reading --------------------------------------------------------------------------------- */

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

/* The bytes body[0 .. size) of a line become those without its chain. */
static size_t cut_chain(char *body, size_t size)
{
	size_t at = chain_place(body, size);

	if (at == SIZE_MAX)
		return size;
	body[at] = '}';
	return at + 1;
}

static eh_status decode_line(char *body, size_t size, const char *path, long offset,
                             record_line *line, eh_error *error)
{
	char *name = memory_format("%s, line at byte %ld", path, offset);
	json_scan s = json_scan_of(body, (json_span){ 0, cut_chain(body, size) }, 0, name, error);
	enum record_line_kind kind = kind_of(s);
	eh_status status;

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

static FILE *open_at(const char *path, long offset, eh_status *status, eh_error *error)
{
	FILE *in = fopen(path, "re");

	if (in == NULL && errno == ENOENT)
		*status = error_set(error, EH_E_NOT_FOUND, "there is no journal %s", path);
	else if (in == NULL)
		*status = error_system(error, errno, "cannot read %s", path);
	if (in != NULL && fseek(in, offset, SEEK_SET) != 0) {
		*status = error_system(error, errno, "cannot read %s", path);
		fclose(in);
		in = NULL;
	}
	return in;
}

/* Checks a line and hands it over. */
static eh_status take_line(char *body, size_t size, const char *path, journal_cursor *at,
                           journal_visit visit, void *context, eh_error *error)
{
	record_line decoded;
	eh_status status = check_chain(body, size, path, at->offset, at->chain, error);

	if (status != EH_OK)
		return status;
	status = decode_line(body, size, path, at->offset, &decoded, error);
	if (status != EH_OK)
		return status;
	status = visit(context, &decoded, at->offset, error);
	record_line_clear(&decoded);
	at->offset += (long)size + 1;
	return status;
}

eh_status journal_each_from(const char *path, journal_cursor *cursor, journal_visit visit,
                            void *context, eh_error *error)
{
	eh_status status = EH_OK;
	FILE *in = open_at(path, cursor->offset, &status, error);
	char *line = NULL;
	size_t room = 0;
	ssize_t size;

	if (in == NULL)
		return status;
	while (status == EH_OK && (size = getline(&line, &room, in)) > 0 && line[size - 1] == '\n')
		status = take_line(line, (size_t)size - 1, path, cursor, visit, context, error);
	if (status == EH_OK && ferror(in))
		status = error_system(error, errno, "cannot read %s", path);
	free(line);
	fclose(in);
	return status;
}

eh_status journal_each(const char *path, journal_visit visit, void *context, eh_error *error)
{
	journal_cursor start = { 0 };

	return journal_each_from(path, &start, visit, context, error);
}

eh_status journal_line_at(const char *path, long offset, record_line *line, eh_error *error)
{
	eh_status status = EH_OK;
	FILE *in = open_at(path, offset, &status, error);
	char *body = NULL;
	size_t room = 0;
	ssize_t size;

	memset(line, 0, sizeof(*line));
	if (in == NULL)
		return status;
	size = getline(&body, &room, in);
	if (size > 0 && body[size - 1] == '\n')
		status = decode_line(body, (size_t)size - 1, path, offset, line, error);
	else
		status = error_set(error, EH_E_FORMAT, "%s: no whole line at byte %ld", path, offset);
	free(body);
	fclose(in);
	return status;
}
