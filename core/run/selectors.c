/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/layout.h"
#include "base/log.h"
#include "base/text.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "run/discover.h"

typedef struct choice {
	const discover_backend_list *backends;
	selected *items;
	size_t item_count;
	size_t copies;        /* of an executor that the selector at hand may choose              */
	size_t usable;        /* devices that it names                                            */
	const discover_device *unusable; /* one that it names and that cannot be used, or NULL      */
} choice;

static void add(choice *c, const discover_backend *b, const discover_device *d)
{
	size_t there = 0;

	for (size_t i = 0; i < c->item_count; i++)
		there += strcmp(c->items[i].device->executor, d->executor) == 0;
	if (there >= c->copies)
		return;
	c->items = memory_grow(c->items, (c->item_count + 1) * sizeof(*c->items));
	c->items[c->item_count].backend = b;
	c->items[c->item_count].device = d;
	c->item_count++;
}

static char *what_there_is(const choice *c)
{
	text t = { 0 };

	for (size_t b = 0; b < c->backends->count; b++) {
		const discover_device_list *devices = &c->backends->items[b].devices;

		for (size_t d = 0; d < devices->count; d++)
			if (discover_is(devices->items[d].status, EH_OK))
				text_add(&t, "%s%s", t.size > 0 ? ", " : "",
				         devices->items[d].executor);
	}
	if (t.size == 0)
		text_add(&t, "nothing");
	return t.data;
}

/* Ways in which a word may name a device, in the order in which they are tried: the first that finds
 * a device, usable or not, decides.  So a word that is part of a device's id never means another
 * device of which it describes something. */
enum how { HOW_ID, HOW_INDEX, HOW_ID_PART, HOW_PART, HOW_BACKEND };

typedef struct match {
	const char *backend;   /* NULL: any                                                     */
	enum how how;
	const char *word;
	uint64_t index;        /* when HOW_INDEX                                                */
} match;

static bool holds(const char *where, const char *word)
{
	return where != NULL && strcasestr(where, word) != NULL;
}

static bool matches(const discover_device *d, const match *m)
{
	const record_device *is = &d->device;

	switch (m->how) {
	case HOW_ID:
		return is->id != NULL && strcasecmp(is->id, m->word) == 0;
	case HOW_INDEX:
		return d->index == m->index;
	case HOW_ID_PART:
		return holds(is->id, m->word);
	case HOW_PART:
		return holds(is->name, m->word) || holds(is->platform, m->word);
	default:
		return true;
	}
}

typedef void (*match_visit)(choice *c, const discover_backend *b, const discover_device *d);

/* Calls the function for each device that matches; how many there are. */
static size_t each_match(choice *c, const match *m, match_visit visit)
{
	size_t found = 0;

	for (size_t b = 0; b < c->backends->count; b++) {
		const discover_backend *at = &c->backends->items[b];

		if (m->backend != NULL && strcmp(at->name, m->backend) != 0)
			continue;
		for (size_t i = 0; i < at->devices.count; i++)
			if (matches(&at->devices.items[i], m)) {
				visit(c, at, &at->devices.items[i]);
				found++;
			}
	}
	return found;
}

/* Takes a device, or counts it as unusable. */
static void take(choice *c, const discover_backend *b, const discover_device *d)
{
	if (discover_is(d->status, EH_OK)) {
		add(c, b, d);
		c->usable++;
	} else if (c->unusable == NULL) {
		c->unusable = d;
	}
}

static void tell_unusable(choice *c, const discover_backend *b, const discover_device *d)
{
	(void)c;
	(void)b;
	if (!discover_is(d->status, EH_OK))
		log_write(EH_LOG_WARN, "%s is left out: %s", d->executor, text_or_empty(d->reason));
}

/* A number is an id or an index, never a part of something. */
static bool applies(enum how how, const char *word, bool number)
{
	switch (how) {
	case HOW_ID:
		return word != NULL;
	case HOW_INDEX:
		return word != NULL && number;
	case HOW_BACKEND:
		return word == NULL;
	default:
		return word != NULL && !number;
	}
}

/* Finds what the word names; NULL: all of the backend. */
static void find(choice *c, const char *backend, const char *word)
{
	match m = { .backend = backend, .word = word };
	bool number = word != NULL && text_parse_uint(word, &m.index);
	size_t found = 0;

	for (m.how = HOW_ID; found == 0 && m.how <= HOW_BACKEND; m.how++)
		found = applies(m.how, word, number) ? each_match(c, &m, take) : 0;
	m.how--;
	if (c->usable > 0 && c->unusable != NULL)
		(void)each_match(c, &m, tell_unusable);
}

/* The backend of that name; of several files, the usable one. */
static const discover_backend *backend_named(const choice *c, const char *name)
{
	const discover_backend *found = NULL;

	for (size_t b = 0; b < c->backends->count; b++) {
		const discover_backend *at = &c->backends->items[b];

		if (strcmp(at->name, name) == 0 &&
		    (found == NULL || discover_is(at->status, EH_OK)))
			found = at;
	}
	return found;
}

/* A file that was not loaded because another one of its name was found first. */
static bool is_shadowed(const discover_backend *b)
{
	return discover_is(b->status, EH_E_INVALID_ARGUMENT) && text_or_empty(b->title)[0] == '\0';
}

/* A file that may not be used, while another one of its name is. */
static bool is_refused(const discover_backend *b, const discover_backend *used)
{
	return b != used && strcmp(b->name, used->name) == 0 && discover_is(used->status, EH_OK) &&
	       !discover_is(b->status, EH_OK) && !is_shadowed(b);
}

void discover_tell_refused(const discover_report *here, const discover_backend *used)
{
	for (size_t i = 0; i < here->backends.count; i++)
		if (is_refused(&here->backends.items[i], used))
			log_write(EH_LOG_WARN, "%s is used as backend %s; another file of that name is refused: %s",
			          used->path, used->name, text_or_empty(here->backends.items[i].reason));
}

/* Each backend of a choice once. */
static void tell_refused(const discover_report *here, const choice *c)
{
	for (size_t i = 0; i < c->item_count; i++) {
		size_t earlier = 0;

		while (earlier < i && c->items[earlier].backend != c->items[i].backend)
			earlier++;
		if (earlier == i)
			discover_tell_refused(here, c->items[i].backend);
	}
}

/* What the backend told of what it found: why something that was named may not be there. */
static char *what_it_says(const discover_backend *b)
{
	text t = { 0 };

	for (size_t i = 0; i < b->notes.count; i++)
		text_add(&t, "%s%s", i == 0 ? "; the backend says: " : " ", b->notes.items[i]);
	return t.data != NULL ? t.data : memory_text("");
}

static eh_status refuse_unknown(const choice *c, const char *selector, const char *backend, eh_error *error)
{
	const discover_backend *named = backend_named(c, backend);
	char *there = what_there_is(c), *says = named != NULL ? what_it_says(named) : memory_text("");
	eh_status status;

	if (named != NULL && !discover_is(named->status, EH_OK))
		status = error_set(error, EH_E_UNAVAILABLE, "the backend %s cannot be used: %s", backend,
		                   named->reason);
	else if (named != NULL)
		status = error_set(error, EH_E_USAGE, "no executor matches '%s'; usable here: %s%s",
		                   selector, there, says);
	else
		status = error_set(error, EH_E_USAGE, "there is no backend '%s' for '%s'; usable here: "
		                   "%s", backend, selector, there);
	free(says);
	free(there);
	return status;
}

static eh_status refuse_unusable(const discover_device *d, eh_error *error)
{
	return error_set(error, EH_E_UNAVAILABLE, "%s is there but cannot be used: %s", d->executor,
	                 text_or_empty(d->reason));
}

static eh_status select_one(choice *c, const char *selector, eh_error *error)
{
	const bool all = strcmp(selector, "all") == 0;
	const char *colon = strchr(selector, ':');
	char *backend = memory_format("%.*s", (int)strcspn(selector, ":"), selector);
	eh_status status = EH_OK;

	c->usable = 0;
	c->unusable = NULL;
	/* "host:" names nothing. */
	if (colon == NULL || colon[1] != '\0')
		find(c, all ? NULL : backend, colon != NULL ? colon + 1 : NULL);
	if (c->usable == 0 && c->unusable != NULL)
		status = refuse_unusable(c->unusable, error);
	else if (c->usable == 0 && all)
		status = error_set(error, EH_E_UNAVAILABLE, "no executor is usable here; `evenhand "
		                   "devices` says what is missing");
	else if (c->usable == 0)
		status = refuse_unknown(c, selector, backend, error);
	free(backend);
	return status;
}

static char *trimmed(char *s)
{
	size_t length;

	s += strspn(s, " \t");
	length = strlen(s);
	while (length > 0 && (s[length - 1] == ' ' || s[length - 1] == '\t'))
		s[--length] = '\0';
	return s;
}

static bool is_probe(const char *name)
{
	plugin_file *files = NULL;
	size_t count = plugin_search(PLUGIN_PROBE, &files);
	bool found = false;

	for (size_t i = 0; i < count && !found; i++)
		found = strcmp(files[i].name, name) == 0;
	plugin_files_free(files, count);
	return found;
}

/* Every --set must name a usable backend or a probe. */
static eh_status check_settings(const choice *c, eh_error *error)
{
	const char *const *options = host_options();

	for (size_t i = 0; options[i] != NULL; i++) {
		char *name = memory_format("%.*s", (int)strcspn(options[i], "."), options[i]);
		const discover_backend *named = backend_named(c, name);
		eh_status status = EH_OK;

		if (named == NULL && is_probe(name))
			status = EH_OK;
		else if (named == NULL)
			status = error_set(error, EH_E_USAGE, "--set %s: there is no backend '%s'; "
			                   "`evenhand devices` lists them", options[i], name);
		else if (!discover_is(named->status, EH_OK))
			status = error_set(error, EH_E_USAGE, "--set %s: backend %s cannot be used: %s",
			                   options[i], name, named->reason != NULL ? named->reason : "");
		free(name);
		if (status != EH_OK)
			return status;
	}
	return EH_OK;
}

/* Warns of backends that `all` leaves out: in one line of those that only lack a driver, as on
 * most machines. */
static void tell_left_out(const choice *c)
{
	char *absent = memory_text("");

	for (size_t b = 0; b < c->backends->count; b++) {
		const discover_backend *one = &c->backends->items[b];

		if (discover_is_absent(one)) {
			char *longer = memory_format("%s%s%s", absent, absent[0] != '\0' ? ", " : "", one->name);

			free(absent);
			absent = longer;
		} else if (!discover_is(one->status, EH_OK) && !is_refused(one, backend_named(c, one->name))) {
			log_write(EH_LOG_WARN, "backend %s is left out: %s", one->name,
			          one->reason != NULL ? one->reason : "");
		}
	}
	if (absent[0] != '\0')
		log_write(EH_LOG_WARN, "left out, because they cannot be used here: %s (`evenhand devices` says "
		          "why)", absent);
	free(absent);
}

/* How often that word stands in the list up to there. */
static size_t times_named(const text_list *words, size_t last)
{
	size_t times = 0;

	for (size_t i = 0; i <= last; i++)
		times += strcmp(words->items[i], words->items[last]) == 0;
	return times;
}

text_list discover_words(const char *selectors)
{
	char *copy = memory_text(selectors != NULL ? selectors : "all"), *rest = copy, *one;
	text_list words = { 0 };

	while ((one = strsep(&rest, ",")) != NULL)
		text_list_add(&words, trimmed(one));
	free(copy);
	return words;
}

eh_status discover_select(const discover_report *here, const char *selectors, selected **out,
                          size_t *out_count, eh_error *error)
{
	choice c = { .backends = &here->backends };
	eh_status status = check_settings(&c, error);
	text_list words = discover_words(selectors);

	if (selectors == NULL || strcmp(selectors, "all") == 0)
		tell_left_out(&c);
	for (size_t i = 0; i < words.count && status == EH_OK; i++) {
		c.copies = times_named(&words, i);
		status = words.items[i][0] != '\0' ? select_one(&c, words.items[i], error)
		                                   : error_set(error, EH_E_USAGE, "a selector is empty in '%s'",
		                                               selectors != NULL ? selectors : "");
	}
	text_list_clear(&words);
	if (status != EH_OK) {
		free(c.items);
		return status;
	}
	tell_refused(here, &c);
	*out = c.items;
	*out_count = c.item_count;
	return EH_OK;
}

bool discover_find(const discover_report *here, const char *executor, selected *out)
{
	for (size_t b = 0; b < here->backends.count; b++) {
		out->backend = &here->backends.items[b];
		for (size_t d = 0; d < out->backend->devices.count; d++) {
			out->device = &out->backend->devices.items[d];
			if (strcmp(out->device->executor, executor) == 0)
				return true;
		}
	}
	return false;
}

eh_status discover_named(const discover_report *here, const char *executor, selected **out,
                         size_t *out_count, eh_error *error)
{
	const choice c = { .backends = &here->backends };
	eh_status status = check_settings(&c, error);
	char *backend;
	selected found;

	if (status != EH_OK)
		return status;
	if (!discover_find(here, executor, &found)) {
		backend = memory_format("%.*s", (int)strcspn(executor, ":"), executor);
		status = refuse_unknown(&c, executor, backend, error);
		free(backend);
		return status;
	}
	if (!discover_is(found.device->status, EH_OK))
		return refuse_unusable(found.device, error);
	discover_tell_refused(here, found.backend);
	*out = memory_get(sizeof(**out));
	**out = found;
	*out_count = 1;
	return EH_OK;
}
