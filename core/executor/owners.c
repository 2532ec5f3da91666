/* SPDX-License-Identifier: Apache-2.0 */
/* Who makes a layer, and which team here owns it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "executor/site_inside.h"
#include "record/setting.h"

/* ---- the tables ------------------------------------------------------------------------------ */

/* Whether the section is for files there: it says nothing of paths, or the layer has none. */
static bool fits_path(const ini_section *section, const char *path)
{
	const char *patterns = site_value_in(section, "path");

	return patterns == NULL || text_or_empty(path)[0] == '\0' || text_matches(patterns, path);
}

/* The name of the first [WORD NAME] section of the files whose patterns fit. */
static const char *named(const site *s, size_t from, size_t to, const char *word, const char *kind,
                         const char *name, const char *path)
{
	for (size_t f = from; f < to; f++)
		for (size_t i = 0; i < s->files[f].count; i++) {
			const ini_section *section = &s->files[f].sections[i];
			const char *patterns = site_is_section(section, word) ?
			                       site_value_in(section, kind) : NULL;

			if (patterns != NULL && text_matches(patterns, name) &&
			    fits_path(section, path))
				return site_value_in(section, "name");
		}
	return NULL;
}

const char *site_maker(const site *s, const char *kind, const char *name, const char *path)
{
	return named(s, 0, SITE_FILES, "maker", kind, name, path);
}

const char *site_owner(const site *s, const char *kind, const char *name, const char *path)
{
	return named(s, 0, SITE_FILES, "owner", kind, name, path);
}

const char *site_team(const site *s, enum record_area area)
{
	const char *team = NULL;

	for (size_t f = 0; f < SITE_FILES && team == NULL && area != record_area_absent; f++)
		for (size_t i = 0; i < s->files[f].count && team == NULL; i++)
			if (strcmp(s->files[f].sections[i].name, "teams") == 0)
				team = site_value_in(&s->files[f].sections[i], record_area_word(area));
	return team;
}

/* ---- the layers ------------------------------------------------------------------------------ */

static bool is_mapped(const record_layer *layer)
{
	return layer->layer == RECORD_LAYER_MAPPED_OBJECT;
}

/* The layer that a mapped object is the file of: the driver of libcuda.so; NULL: none. */
static const record_layer *layer_of_file(const record_layer_list *layers, const record_layer *file)
{
	for (size_t i = 0; i < layers->count; i++) {
		const record_layer *each = &layers->items[i];

		if (!is_mapped(each) && !setting_is(each) &&
		    ((each->path != NULL && file->path != NULL && strcmp(each->path, file->path) == 0) ||
		     (each->sha256 != NULL && file->sha256 != NULL && each->sha256[0] != '\0' &&
		      strcmp(each->sha256, file->sha256) == 0)))
			return each;
	}
	return NULL;
}

/* Whether the layer's file, as it is called when links are followed, has that name. */
static bool is_file(const record_layer *layer, const char *name)
{
	char *path = text_or_empty(layer->path)[0] == '/' ? realpath(layer->path, NULL) : NULL;
	bool same = path != NULL && strcmp(strrchr(path, '/') + 1, name) == 0;

	free(path);
	return same;
}

/* The first object that reads a setting; NULL when it is not among the layers. */
static const record_layer *layer_of_reader(const record_layer_list *layers, const record_layer *setting)
{
	char *reader = setting_reader(setting);
	const record_layer *found = NULL;

	for (size_t i = 0; i < layers->count && found == NULL; i++)
		if (!setting_is(&layers->items[i]) &&
		    (is_mapped(&layers->items[i]) ? strcmp(layers->items[i].name, reader) == 0
		                                  : is_file(&layers->items[i], reader)))
			found = &layers->items[i];
	free(reader);
	return found;
}

/* What a layer is a part of: the layer of a mapped file, the first object that reads a setting. */
static const record_layer *whole_of(const record_layer_list *layers, const record_layer *part)
{
	return is_mapped(part) ? layer_of_file(layers, part) : layer_of_reader(layers, part);
}

static bool is_part(const record_layer *layer)
{
	return is_mapped(layer) || setting_has_readers(layer);
}

/* A file that a site does not name has the maker of its layer, also when nobody knows that one. */
static const char *maker_of(const site *s, const record_layer_list *layers, const record_layer *layer)
{
	const char *kind = record_layer_kind_word(layer->layer);
	const char *here = named(s, 0, SITE_FILES - 1, "maker", kind, layer->name, layer->path);
	const record_layer *whole = is_part(layer) ? whole_of(layers, layer) : NULL;

	if (here != NULL)
		return here;
	if (whole != NULL)
		return maker_of(s, layers, whole);
	/* Its own word comes before the installed table alone, which has names for everything. */
	if (layer->maker != NULL && layer->maker[0] != '\0')
		return layer->maker;
	return named(s, SITE_FILES - 1, SITE_FILES, "maker", kind, layer->name, layer->path);
}

/* That of an object that is no layer: a program that reads a setting. */
static const char *maker_of_reader(const site *s, const record_layer *setting)
{
	char *reader = setting_reader(setting);
	const char *maker = site_maker(s, record_layer_kind_word(RECORD_LAYER_MAPPED_OBJECT), reader,
	                               NULL);

	free(reader);
	return maker;
}

/* That of the layer itself, else of what it is a part of. */
static const char *team_of(const site *s, const record_layer_list *layers, const record_layer *layer)
{
	const char *owner = NULL;

	while (layer != NULL) {
		owner = site_owner(s, record_layer_kind_word(layer->layer), layer->name,
		                   layer->path);
		if (owner != NULL || !is_part(layer))
			break;
		layer = whole_of(layers, layer);
	}
	return owner != NULL || layer == NULL ? owner :
	       site_team(s, record_layer_traits_of(layer->layer)->area);
}

void site_own(const site *s, record_layer_list *layers)
{
	for (size_t i = 0; i < layers->count; i++) {
		record_layer *layer = &layers->items[i];
		const char *maker = maker_of(s, layers, layer);

		if (maker == NULL && setting_has_readers(layer))
			maker = maker_of_reader(s, layer);
		if (maker != layer->maker)
			text_set(&layer->maker, maker);
		text_set(&layer->owner, team_of(s, layers, layer));
	}
}
