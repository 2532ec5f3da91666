/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "cli/pager.h"
#include "plugin/host.h"

enum { NAMES_MOST = 64 };

bool option_takes_value(const cli_option *o)
{
	return o->kind != OPTION_FLAG && o->kind != OPTION_VERBOSE && o->kind != OPTION_QUIET &&
	       o->kind != OPTION_HELP && o->kind != OPTION_NO_PAGER;
}

bool option_repeats(const cli_option *o)
{
	return o->kind == OPTION_WORDS || o->kind == OPTION_LIST || o->kind == OPTION_SETTING ||
	       !option_takes_value(o);
}

char *option_spelling(const cli_option *o)
{
	return o->letter != 0 ? memory_format("-%c", o->letter) : memory_format("--%s", o->name);
}

char *option_value_word(const cli_option *o)
{
	text t = { 0 };

	text_add(&t, "%s", o->value != NULL ? o->value : "");
	for (size_t i = 0; o->value == NULL && o->words != NULL && o->words[i] != NULL; i++)
		text_add(&t, "%s%s", i > 0 ? "|" : "", o->words[i]);
	return t.data;
}

const cli_option *option_find(const cli_option *options, const char *word, const char **value)
{
	const char *name = word + 2;
	size_t size = strcspn(name, "=");

	for (const cli_option *o = options; o != NULL && o->kind != OPTION_NONE; o++) {
		const char *rest = NULL;

		if (word[0] == '-' && word[1] == '-' && o->name != NULL && strncmp(o->name, name, size) == 0 &&
		    o->name[size] == '\0')
			rest = name[size] == '=' ? name + size + 1 : NULL;
		else if (word[0] == '-' && word[1] != '\0' && word[1] == o->letter)
			rest = word[2] != '\0' ? word + 2 : NULL;
		else
			continue;
		if (value != NULL)
			*value = rest;
		return o;
	}
	return NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_share(const char *s, double *out)
{
	size_t size = strlen(s);
	bool percent = size > 1 && s[size - 1] == '%';
	char *number = memory_format("%.*s", (int)(percent ? size - 1 : size), s);
	bool good = text_parse_double(number, out);

	free(number);
	if (percent)
		*out /= 100;
	return good;
}

/* The place of the word among the option's; -1: it is none of them. */
static int word_place(const cli_option *o, const char *word)
{
	for (int i = 0; o->words[i] != NULL; i++)
		if (strcmp(o->words[i], word) == 0)
			return i;
	return -1;
}

static bool store_word(const cli_option *o, const char *value, int *place)
{
	*place = word_place(o, value);
	return *place >= 0;
}

/* One word, or several with commas between. */
static bool store_words(const cli_option *o, const char *value, unsigned *place)
{
	bool good = true;

	for (size_t size; good; value += size + 1) {
		char *word;
		int at;

		size = strcspn(value, ",");
		word = memory_format("%.*s", (int)size, value);
		at = word_place(o, word);
		free(word);
		good = at >= 0;
		*place |= good ? 1U << at : 0;
		if (value[size] == '\0')
			break;
	}
	return good;
}

static void list_add(option_list *list, const char *word)
{
	list->items = memory_grow(list->items, (list->count + 1) * sizeof(*list->items));
	list->items[list->count++] = word;
}

static eh_status refuse_value(const cli_option *o, const char *value, eh_error *error)
{
	char *words = option_value_word(o), *name = option_spelling(o);
	eh_status status;

	if (o->kind == OPTION_NUMBER)
		status = error_set(error, EH_E_USAGE, "%s takes a number from %.0f to %.0f, not '%s'", name,
		                   o->low, o->high, value);
	else if (o->kind == OPTION_SHARE)
		status = error_set(error, EH_E_USAGE, "%s takes a share from %g%% to %g%%, such as 2%% or 0.02, "
		                   "not '%s'", name, o->low * 100, o->high * 100, value);
	else if (o->kind == OPTION_DURATION)
		status = error_set(error, EH_E_USAGE, "%s takes a time such as 60s, not '%s'", name, value);
	else
		status = error_set(error, EH_E_USAGE, "%s takes %s, not '%s'", name, words, value);
	free(words);
	free(name);
	return status;
}

static eh_status store_value(const cli_option *o, const char *value, void *values, eh_error *error)
{
	void *place = (char *)values + o->offset;
	uint64_t number = 0;
	double share = 0;
	bool good = true;

	switch (o->kind) {
	case OPTION_NUMBER:
		good = text_parse_uint(value, &number) && (double)number >= o->low && (double)number <= o->high;
		*(uint64_t *)place = number;
		break;
	case OPTION_SHARE:
		good = read_share(value, &share) && share >= o->low && share <= o->high;
		*(double *)place = share;
		break;
	case OPTION_DURATION:
		good = text_parse_duration(value, (uint64_t *)place) && *(uint64_t *)place > 0;
		break;
	case OPTION_WORD:
		good = store_word(o, value, place);
		break;
	case OPTION_WORDS:
		good = store_words(o, value, place);
		break;
	case OPTION_LIST:
		list_add(place, value);
		break;
	case OPTION_SETTING:
		return host_option_set(value, error);
	default:
		*(const char **)place = value;
	}
	return good ? EH_OK : refuse_value(o, value, error);
}

static void store_flag(option_line *line, const cli_option *o)
{
	if (o->kind == OPTION_VERBOSE)
		log_set_level(log_level() < EH_LOG_DEBUG ? log_level() + 1 : EH_LOG_DEBUG);
	else if (o->kind == OPTION_QUIET && line->quiet)
		log_set_level(EH_LOG_ERROR);
	else if (o->kind == OPTION_QUIET)
		line->quiet = true;
	else if (o->kind == OPTION_HELP)
		line->help = true;
	else if (o->kind == OPTION_NO_PAGER)
		pager_refuse();
	else
		*(bool *)((char *)line->values + o->offset) = true;
}

/* ---- a line ---------------------------------------------------------------------------------- */

static eh_status refuse_unknown(const option_line *line, const char *word, eh_error *error)
{
	const char *names[NAMES_MOST];
	const cli_option *const tables[] = { line->options, line->common };
	const char *near = NULL;
	size_t size = word[1] == '-' ? strcspn(word, "=") : 2, count = 0;
	char *name = memory_format("%.*s", (int)size, word);

	for (size_t t = 0; t < 2; t++)
		for (const cli_option *o = tables[t]; o != NULL && o->kind != OPTION_NONE; o++)
			if (o->name != NULL && count < NAMES_MOST)
				names[count++] = o->name;
	if (strncmp(name, "--", 2) == 0)
		near = text_nearest(name + 2, names, count);
	(void)error_set(error, EH_E_USAGE, "unknown option '%s'%s%s%s", name, near != NULL ?
	                "; did you mean '--" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
	free(name);
	return EH_E_USAGE;
}

/* Notes that the option was given; a second value of one that takes a single value is refused. */
static eh_status note_seen(option_line *line, const cli_option *o, const char *value, eh_error *error)
{
	size_t at = 0;
	char *name;

	while (line->options != NULL && line->options[at].kind != OPTION_NONE && &line->options[at] != o)
		at++;
	if (line->options == NULL || line->options[at].kind == OPTION_NONE)
		return EH_OK;
	if ((line->seen & UINT64_C(1) << at) != 0 && !option_repeats(o)) {
		name = option_spelling(o);
		(void)error_set(error, EH_E_USAGE, "%s is given twice, '%s' the second time; give it once",
		                name, value);
		free(name);
		return EH_E_USAGE;
	}
	line->seen |= UINT64_C(1) << at;
	return EH_OK;
}

/* Stores one option; value is NULL for a flag. */
static eh_status take(option_line *line, const cli_option *o, const char *value, eh_error *error)
{
	eh_status status;

	if (option_takes_value(o) && (value == NULL || value[0] == '\0')) {
		char *name = option_spelling(o), *word = option_value_word(o);

		status = error_set(error, EH_E_USAGE, "%s needs a value, %s", name, word);
		free(name);
		free(word);
		return status;
	}
	status = note_seen(line, o, value, error);
	if (status != EH_OK)
		return status;
	if (option_takes_value(o))
		return store_value(o, value, line->values, error);
	store_flag(line, o);
	return EH_OK;
}

/* Reads argv[*at], an option, and its value; *at is then the last word read. */
static eh_status read_option(option_line *line, int argc, char **argv, int *at, eh_error *error)
{
	const char *word = argv[*at], *value = NULL;
	const cli_option *o = option_find(line->options, word, &value);

	if (o == NULL)
		o = option_find(line->common, word, &value);
	if (o == NULL)
		return refuse_unknown(line, word, error);
	if (option_takes_value(o))
		return take(line, o, value != NULL ? value : *at + 1 < argc ? argv[++*at] : NULL, error);
	if (value != NULL && word[1] == '-')
		return error_set(error, EH_E_USAGE, "--%s takes no value, but got '%s'", o->name, value);
	/* "-vq" is "-v -q": the rest becomes a word of its own. */
	if (value != NULL) {
		eh_status status = take(line, o, NULL, error);

		argv[*at]++;
		argv[*at][0] = '-';
		return status == EH_OK ? read_option(line, argc, argv, at, error) : status;
	}
	return take(line, o, NULL, error);
}

static eh_status store_presets(option_line *line, eh_error *error)
{
	eh_status status = EH_OK;

	for (const cli_option *o = line->options; o != NULL && o->kind != OPTION_NONE; o++)
		if (o->preset != NULL && status == EH_OK)
			status = store_value(o, o->preset, line->values, error);
	return status;
}

eh_status option_read(option_line *line, int argc, char **argv, int *next, eh_error *error)
{
	eh_status status = store_presets(line, error);
	bool options = true;
	int i;

	for (i = 1; i < argc && !line->help; i++) {
		const char *word = argv[i];
		eh_error unread = ERROR_INIT;
		eh_status one = EH_OK;

		if (options && strcmp(word, "--") == 0)
			options = false;
		else if (options && word[0] == '-' && word[1] != '\0')
			one = read_option(line, argc, argv, &i, status == EH_OK ? error : &unread);
		else if (line->until_word)
			break;
		else
			list_add(&line->words, word);
		status = status == EH_OK ? one : status;
	}
	if (next != NULL)
		*next = i;
	return line->help ? EH_OK : status;
}

void option_free(option_line *line)
{
	for (const cli_option *o = line->options; o != NULL && o->kind != OPTION_NONE; o++)
		if (o->kind == OPTION_LIST)
			free(((option_list *)((char *)line->values + o->offset))->items);
	free(line->words.items);
}
