/* SPDX-License-Identifier: Apache-2.0 */
#include "record/nameplate.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define BANDWIDTH "spec-bandwidth"
#define COMPUTE "spec-flops-"

/* Each precision that a workload counted in operations can name as its input. */
static const char *const keys[] = {
	BANDWIDTH, COMPUTE "f64", COMPUTE "f32", COMPUTE "tf32", COMPUTE "f16", COMPUTE "bf16",
	COMPUTE "e4m3", COMPUTE "e5m2", COMPUTE "e4m3z", COMPUTE "e5m2z", COMPUTE "i8",
};
#define KEYS (sizeof(keys) / sizeof(*keys))

const char *nameplate_key(size_t at)
{
	return at < KEYS ? keys[at] : NULL;
}

bool nameplate_is_key(const char *key)
{
	for (size_t i = 0; i < KEYS; i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

bool nameplate_parse(const char *words, nameplate *out)
{
	static const char word[] = "source";
	const size_t digits = strcspn(words, " \t");
	const char *behind = words + digits + strspn(words + digits, " \t");
	char *number = memory_format("%.*s", (int)digits, words);
	bool sound = text_parse_double(number, &out->rate) && out->rate > 0;

	free(number);
	if (strncmp(behind, word, strlen(word)) != 0)
		return false;
	behind += strlen(word);
	out->source = behind + strspn(behind, " \t");
	return sound && out->source != behind && out->source[0] != '\0';
}

/* A record may come from anybody, so its text is read as strictly as a site file. */
static bool find(const record_executor *of, const char *key, nameplate *out)
{
	for (size_t i = 0; i < of->layers.count; i++) {
		const record_layer *layer = &of->layers.items[i];

		for (size_t k = 0; layer->layer == RECORD_LAYER_SITE && k < layer->fields.count; k++) {
			const record_field *f = &layer->fields.items[k];

			if (strcmp(f->name, key) == 0 && f->value.kind == SCALAR_TEXT &&
			    f->source == RECORD_SOURCE_DECLARED)
				return nameplate_parse(f->value.text, out);
		}
	}
	return false;
}

bool nameplate_compute(const record_executor *of, const char *precision, nameplate *out)
{
	char *key = memory_format(COMPUTE "%.*s", (int)strcspn(precision, "/"), precision);
	bool found = find(of, key, out);

	free(key);
	return found;
}

bool nameplate_bandwidth(const record_executor *of, nameplate *out)
{
	return find(of, BANDWIDTH, out);
}
