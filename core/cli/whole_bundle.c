/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/whole_bundle.h"

#include "audit/inspect.h"
#include "cli/replan.h"

eh_status whole_refuse(const char *path, const char *done, const char *why, eh_error *error)
{
	return error_set(error, EH_E_ALTERED, "%s fails verification and cannot be %s: %s (evenhand verify "
	                 "prints everything)", path, done, why);
}

eh_status whole_bundle_read(const char *path, const char *done, bundle *out, eh_error *error)
{
	audit_verification all;
	eh_status status = bundle_read(path, out, error);

	if (status != EH_OK)
		return status;
	layout_init(audit_verification_layout(), &all);
	status = audit_inspect_bundle(path, out, replan, &all, error);
	for (size_t i = 0; i < all.reports.count && status == EH_OK; i++) {
		const char *problem = audit_problem(&all.reports.items[i]);

		if (problem != NULL)
			status = whole_refuse(all.reports.items[i].file, done, problem, error);
	}
	layout_clear(audit_verification_layout(), &all);
	if (status != EH_OK)
		bundle_free(out);
	return status;
}
