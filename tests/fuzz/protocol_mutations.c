/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads protocols that were damaged at random.  Each must be taken, and then give the same plan
 * when read again, or be refused with one sentence that begins with the name of the file.
 *
 * usage: protocol_mutations SEED ROUNDS FILE...
 * Prints "N taken, N refused" or, with exit status 1, what went wrong and with which text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/protocol_fakes.h"
#include "base/files.h"
#include "base/random.h"
#include "base/text.h"
#include "protocol/plan.h"

enum { SIZE_MAX_KEPT = 1 << 16 };

typedef struct sample { char *data; size_t size; } sample;

static const char *const tokens[] = {
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
enum { TOKENS = sizeof(tokens) / sizeof(tokens[0]) };

static void splice(sample *s, size_t at, size_t drop, const char *with, size_t size)
{
	char *made;

	if (s->size - drop + size > SIZE_MAX_KEPT)
		return;
	made = memory_get(s->size - drop + size + 1);
	memcpy(made, s->data, at);
	memcpy(made + at, with, size);
	memcpy(made + at + size, s->data + at + drop, s->size - at - drop);
	free(s->data);
	s->data = made;
	s->size = s->size - drop + size;
}

/* Start and size, with its newline, of a line picked at random. */
static void pick_line(random_state *r, const sample *s, size_t *at, size_t *size)
{
	size_t from = (size_t)random_below(r, s->size), to = from;

	while (from > 0 && s->data[from - 1] != '\n')
		from--;
	while (to < s->size && s->data[to] != '\n')
		to++;
	*at = from;
	*size = to - from + (to < s->size);
}

static void mutate_once(random_state *r, sample *s, const sample *all, size_t count)
{
	uint64_t kind = random_below(r, 12);
	const char *token = tokens[random_below(r, TOKENS)];
	const sample *other = &all[random_below(r, count)];
	size_t at = s->size > 0 ? (size_t)random_below(r, s->size) : 0, from, size;
	char byte = (char)random_below(r, 256), *copy;

	if (s->size == 0 || kind < 2) {
		splice(s, at, 0, token, strlen(token));
		return;
	}
	switch (kind) {
	case 2: /* one byte becomes another */
		s->data[at] = byte;
		return;
	case 3: /* one bit */
		s->data[at] = (char)(s->data[at] ^ (1 << random_below(r, 8)));
		return;
	case 4: /* a NUL */
		splice(s, at, 0, "", 1);
		return;
	case 5: /* some bytes go */
		size = (size_t)random_below(r, 20);
		splice(s, at, size < s->size - at ? size : s->size - at, "", 0);
		return;
	case 6: /* the end goes */
		splice(s, at, s->size - at, "", 0);
		return;
	case 7: /* a line goes */
		pick_line(r, s, &from, &size);
		splice(s, from, size, "", 0);
		return;
	case 8: /* a line comes twice, maybe elsewhere */
		pick_line(r, s, &from, &size);
		copy = memory_get(size + 1);
		memcpy(copy, s->data + from, size);
		pick_line(r, s, &at, &from);
		splice(s, at, 0, copy, size);
		free(copy);
		return;
	case 9: /* a word is replaced */
		size = 0;
		while (at + size < s->size && s->data[at + size] > ' ')
			size++;
		splice(s, at, size, token, strlen(token));
		return;
	case 10: /* a stretch is repeated, to make long lines */
		size = (size_t)random_below(r, s->size - at < 300 ? s->size - at : 300);
		copy = memory_get(size + 1);
		memcpy(copy, s->data + at, size);
		splice(s, at, 0, copy, size);
		free(copy);
		return;
	default: /* a line of another file */
		if (other->size == 0)
			return;
		pick_line(r, other, &from, &size);
		splice(s, at, 0, other->data + from, size);
		return;
	}
}

static int complain(const sample *s, const char *what, const char *message)
{
	printf("%s: '%s'\n--- the text, %zu bytes:\n", what, message, s->size);
	fwrite(s->data, 1, s->size, stdout);
	puts("\n---");
	return 1;
}

/* 0, or 1 after having complained; counts what became of it. */
static int examine(const sample *s, size_t *taken, size_t *refused)
{
	static const char source[] = "fuzzed.ini";
	char digest[65] = "";

	for (int again = 0; again < 2; again++) {
		eh_error error = ERROR_INIT;
		protocol *p = NULL;
		plan *made = NULL;
		eh_status status = protocol_parse(s->data, s->size, source, &p, &error);

		if (status == EH_OK)
			status = plan_make(p, fake_find, NULL, &made, &error);
		if (status == EH_OK) {
			bool same = again == 0 || strcmp(digest, made->digest) == 0;

			memcpy(digest, made->digest, sizeof(digest));
			*taken += again == 0;
			if (!same || made->case_count == 0 || made->case_count > 10000)
				return complain(s, "the plan is not sound", made->digest);
		}
		plan_free(made);
		protocol_free(p);
		if (status == EH_OK)
			continue;
		*refused += 1;
		if (status != EH_E_USAGE || error.code != status)
			return complain(s, "the status is another than usage", error.message);
		if (strncmp(error.message, source, strlen(source)) != 0 ||
		    strlen(error.message) < strlen(source) + 10)
			return complain(s, "the message does not name the file", error.message);
		for (const char *m = error.message; *m != '\0';) {
			size_t size = text_utf8_size(m, strlen(m));

			if (size == 0 || (unsigned char)*m < 0x20)
				return complain(s, "the message is not one line of text", error.message);
			m += size;
		}
		return 0;
	}
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t seed, rounds;
	size_t count, taken = 0, refused = 0;
	sample *all;
	random_state r;

	if (argc < 4 || !text_parse_uint(argv[1], &seed) || !text_parse_uint(argv[2], &rounds)) {
		fputs("usage: protocol_mutations SEED ROUNDS FILE...\n", stderr);
		return 2;
	}
	count = (size_t)argc - 3;
	all = memory_get(count * sizeof(*all));
	for (size_t i = 0; i < count; i++) {
		eh_error error = ERROR_INIT;

		if (file_read(argv[3 + i], &all[i].data, &all[i].size, &error) != EH_OK) {
			printf("%s\n", error.message);
			return 2;
		}
		if (examine(&all[i], &taken, &refused) != 0)
			return 1;
	}
	random_seed(&r, seed);
	for (uint64_t i = 0; i < rounds; i++) {
		const sample *from = &all[random_below(&r, count)];
		sample s = { .data = memory_get(from->size + 1), .size = from->size };
		uint64_t times = 1 + random_below(&r, 3);
		int bad;

		memcpy(s.data, from->data, from->size);
		for (uint64_t k = 0; k < times; k++)
			mutate_once(&r, &s, all, count);
		/* Exactly as large as it is, so that a read beyond it is found by the sanitizer. */
		s.data = memory_grow(s.data, s.size);
		bad = examine(&s, &taken, &refused);
		free(s.data);
		if (bad != 0)
			return 1;
	}
	for (size_t i = 0; i < count; i++)
		free(all[i].data);
	free(all);
	printf("%zu taken, %zu refused\n", taken, refused);
	return 0;
}
