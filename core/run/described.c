/* SPDX-License-Identifier: Apache-2.0 */
#include "run/described.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/ini.h"
#include "base/text.h"

static const char prefix[] = "device ";

static eh_status read_type(const char *word, char **out)
{
	static const char *const types[] = { "cpu", "gpu", "accelerator", "other" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(word, types[i]) == 0) {
			text_set(out, word);
			return EH_OK;
		}
	return EH_E_USAGE;
}

/* A fact of a device; *expected is what its value should be, when it is not. */
static eh_status read_fact(const ini_setting *s, record_device *d, const char **expected)
{
	*expected = "a size such as 80GiB";
	if (strcmp(s->key, "memory") == 0)
		return text_parse_bytes(s->text, &d->memory_bytes) ? EH_OK : EH_E_USAGE;
	if (strcmp(s->key, "last-level-cache") == 0)
		return text_parse_bytes(s->text, &d->last_level_cache_bytes) ? EH_OK : EH_E_USAGE;
	*expected = "a whole number";
	if (strcmp(s->key, "compute-units") == 0)
		return text_parse_uint(s->text, &d->compute_units) ? EH_OK : EH_E_USAGE;
	*expected = "cpu, gpu, accelerator or other";
	if (strcmp(s->key, "type") == 0)
		return read_type(s->text, &d->type);
	*expected = NULL;
	if (strcmp(s->key, "name") == 0)
		text_set(&d->name, s->text);
	else if (strcmp(s->key, "source") != 0)
		return EH_E_NOT_FOUND;
	return EH_OK;
}

static eh_status read_device(const ini_text *l, const ini_section *section, discover_backend *backend,
                             eh_error *error)
{
	discover_device *d;
	const char *id = section->name + strlen(prefix);

	if (strncmp(section->name, prefix, strlen(prefix)) != 0)
		return ini_refuse(l->source, section->line, error, "there is no section [%s]; devices are "
		                  "described in sections [device ID]", section->name);
	d = layout_append(discover_device_layout(), &backend->devices);
	d->index = backend->devices.count - 1;
	d->executor = memory_format("described:%s", id);
	text_set(&d->status, error_status_name(EH_OK));
	text_set(&d->device.id, id);
	text_set(&d->device.platform, "described");
	for (size_t i = 0; i < section->count; i++) {
		const ini_setting *s = &section->settings[i];
		const char *expected = NULL;
		const eh_status status = read_fact(s, &d->device, &expected);

		if (status == EH_E_NOT_FOUND)
			return ini_refuse(l->source, s->line, error, "there is no key '%s' in [%s]; there are name, type, "
			                  "memory, last-level-cache, compute-units and source", s->key, section->name);
		if (status != EH_OK)
			return ini_refuse(l->source, s->line, error, "%s is %s, not '%.40s'", s->key, expected, s->text);
	}
	return EH_OK;
}

eh_status described_read(const char *path, discover_report *out, eh_error *error)
{
	discover_backend *backend;
	ini_text l;
	char *data;
	size_t size;
	eh_status status = file_read(path, &data, &size, error);

	if (status != EH_OK)
		return status;
	status = ini_read(data, size, path, &l, error);
	free(data);
	if (status != EH_OK)
		return status;
	backend = layout_append(discover_backend_layout(), &out->backends);
	text_set(&backend->name, "described");
	text_set(&backend->path, path);
	text_set(&backend->status, error_status_name(EH_OK));
	for (size_t i = 0; i < l.count && status == EH_OK; i++)
		status = read_device(&l, &l.sections[i], backend, error);
	if (status == EH_OK && backend->devices.count == 0)
		status = ini_refuse(path, 0, error, "there is no section [device ID], so there is no device");
	ini_free(&l);
	return status;
}
