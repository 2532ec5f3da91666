/* SPDX-License-Identifier: Apache-2.0 */
/* Layers that a site file declares, as no backend knows them: framework = PyTorch@2.5.1, Triton@3.1.0 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "executor/layer.h"
#include "executor/site_inside.h"
#include "record/setting.h"

static const char *kind_word(size_t at)
{
	return record_layer_kind_words()->items[at].word;
}

static bool is_declared(size_t at)
{
	int kind = record_layer_kind_words()->items[at].value;

	return record_layer_traits_of((enum record_layer_kind)kind)->example[0] != '\0';
}

size_t site_layer_keys(const char **words, size_t room)
{
	size_t count = 0;

	for (size_t i = 0; i < record_layer_kind_words()->count && count < room; i++)
		if (is_declared(i))
			words[count++] = kind_word(i);
	return count;
}

/* ---- NAME@VERSION, NAME@VERSION -------------------------------------------------------------- */

static char *trimmed(char *s)
{
	char *end;

	s += strspn(s, " \t");
	for (end = s + strlen(s); end > s && strchr(" \t", end[-1]) != NULL;)
		*--end = '\0';
	return s;
}

/* Takes the next layer off the list; false at its end.  *version is "" where there is none.  A name
 * may have an @ itself: the last one counts. */
static bool next_layer(char **rest, char **name, char **version)
{
	static char none[] = "";
	char *item = strsep(rest, ","), *at = item != NULL ? strrchr(item, '@') : NULL;

	if (item == NULL)
		return false;
	if (at != NULL)
		*at = '\0';
	*name = trimmed(item);
	*version = at != NULL ? trimmed(at + 1) : none;
	return true;
}

eh_status site_check_layers(const ini_text *file, const ini_setting *setting, eh_error *error)
{
	bool value = strcmp(setting->key, record_layer_kind_word(RECORD_LAYER_CONFIGURATION)) == 0;
	char *copy = memory_text(setting->text), *rest = copy, *name, *version;
	eh_status status = EH_OK;

	while (status == EH_OK && next_layer(&rest, &name, &version))
		if (name[0] == '\0' || (value && version[0] == '\0'))
			status = ini_refuse(file->source, setting->line, error,
			                    "'%.60s' is not %s, %s with commas between", setting->text,
			                    value ? "NAME@VALUE" : "NAME@VERSION or NAME",
			                    value ? "or several" : "or several of them");
	free(copy);
	return status;
}

static void add_layers(enum record_layer_kind kind, const char *value, record_layer_list *layers)
{
	char *copy = memory_text(value), *rest = copy, *name, *version;

	while (next_layer(&rest, &name, &version))
		layer_settle(layer_add(layers, kind, name, version, RECORD_SOURCE_DECLARED));
	free(copy);
}

void site_add_layers(const site *s, const char *executor, record_layer_list *layers)
{
	for (size_t i = 0; i < record_layer_kind_words()->count; i++) {
		const char *value = is_declared(i) ? site_value(s, executor, kind_word(i)) : NULL;

		if (value != NULL)
			add_layers((enum record_layer_kind)record_layer_kind_words()->items[i].value,
			           value, layers);
	}
}
