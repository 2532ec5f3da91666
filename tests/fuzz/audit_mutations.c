/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds the readers of results, signatures, amendments and bundles with files as they are and with
 * damaged copies.  Prints "HELD REFUSED"; a crash, a hang or a damaged file that holds with another
 * meaning is for the caller and the sanitizers to see.
 * usage: audit_mutations SEED ROUNDS FOLDER FILE...   (FOLDER is written to)
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/inspect.h"
#include "base/files.h"
#include "base/text.h"

static uint64_t state;

static size_t below(size_t n)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return n > 0 ? (size_t)(state >> 33) % n : 0;
}

/* One to four edits: a byte, a run taken out, a run doubled, the end cut. */
static size_t damage(char *data, size_t size)
{
	for (size_t edits = 1 + below(4); edits > 0 && size > 8; edits--) {
		size_t at = below(size);
		size_t length = 1 + below(size - at < 64 ? size - at : 64);

		switch (below(4)) {
		case 0:
			data[at] = (char)below(256);
			break;
		case 1:
			memmove(data + at, data + at + length, size - at - length);
			size -= length;
			break;
		case 2:
			data[at] = "{}[]\",:0-\\"[below(10)];
			break;
		default:
			if (below(8) == 0)
				size = at;
		}
	}
	return size;
}

static bool put(const char *path, const char *data, size_t size)
{
	FILE *f = fopen(path, "w");
	bool ok = f != NULL && fwrite(data, 1, size, f) == size;

	return f != NULL && fclose(f) == 0 && ok;
}

static bool holds(const char *path)
{
	eh_error error = ERROR_INIT;
	audit_verification all;
	bool sound;

	layout_init(audit_verification_layout(), &all);
	sound = audit_inspect(path, NULL, &all, &error) == EH_OK && all.reports.count > 0;
	for (size_t i = 0; i < all.reports.count; i++)
		sound = sound && all.reports.items[i].answer <= AUDIT_HOLDS;
	layout_clear(audit_verification_layout(), &all);
	return sound;
}

static bool ends_with(const char *s, const char *end)
{
	return strlen(s) >= strlen(end) && strcmp(s + strlen(s) - strlen(end), end) == 0;
}

/* The file under a name of ours, with what is beside it; false when it could not be written. */
static bool place(const char *folder, const char *file, const char *damaged, const char *data,
                  size_t size, char **subject)
{
	static const char *const suffixes[] = { "", ".sig", ".amendments" };
	char *base = memory_text(file);
	bool ok = true;

	if (ends_with(base, ".sig"))
		base[strlen(base) - 4] = '\0';
	else if (ends_with(base, ".amendments"))
		base[strlen(base) - 11] = '\0';
	*subject = memory_format("%s/mutated", folder);
	for (size_t i = 0; i < 3; i++) {
		char *from = memory_format("%s%s", base, suffixes[i]);
		char *to = memory_format("%s%s", *subject, suffixes[i]);
		char *copy = NULL;
		size_t count = 0;

		(void)remove(to);
		if (strcmp(from, damaged) == 0)
			ok = ok && put(to, data, size);
		else if (file_exists(from) && file_read(from, &copy, &count, NULL) == EH_OK)
			ok = ok && put(to, copy, count);
		free(copy);
		free(to);
		free(from);
	}
	free(base);
	return ok;
}

int main(int argc, char **argv)
{
	size_t held = 0, refused = 0;

	if (argc < 5)
		return 4;
	state = strtoull(argv[1], NULL, 10);
	for (unsigned long round = 0, rounds = strtoul(argv[2], NULL, 10); round < rounds; round++) {
		const char *file = argv[4 + round % (unsigned long)(argc - 4)];
		char *data, *subject = NULL;
		size_t size;
		bool first = round < (unsigned long)(argc - 4);

		if (file_read(file, &data, &size, NULL) != EH_OK)
			return 5;
		/* As they are, once. */
		if (!first)
			size = damage(data, size);
		if (!place(argv[3], file, file, data, size, &subject))
			return 5;
		if (holds(subject))
			held++;
		else
			refused++;
		free(subject);
		free(data);
	}
	printf("%zu %zu\n", held, refused);
	return 0;
}
