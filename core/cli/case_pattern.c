/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/case_pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NEAR_MOST = 3 };

/* How a pattern is compared with ids, the strictest way first. */
enum way { WAY_ID, WAY_PATTERN, WAY_WORDS, WAYS };

/* Whether a word is that of the id, of `size` bytes, also as "64M" for "64MiB". */
static bool same_word(const char *word, size_t word_size, const char *of, size_t size)
{
	bool cut = size == word_size + 2 && size > 3 && strncmp(of + word_size, "iB", 2) == 0;

	return (word_size == size || cut) && strncmp(word, of, word_size) == 0;
}

/* Whether the words are words of the id in its order, and the first is its first. */
static bool has_words(const char *pattern, const char *id)
{
	for (bool first = true; *pattern != '\0'; first = false) {
		size_t word_size = strcspn(pattern, "."), size = strcspn(id, ".");

		while (!first && *id != '\0' && !same_word(pattern, word_size, id, size)) {
			id += size + (id[size] == '.');
			size = strcspn(id, ".");
		}
		if (!same_word(pattern, word_size, id, size))
			return false;
		pattern += word_size + (pattern[word_size] == '.');
		id += size + (id[size] == '.');
	}
	return true;
}

static bool matches(enum way way, const char *pattern, const char *id)
{
	return way == WAY_ID ? strcmp(pattern, id) == 0 :
	       way == WAY_PATTERN ? fnmatch(pattern, id, 0) == 0 : has_words(pattern, id);
}

static bool add_matches(enum way way, const char *pattern, const char *const *ids, size_t count,
                        text_list *out)
{
	bool found = false;

	for (size_t i = 0; i < count; i++)
		if (matches(way, pattern, ids[i])) {
			found = true;
			if (!text_list_has(out, ids[i]))
				text_list_add(out, ids[i]);
		}
	return found;
}

/* malloc'd: each run of spaces as a dot. */
static char *dotted(const char *pattern)
{
	char *copy = memory_text(pattern), *to = copy;

	for (const char *from = pattern; *from != '\0'; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from == ' ' ? '.' : *from;
	*to = '\0';
	return copy;
}

/* The first word of an id or a pattern, malloc'd. */
static char *first_word(const char *s)
{
	return memory_format("%.*s", (int)strcspn(s, ". *?["), s);
}

/* malloc'd: the first word that ids have and that is nearest to the pattern's; NULL. */
static char *near_word(const char *pattern, const char *const *ids, size_t count)
{
	char **words = memory_get((count + 1) * sizeof(*words)), *first = first_word(pattern);
	const char *near;
	char *found;

	for (size_t i = 0; i < count; i++)
		words[i] = first_word(ids[i]);
	near = text_nearest(first, (const char *const *)words, count);
	found = near != NULL ? memory_text(near) : NULL;
	for (size_t i = 0; i < count; i++)
		free(words[i]);
	free(words);
	free(first);
	return found;
}

/* Adds ids of that first word, NULL: all, up to a few; returns how many there are. */
static size_t add_near(text *names, const char *word, const char *const *ids, size_t count)
{
	size_t size = word != NULL ? strlen(word) : 0, found = 0;

	for (size_t i = 0; i < count; i++) {
		if (word != NULL && (strncmp(ids[i], word, size) != 0 || strchr(".", ids[i][size]) == NULL))
			continue;
		if (found < NEAR_MOST)
			text_add(names, "%s%s", found > 0 ? ", " : "", ids[i]);
		found++;
	}
	return found;
}

static eh_status refuse(const char *pattern, const char *const *ids, size_t count, const char *source,
                        eh_error *error)
{
	const char *near = text_nearest(pattern, ids, count);
	text names = { 0 };
	char *word = near_word(pattern, ids, count);
	size_t found = near == NULL ? add_near(&names, word, ids, count) : 0;

	free(word);
	if (near != NULL)
		(void)error_set(error, EH_E_USAGE, "there is no case '%.80s' in %s; did you mean '%s'?", pattern,
		                source, near);
	else
		(void)error_set(error, EH_E_USAGE, "there is no case '%.80s' in %s; there is %s%s", pattern,
		                source, found > 0 ? names.data : "none", found > NEAR_MOST ? ", ..." : "");
	text_free(&names);
	return EH_E_USAGE;
}

eh_status case_pattern_match(const char *pattern, const char *const *ids, size_t count,
                             const char *source, text_list *out, eh_error *error)
{
	char *plain = dotted(pattern);
	bool found = false;

	for (enum way way = WAY_ID; way < WAYS && !found; way++)
		found = add_matches(way, plain, ids, count, out);
	free(plain);
	return found ? EH_OK : refuse(pattern, ids, count, source, error);
}

/* Those that the first result has are not repeated. */
static const char **ids_of(result *const *results, size_t count, size_t *out)
{
	const char **ids = NULL;
	size_t room = 0;

	*out = 0;
	for (size_t i = 0; i < count; i++)
		room += results[i]->row_count;
	ids = memory_get((room + 1) * sizeof(*ids));
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < results[i]->row_count; k++) {
			const char *id = results[i]->rows[k].id;
			bool known = i > 0 && k < results[0]->row_count &&
			             strcmp(results[0]->rows[k].id, id) == 0;

			if (!known)
				ids[(*out)++] = id;
		}
	return ids;
}

eh_status case_pattern_select(const option_list *patterns, result *const *results, size_t count,
                              text_list *out, eh_error *error)
{
	size_t id_count;
	const char **ids = ids_of(results, count, &id_count);
	char *source = count == 1 ? memory_text(results[0]->path)
	                          : memory_format("%zu results", count);
	eh_status status = EH_OK;

	for (size_t i = 0; i < patterns->count && status == EH_OK; i++)
		status = case_pattern_match(patterns->items[i], ids, id_count, source, out, error);
	free(source);
	free(ids);
	return status;
}
