/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/beside.h"

#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/text.h"

eh_status beside_check(const char *name, const char *body, size_t size, eh_error *error)
{
	if (size > LIMIT_BESIDE)
		return error_set(error, EH_E_IO, "'%s' is larger than %zu MiB, the most that is read", name,
		                 LIMIT_BESIDE / LIMIT_MIB);
	/* Readers of texts stop at a NUL, so bytes behind it would go unchecked. */
	if (strlen(body) != size)
		return error_set(error, EH_E_FORMAT, "%s has a NUL byte", name);
	return EH_OK;
}

/* NULL in *out when no bundle on the path has such a member. */
static eh_status member_read(const char *name, char **out, size_t *size, eh_error *error)
{
	char *data = NULL;
	eh_error why = ERROR_INIT;
	eh_status status = bundle_member_read(name, &data, size, &why);

	*out = status == EH_OK ? data : NULL;
	return status == EH_OK || status == EH_E_NOT_FOUND ? EH_OK :
	       error_set(error, status, "%s", why.message);
}

eh_status beside_read(const char *path, const char *suffix, char **out, size_t *size, eh_error *error)
{
	char *name = memory_format("%s%s", path, suffix);
	eh_status status;

	*out = NULL;
	*size = 0;
	status = file_exists(name) ? file_read_most(name, LIMIT_BESIDE, out, size, error) :
	         member_read(name, out, size, error);
	if (status == EH_OK && *out != NULL)
		status = beside_check(name, *out, *size, error);
	if (status != EH_OK) {
		free(*out);
		*out = NULL;
	}
	free(name);
	return status;
}
