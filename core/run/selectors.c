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

enum how { HOW_BACKEND, HOW_INDEX, HOW_ID, HOW_PART };

static bool holds(const char *where, const char *word)
{
	return where != NULL && strcasestr(where, word) != NULL;
}

static bool matches(const discover_device *d, enum how how, const char *word, uint64_t index)
{
	const record_device *is = &d->device;

	switch (how) {
	case HOW_BACKEND:
		return true;
	case HOW_INDEX:
		return d->index == index;
	case HOW_ID:
		return is->id != NULL && strcasecmp(is->id, word) == 0;
	default:
		return holds(is->id, word) || holds(is->name, word) || holds(is->platform, word);
	}
}

/* How many usable devices match; *unusable is one that matches but cannot be used. */
static size_t take(choice *c, const char *backend, enum how how, const char *word, uint64_t index,
                   const discover_device **unusable)
{
	size_t found = 0;

	for (size_t b = 0; b < c->backends->count; b++) {
		const discover_backend *at = &c->backends->items[b];

		if (backend != NULL && strcmp(at->name, backend) != 0)
			continue;
		for (size_t i = 0; i < at->devices.count; i++) {
			const discover_device *d = &at->devices.items[i];

			if (!matches(d, how, word, index))
				continue;
			if (discover_is(d->status, EH_OK)) {
				add(c, at, d);
				found++;
			} else if (*unusable == NULL) {
				*unusable = d;
			}
		}
	}
	return found;
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

static eh_status select_one(choice *c, const char *selector, eh_error *error)
{
	const char *colon = strchr(selector, ':');
	char *backend = colon != NULL ? memory_format("%.*s", (int)(colon - selector), selector)
	                              : memory_text(selector);
	const char *word = colon != NULL ? colon + 1 : "";
	const discover_backend *named;
	const discover_device *unusable = NULL;
	uint64_t index = 0;
	size_t found = 0;
	eh_status status = EH_OK;
	char *there;

	if (strcmp(selector, "all") == 0)
		found = take(c, NULL, HOW_BACKEND, "", 0, &unusable);
	else if (colon == NULL)
		found = take(c, backend, HOW_BACKEND, "", 0, &unusable);
	else if (word[0] != '\0') {
		found = take(c, backend, HOW_ID, word, 0, &unusable);
		if (found == 0 && unusable == NULL)
			found = text_parse_uint(word, &index)
			                ? take(c, backend, HOW_INDEX, word, index, &unusable)
			                : take(c, backend, HOW_PART, word, 0, &unusable);
	}
	if (found > 0)
		goto undo_backend;

	there = what_there_is(c);
	named = backend_named(c, backend);
	if (unusable != NULL)
		status = error_set(error, EH_E_UNAVAILABLE, "%s is there but cannot be used: %s",
		                   unusable->executor, unusable->reason);
	else if (strcmp(selector, "all") == 0)
		status = error_set(error, EH_E_UNAVAILABLE, "no executor is usable here; `evenhand "
		                   "devices` says what is missing");
	else if (named != NULL && !discover_is(named->status, EH_OK))
		status = error_set(error, EH_E_UNAVAILABLE, "the backend %s cannot be used: %s", backend,
		                   named->reason);
	else if (named != NULL)
		status = error_set(error, EH_E_USAGE, "no executor matches '%s'; usable here: %s",
		                   selector, there);
	else
		status = error_set(error, EH_E_USAGE, "there is no backend '%s' for '%s'; usable here: "
		                   "%s", backend, selector, there);
	free(there);
undo_backend:
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
		} else if (!discover_is(one->status, EH_OK)) {
			log_write(EH_LOG_WARN, "backend %s is left out: %s", one->name,
			          one->reason != NULL ? one->reason : "");
		}
	}
	if (absent[0] != '\0')
		log_write(EH_LOG_WARN, "left out, because they cannot be used here: %s (`evenhand devices` says "
		          "why)", absent);
	free(absent);
}

/* How often the selector stands in the list so far, itself included. */
static size_t times_named(const text_list *named, const char *selector)
{
	size_t times = 1;

	for (size_t i = 0; i < named->count; i++)
		times += strcmp(named->items[i], selector) == 0;
	return times;
}

eh_status discover_select(const discover_report *here, const char *selectors, selected **out,
                          size_t *out_count, eh_error *error)
{
	choice c = { .backends = &here->backends };
	char *copy = memory_text(selectors != NULL ? selectors : "all"), *rest = copy, *one;
	eh_status status = check_settings(&c, error);
	text_list named = { 0 };

	if (selectors == NULL || strcmp(selectors, "all") == 0)
		tell_left_out(&c);
	while (status == EH_OK && (one = strsep(&rest, ",")) != NULL) {
		one = trimmed(one);
		c.copies = times_named(&named, one);
		text_list_add(&named, one);
		status = one[0] != '\0' ? select_one(&c, one, error)
		                        : error_set(error, EH_E_USAGE, "a selector is empty in '%s'",
		                                    selectors != NULL ? selectors : "");
	}
	free(copy);
	text_list_clear(&named);
	if (status != EH_OK) {
		free(c.items);
		return status;
	}
	*out = c.items;
	*out_count = c.item_count;
	return EH_OK;
}
