/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/labels.h"
#include "report/report.h"

enum { WORDS_MOST = 12 };

/* An id in words, and the first id that begins with the same one. */
typedef struct words { char *items[WORDS_MOST]; size_t count, group; } words;

/* "64MiB" as "64M", any other word as it is. */
static char *shortened(const char *word, size_t size)
{
	size_t digits = 0;

	while (digits < size && isdigit((unsigned char)word[digits]))
		digits++;
	if (digits > 0 && size == digits + 3 && strchr("KMG", word[digits]) != NULL &&
	    strncmp(word + digits + 1, "iB", 2) == 0)
		size = digits + 1;
	return memory_format("%.*s", (int)size, word);
}

static void split(words *w, const char *id)
{
	do {
		size_t size = w->count + 1 < WORDS_MOST ? strcspn(id, ".") : strlen(id);

		w->items[w->count++] = shortened(id, size);
		id += size;
		id += *id == '.';
	} while (*id != '\0');
}

static words *split_all(const char *const *ids, size_t count)
{
	words *all = memory_get((count + 1) * sizeof(*all));

	for (size_t i = 0; i < count; i++) {
		split(&all[i], ids[i]);
		while (strcmp(all[all[i].group].items[0], all[i].items[0]) != 0)
			all[i].group++;
	}
	return all;
}

static void free_all(words *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < all[i].count; k++)
			free(all[i].items[k]);
	free(all);
}

/* ---- leaving words out ----------------------------------------------------------------------- */

static size_t width_at(const words *all, size_t count, size_t k)
{
	size_t most = 0;

	for (size_t i = 0; i < count; i++)
		if (k < all[i].count && table_width(all[i].items[k]) > most)
			most = table_width(all[i].items[k]);
	return most;
}

static size_t width_of(const words *all, size_t count)
{
	size_t sum = 0;

	for (size_t k = 0; k < WORDS_MOST && width_at(all, count, k) > 0; k++)
		sum += width_at(all, count, k) + (k > 0);
	return sum;
}

/* Whether all ids of the group have the same word at k. */
static bool shared_at(const words *all, size_t count, size_t group, size_t k)
{
	for (size_t i = group; i < count; i++)
		if (all[i].group == group &&
		    (k >= all[i].count || strcmp(all[i].items[k], all[group].items[k]) != 0))
			return false;
	return true;
}

static void drop_at(words *all, size_t count, size_t group, size_t k)
{
	for (size_t i = group; i < count; i++) {
		if (all[i].group != group)
			continue;
		free(all[i].items[k]);
		all[i].count--;
		memmove(&all[i].items[k], &all[i].items[k + 1],
		        (all[i].count - k) * sizeof(all[i].items[0]));
	}
}

/* The place of the longest word that a group shares, the last of several; 0: it shares none. */
static size_t longest_shared(const words *all, size_t count, size_t group)
{
	size_t place = 0;

	for (size_t k = 1; k < all[group].count; k++)
		if ((place == 0 ||
		     table_width(all[group].items[k]) >= table_width(all[group].items[place])) &&
		    shared_at(all, count, group, k))
			place = k;
	return place;
}

/* Leaves out the longest shared words of all groups; false where there is none. */
static bool drop_longest(words *all, size_t count)
{
	size_t *places = memory_get((count + 1) * sizeof(*places)), longest = 0;

	for (size_t i = 0; i < count; i++) {
		places[i] = all[i].group == i ? longest_shared(all, count, i) : 0;
		if (places[i] > 0 && table_width(all[i].items[places[i]]) > longest)
			longest = table_width(all[i].items[places[i]]);
	}
	for (size_t i = 0; i < count; i++)
		if (places[i] > 0 && table_width(all[i].items[places[i]]) == longest)
			drop_at(all, count, i, places[i]);
	free(places);
	return longest > 0;
}

/* ---- the labels ------------------------------------------------------------------------------ */

static bool begin_alike(const words *a, const words *b, size_t words_count)
{
	for (size_t k = 0; k < words_count; k++)
		if (k >= b->count || strcmp(a->items[k], b->items[k]) != 0)
			return false;
	return true;
}

static char *brief_of(const words *all, size_t count, size_t at)
{
	size_t needed = 1;
	text t = { 0 };

	for (size_t i = 0; i < count; i++)
		while (i != at && needed < all[at].count && begin_alike(&all[at], &all[i], needed))
			needed++;
	for (size_t k = 0; k < needed; k++)
		text_add(&t, "%s%s", k > 0 ? " " : "", all[at].items[k]);
	return t.data;
}

static char *full_of(const words *w, const size_t *widths)
{
	text t = { 0 };

	for (size_t k = 0; k < w->count; k++) {
		size_t fill = k + 1 < w->count ? widths[k] - table_width(w->items[k]) + 1 : 0;

		text_add(&t, "%s%*s", w->items[k], (int)fill, "");
	}
	return t.data;
}

void labels_cases(labels *l, const char *const *ids, size_t count, size_t width)
{
	words *all = split_all(ids, count);
	size_t widths[WORDS_MOST];

	while (width_of(all, count) > width && drop_longest(all, count)) {
	}
	for (size_t k = 0; k < WORDS_MOST; k++)
		widths[k] = width_at(all, count, k);
	*l = (labels){ memory_get((count + 1) * sizeof(*l->full)),
		       memory_get((count + 1) * sizeof(*l->brief)), count };
	for (size_t i = 0; i < count; i++) {
		l->full[i] = full_of(&all[i], widths);
		l->brief[i] = brief_of(all, count, i);
	}
	free_all(all, count);
}

char *labels_words(const char *full)
{
	char *copy = memory_text(full), *to = copy;

	for (const char *from = full; *from != '\0'; from++)
		if (*from != ' ' || from[1] != ' ')
			*to++ = *from;
	*to = '\0';
	return copy;
}

void labels_clear(labels *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->full[i]);
		free(l->brief[i]);
	}
	free(l->full);
	free(l->brief);
	*l = (labels){ 0 };
}
