/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/site_inside.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/ini.h"
#include "base/paths.h"
#include "base/text.h"
#include "executor/layer.h"
#include "record/nameplate.h"

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

bool site_is_section(const ini_section *section, const char *word)
{
	size_t size = strlen(word);

	return strncmp(section->name, word, size) == 0 && section->name[size] == ' ';
}

const char *site_value_in(const ini_section *section, const char *key)
{
	for (size_t i = 0; i < section->count; i++)
		if (strcmp(section->settings[i].key, key) == 0)
			return section->settings[i].text;
	return NULL;
}

/* Which keys a section may have, apart from the one that it needs. */
enum key_set { FACTS, AREAS, KINDS };

typedef struct section_form {
	const char *word;
	const char *need;   /* the key that each [WORD NAME] has; NULL: the section is [WORD]      */
	enum key_set keys;
	bool in_tables;     /* whether owners.ini and makers.ini may have it                       */
} section_form;

static const section_form forms[] = {
	{ "site", NULL, FACTS, false },
	{ "device", "match", FACTS, false },
	{ "teams", NULL, AREAS, true },
	{ "owner", "name", KINDS, true },
	{ "maker", "name", KINDS, true },
};
#define FORMS (sizeof(forms) / sizeof(*forms))

static const section_form *form_of(const ini_section *section, bool in_tables)
{
	for (size_t i = 0; i < FORMS; i++)
		if ((forms[i].in_tables || !in_tables) &&
		    (forms[i].need != NULL ? site_is_section(section, forms[i].word)
		                           : strcmp(section->name, forms[i].word) == 0))
			return &forms[i];
	return NULL;
}

enum { WORDS_MAX = 64 };

static size_t words_of(const section_form *form, const char **words)
{
	const layout_words *all = form->keys == AREAS ? record_area_words() :
	                          form->keys == KINDS ? record_layer_kind_words() : NULL;
	size_t count = 0;

	if (form->need != NULL)
		words[count++] = form->need;
	for (size_t i = 0; all != NULL && i < all->count; i++)
		words[count++] = all->items[i].word;
	if (form->keys == KINDS)
		words[count++] = "path";
	if (all != NULL)
		return count;
	for (size_t i = 0; i < KEYS; i++)
		words[count++] = keys[i].key;
	for (size_t i = 0; nameplate_key(i) != NULL; i++)
		words[count++] = nameplate_key(i);
	return count + site_layer_keys(words + count, WORDS_MAX - count);
}

static eh_status check_key(const ini_text *l, const ini_section *section, const ini_setting *s,
                           const section_form *form, eh_error *error)
{
	const char *words[WORDS_MAX], *near;
	size_t count = words_of(form, words);

	for (size_t i = 0; i < count; i++)
		if (strcmp(words[i], s->key) == 0)
			return EH_OK;
	near = text_nearest(s->key, words, count);
	return ini_refuse(l->source, s->line, error, "there is no key '%s' in [%s]%s%s%s", s->key,
	                  section->name, near != NULL ? "; did you mean '" :
	                  "; docs/executor.md lists them", near != NULL ? near : "",
	                  near != NULL ? "'?" : "");
}

static bool is_of_run(const char *key)
{
	return strcmp(key, "party") == 0 || strcmp(key, "tester") == 0 || strcmp(key, "sponsor") == 0;
}

static bool is_layer_key(const char *key)
{
	const char *words[WORDS_MAX];
	size_t count = site_layer_keys(words, WORDS_MAX);

	while (count > 0 && strcmp(words[count - 1], key) != 0)
		count--;
	return count > 0;
}

/* "NUMBER source TEXT". */
static eh_status check_nameplate(const ini_text *l, const ini_setting *s, eh_error *error)
{
	nameplate read;

	if (nameplate_parse(s->text, &read))
		return EH_OK;
	return ini_refuse(l->source, s->line, error, "%s is a positive number per second and where it is "
	                  "stated, such as '989e12 source NVIDIA H100 data sheet', not '%.60s'", s->key,
	                  s->text);
}

/* Of [site] and [device NAME]. */
static eh_status check_fact(const ini_text *l, const section_form *form, const ini_setting *s,
                            eh_error *error)
{
	if (strcmp(s->key, "party") == 0 && strcmp(s->text, "vendor") != 0 &&
	    strcmp(s->text, "buyer") != 0 && strcmp(s->text, "third-party") != 0)
		return ini_refuse(l->source, s->line, error, "party is vendor, buyer or third-party, not "
		                  "'%.40s'", s->text);
	if (form->need != NULL && is_of_run(s->key))
		return ini_refuse(l->source, s->line, error, "'%s' is of the whole run; it belongs into "
		                  "[site]", s->key);
	if (nameplate_is_key(s->key))
		return check_nameplate(l, s, error);
	return is_layer_key(s->key) ? site_check_layers(l, s, error) : EH_OK;
}

static eh_status check_section(const ini_text *l, const ini_section *section, bool in_tables,
                               eh_error *error)
{
	const section_form *form = form_of(section, in_tables);
	eh_status status = EH_OK;

	if (form == NULL)
		return ini_refuse(l->source, section->line, error, "there is no section [%s]; it is %s",
		                  section->name, in_tables ? "[teams], [owner NAME] or [maker NAME]" :
		                  "[site], [device NAME], [teams], [owner NAME] or [maker NAME]");
	for (size_t i = 0; i < section->count && status == EH_OK; i++) {
		status = check_key(l, section, &section->settings[i], form, error);
		if (status == EH_OK && form->keys == FACTS)
			status = check_fact(l, form, &section->settings[i], error);
	}
	if (status == EH_OK && form->need != NULL && site_value_in(section, form->need) == NULL)
		status = ini_refuse(l->source, section->line, error, "[%s] lacks the key '%s'",
		                    section->name, form->need);
	return status;
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
		status = read_file(s, 2, paths_data("makers.ini"), true, error);
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
	for (size_t i = 0; i < SITE_FILES; i++) {
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
		const char *value = site_value_in(section, key);

		if (value == NULL)
			continue;
		if (strcmp(section->name, "site") == 0)
			general = value;
		else if (executor != NULL && site_is_section(section, "device") &&
		         text_matches(site_value_in(section, "match"), executor))
			return value;
	}
	return general;
}

/* Adds the fact where it is declared, to the layer "site", which the first one makes. */
static void add_declared(const site *s, const char *executor, const char *key,
                         record_layer_list *layers, record_layer **layer)
{
	const char *value = site_value(s, executor, key);

	if (value == NULL)
		return;
	if (*layer == NULL)
		*layer = layer_add(layers, RECORD_LAYER_SITE, "site", "", RECORD_SOURCE_DECLARED);
	layer_text(*layer, key, value, RECORD_SOURCE_DECLARED);
}

bool site_add(const site *s, const char *executor, record_layer_list *layers)
{
	const size_t before = layers->count;
	record_layer *layer = NULL;

	for (size_t i = 0; i < KEYS; i++)
		add_declared(s, executor, keys[i].key, layers, &layer);
	for (size_t i = 0; nameplate_key(i) != NULL; i++)
		add_declared(s, executor, nameplate_key(i), layers, &layer);
	site_add_layers(s, executor, layers);
	return layers->count > before;
}

/* ---- a file to begin with -------------------------------------------------------------------- */

static void add_facts(text *t)
{
	for (size_t i = 0; i < KEYS; i++)
		text_add(t, "; %s\n; %s = %s\n", keys[i].meaning, keys[i].key, keys[i].example);
}

static void add_nameplates(text *t)
{
	text_add(t, "\n; What the maker says that the device reaches, per second, and where it says so;\n"
	         "; printed beside what is measured.  spec-bandwidth in bytes, spec-flops-PRECISION in\n"
	         "; operations.  It belongs into the section of a device.\n");
	for (size_t i = 0; nameplate_key(i) != NULL; i++)
		text_add(t, "; %s = %s source Example Corp., data sheet of the X100\n", nameplate_key(i),
		         i == 0 ? "3.35e12" : "989e12");
}

static void add_layer_keys(text *t)
{
	const layout_words *kinds = record_layer_kind_words();

	text_add(t, "\n; Layers that no backend knows, compared as every layer is: NAME@VERSION, of a setting\n"
	         "; NAME@VALUE, several with commas between.\n");
	for (size_t i = 0; i < kinds->count; i++) {
		const layout_word *kind = &kinds->items[i];
		const char *example =
			record_layer_traits_of((enum record_layer_kind)kind->value)->example;

		if (example[0] != '\0')
			text_add(t, "; %s\n; %s = %s\n", kind->sentence, kind->word, example);
	}
}

static void add_teams(text *t)
{
	const layout_words *areas = record_area_words();

	text_add(t, "\n; Which team here owns what; `attribute` names it beside the layer that moved a\n"
	         "; number.  Any words: a name, a channel, an address.\n[teams]\n");
	for (size_t i = 0; i < areas->count; i++)
		text_add(t, "; %s\n; %s = %s team\n", areas->items[i].sentence, areas->items[i].word,
		         areas->items[i].word);
}

char *site_template(void)
{
	text t = { 0 };

	text_add(&t, "; What only you can say about this place.  Take the semicolons away from what you\n"
	         "; declare; `evenhand site check FILE` says whether the file is sound.  It is read from\n"
	         "; $XDG_CONFIG_HOME/evenhand/site.ini, from EVENHAND_SITE or from run --site FILE.\n\n"
	         "[site]\n");
	add_facts(&t);
	add_nameplates(&t);
	add_layer_keys(&t);
	text_add(&t, "\n; What holds for some executors only; the first section that fits and has the\n"
	         "; key comes before [site].  match: patterns of names as `evenhand devices` prints them.\n"
	         "; [device accelerator]\n; match = cuda:*, hip:*\n; hardware-power-cap = 350 W\n");
	add_teams(&t);
	text_add(&t, "\n; The team of single layers, before [teams]: patterns of names by kind of layer.\n"
	         "; [owner toolchain]\n; name = our toolchain team\n; compiler = gcc*, clang*\n"
	         "\n; Who makes a layer that evenhand does not know.\n"
	         "; [maker inhouse]\n; name = Example Corp.\n; framework = ourframework*\n");
	return t.data;
}
