/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/site.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/ini.h"
#include "base/paths.h"
#include "base/text.h"
#include "executor/layer.h"
#include "record/setting.h"

/* The site file, the user's owners.ini, the installed one: in order of precedence. */
enum { FILES = 3 };

struct site {
	char *paths[FILES];
	ini_text files[FILES];
};

typedef struct site_key { const char *key, *example, *meaning; } site_key;

static const site_key keys[] = {
	{ "tester", "Jane Doe, Example Lab", "who measures; EVENHAND_TESTER comes before it" },
	{ "party", "third-party", "vendor, buyer or third-party; EVENHAND_PARTY comes before it" },
	{ "sponsor", "Example Corp.", "who pays; EVENHAND_SPONSOR comes before it" },
	{ "location", "Example Lab, rack 12", "where the machine stands" },
	{ "cooling", "air, two fans at full speed", "how the device is cooled" },
	{ "ambient", "22 C", "temperature of the air that goes in" },
	{ "power-policy", "performance, no cap", "what governs power and clocks here" },
	{ "price", "1234 EUR, 2026-11", "what the device costs, when, and where" },
	{ "notes", "freshly installed", "anything else, in one line" },
	{ "hardware-ecc", "on", "error correction of the memory" },
	{ "hardware-partition", "whole device", "which part of the device is used" },
	{ "hardware-clocks", "1980 MHz, not locked", "highest or locked clock" },
	{ "hardware-power-cap", "700 W", "limit of the power" },
	{ "interconnect-link", "PCIe 5.0 x16", "how the device is attached" },
	{ "interconnect-numa", "node 0", "the memory it is nearest to" },
	{ "firmware-version", "96.00.74.00.01", "of the device or of the machine" },
	{ "host-governor", "performance", "of the processor's frequency" },
	{ "host-turbo", "off", "clocks above the nominal one" },
	{ "host-microcode", "0x2b000590", "of the processor" },
};
#define KEYS (sizeof(keys) / sizeof(*keys))

/* ---- reading --------------------------------------------------------------------------------- */

static bool is_section(const ini_section *section, const char *word)
{
	size_t size = strlen(word);

	return strncmp(section->name, word, size) == 0 && section->name[size] == ' ';
}

static const char *value_in(const ini_section *section, const char *key)
{
	for (size_t i = 0; i < section->count; i++)
		if (strcmp(section->settings[i].key, key) == 0)
			return section->settings[i].text;
	return NULL;
}

/* special: one more key that is allowed; NULL: none. */
static eh_status check_key(const ini_text *l, const ini_section *section, int line, const char *key,
                           const char *const *words, size_t count, const char *special,
                           eh_error *error)
{
	const char *near;

	if (special != NULL && strcmp(key, special) == 0)
		return EH_OK;
	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], key) == 0)
			return EH_OK;
	near = text_nearest(key, words, count);
	return ini_refuse(l->source, line, error, "there is no key '%s' in [%s]%s%s%s", key,
	                    section->name, near != NULL ? "; did you mean '" :
	                    "; docs/executor.md lists them", near != NULL ? near : "",
	                    near != NULL ? "'?" : "");
}

static eh_status check_section(const ini_text *l, const ini_section *section, bool owners_only,
                               eh_error *error)
{
	bool owner = is_section(section, "owner"), device = is_section(section, "device");
	const layout_words *kinds = record_layer_kind_words();
	const char *words[KEYS > 16 ? KEYS : 16], *need = owner ? "name" : device ? "match" : NULL;
	size_t count = owner ? kinds->count : KEYS;

	if (!owner && (owners_only || (!device && strcmp(section->name, "site") != 0)))
		return ini_refuse(l->source, section->line, error, "there is no section [%s]; %s",
		                    section->name, owners_only ? "it is [owner NAME]" :
		                    "it is [site], [device NAME] or [owner NAME]");
	for (size_t i = 0; i < count; i++)
		words[i] = owner ? kinds->items[i].word : keys[i].key;
	for (size_t i = 0; i < section->count; i++) {
		const ini_setting *s = &section->settings[i];
		eh_status status = check_key(l, section, s->line, s->key, words, count, need,
		                             error);

		if (status != EH_OK)
			return status;
		if (!owner && strcmp(s->key, "party") == 0 && strcmp(s->text, "vendor") != 0 &&
		    strcmp(s->text, "buyer") != 0 && strcmp(s->text, "third-party") != 0)
			return ini_refuse(l->source, s->line, error, "party is vendor, buyer or "
			                    "third-party, not '%.40s'", s->text);
		if (device && (strcmp(s->key, "party") == 0 || strcmp(s->key, "tester") == 0 ||
		               strcmp(s->key, "sponsor") == 0))
			return ini_refuse(l->source, s->line, error, "'%s' is of the whole run; it "
			                    "belongs into [site]", s->key);
	}
	if (need != NULL && value_in(section, need) == NULL)
		return ini_refuse(l->source, section->line, error, "[%s] lacks the key '%s'",
		                    section->name, need);
	return EH_OK;
}

/* Takes path.  A file that may be missing is an empty one. */
static eh_status read_file(site *s, size_t at, char *path, bool optional, eh_error *error)
{
	char *data = NULL;
	size_t size = 0;
	eh_status status;

	if (path == NULL || (optional && !file_exists(path))) {
		free(path);
		return EH_OK;
	}
	s->paths[at] = path;
	status = file_read(path, &data, &size, error);
	if (status == EH_OK)
		status = ini_read(data, size, path, &s->files[at], error);
	free(data);
	for (size_t i = 0; i < s->files[at].count && status == EH_OK; i++)
		status = check_section(&s->files[at], &s->files[at].sections[i], at > 0, error);
	return status;
}

eh_status site_read(const char *path, site **out, eh_error *error)
{
	site *s = memory_get(sizeof(*s));
	const char *given = path != NULL ? path : getenv("EVENHAND_SITE");
	bool named = given != NULL && given[0] != '\0';
	eh_status status = read_file(s, 0, named ? memory_text(given) : paths_user_config("site.ini"),
	                             !named, error);

	if (status == EH_OK)
		status = read_file(s, 1, paths_user_config("owners.ini"), true, error);
	if (status == EH_OK)
		status = read_file(s, 2, paths_data("owners.ini"), true, error);
	if (status == EH_OK)
		*out = s;
	else
		site_free(s);
	return status;
}

void site_free(site *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < FILES; i++) {
		ini_free(&s->files[i]);
		free(s->paths[i]);
	}
	free(s);
}

const char *site_path(const site *s)
{
	return s->paths[0] != NULL ? s->paths[0] : "";
}

/* ---- what is declared ------------------------------------------------------------------------ */

const char *site_value(const site *s, const char *executor, const char *key)
{
	const ini_text *l = &s->files[0];
	const char *general = NULL;

	for (size_t i = 0; i < l->count; i++) {
		const ini_section *section = &l->sections[i];
		const char *value = value_in(section, key);

		if (value == NULL)
			continue;
		if (strcmp(section->name, "site") == 0)
			general = value;
		else if (executor != NULL && is_section(section, "device") &&
		         text_matches(value_in(section, "match"), executor))
			return value;
	}
	return general;
}

bool site_add(const site *s, const char *executor, record_layer_list *layers)
{
	record_layer *layer = NULL;

	for (size_t i = 0; i < KEYS; i++) {
		const char *value = site_value(s, executor, keys[i].key);

		if (value == NULL)
			continue;
		if (layer == NULL)
			layer = layer_add(layers, RECORD_LAYER_SITE, "site", "",
			                  RECORD_SOURCE_DECLARED);
		layer_text(layer, keys[i].key, value, RECORD_SOURCE_DECLARED);
	}
	return layer != NULL;
}

const char *site_owner(const site *s, const char *kind, const char *name)
{
	for (size_t f = 0; f < FILES; f++)
		for (size_t i = 0; i < s->files[f].count; i++) {
			const ini_section *section = &s->files[f].sections[i];
			const char *patterns = is_section(section, "owner") ? value_in(section, kind)
			                                                    : NULL;

			if (patterns != NULL && text_matches(patterns, name))
				return value_in(section, "name");
		}
	return NULL;
}

/* Of a setting, unless a table names its own, the owner of the first object that reads it. */
static const char *owner_of(const site *s, const record_layer *layer)
{
	const char *owner = site_owner(s, record_layer_kind_word(layer->layer), layer->name);
	char *reader;

	if (owner != NULL || !setting_is(layer))
		return owner;
	reader = setting_reader(layer);
	owner = site_owner(s, record_layer_kind_word(RECORD_LAYER_MAPPED_OBJECT), reader);
	free(reader);
	return owner;
}

void site_own(const site *s, record_layer_list *layers)
{
	for (size_t i = 0; i < layers->count; i++)
		text_set(&layers->items[i].owner, owner_of(s, &layers->items[i]));
}

char *site_template(void)
{
	text t = { 0 };

	text_add(&t, "; What only you can say about this place.  Take the semicolons away from what you\n"
	         "; declare; `evenhand site check FILE` says whether the file is sound.  It is read from\n"
	         "; $XDG_CONFIG_HOME/evenhand/site.ini, from EVENHAND_SITE or from run --site FILE.\n\n"
	         "[site]\n");
	for (size_t i = 0; i < KEYS; i++)
		text_add(&t, "; %s\n; %s = %s\n", keys[i].meaning, keys[i].key, keys[i].example);
	text_add(&t, "\n; What holds for some executors only; the first section that fits and has the\n"
	         "; key comes before [site].  match: patterns of names as `evenhand devices` prints them.\n"
	         "; [device accelerator]\n; match = cuda:*, hip:*\n; hardware-power-cap = 350 W\n"
	         "\n; Who owns a layer, before the installed table: patterns of names by kind of layer.\n"
	         "; [owner toolchain]\n; name = our toolchain team\n; compiler = gcc*, clang*\n");
	return t.data;
}
