/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as trees by cJSON, of texts that json_scan accepts: cJSON itself accepts more. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

/* A member name that occurs twice in one object, or NULL. */
static const char *doubled_name(const cJSON *item)
{
	const char *found = NULL;
	const cJSON *child;

	if (cJSON_IsObject(item)) {
		size_t count;
		const cJSON **members = json_sorted(item, &count);

		for (size_t i = 1; i < count && found == NULL; i++)
			if (strcmp(members[i - 1]->string, members[i]->string) == 0)
				found = members[i]->string;
		free(members);
	}
	for (child = item->child; child != NULL && found == NULL; child = child->next)
		found = doubled_name(child);
	return found;
}

static eh_status check_names(const char *name, const cJSON *item, eh_error *error)
{
	const char *doubled = doubled_name(item);

	if (doubled == NULL)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "%s: the member \"%.80s\" occurs twice in one object",
	                 name, doubled);
}

eh_status json_parse_at(const char *given, json_span part, int level, const char *name, cJSON **out,
                        eh_error *error)
{
	json_scan s = json_scan_of(given, part, level, name, error);
	eh_status status = json_scan_skip(&s);

	if (status == EH_OK)
		status = json_scan_end(&s);
	/* The text is valid, so that only memory can fail. */
	if (status == EH_OK)
		*out = memory_insist(cJSON_ParseWithLength(given + part.start, part.end - part.start));
	return status;
}

eh_status json_parse(const char *given, size_t size, const char *name, cJSON **out, eh_error *error)
{
	cJSON *item;
	eh_status status = json_parse_at(given, (json_span){ 0, size }, 0, name, &item, error);

	if (status != EH_OK)
		return status;
	status = check_names(name, item, error);
	if (status == EH_OK)
		*out = item;
	else
		cJSON_Delete(item);
	return status;
}

eh_status json_read(const char *path, cJSON **out, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status = file_read(path, &data, &size, error);

	if (status != EH_OK)
		return status;
	status = json_parse(data, size, path, out, error);
	free(data);
	return status;
}
