/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/whole_bundle.h"

#include "audit/inspect.h"
#include "cli/replan.h"

eh_status whole_refuse(const char *path, const char *done, const char *why, eh_error *error)
{
	return error_set(error, EH_E_ALTERED, "%s fails verification and cannot be %s: %s (evenhand verify "
	                 "prints everything)", path, done, why);
}

static eh_status refuse_report(const audit_report *r, const char *done, eh_error *error)
{
	if (r->answer == AUDIT_HOLDS || r->answer == AUDIT_CONSISTENT)
		return EH_OK;
	if (r->bundle_problems.count > 0)
		return whole_refuse(r->file, done, r->bundle_problems.items[0], error);
	if (r->findings.count > 0)
		return whole_refuse(r->file, done, r->findings.items[0].sentence, error);
	return whole_refuse(r->file, done, r->evidence != NULL && r->evidence->problems.count > 0 ?
	                    r->evidence->problems.items[0] : "its structure", error);
}

eh_status whole_bundle_read(const char *path, const char *done, bundle *out, eh_error *error)
{
	audit_verification all;
	eh_status status = bundle_read(path, out, error);

	if (status != EH_OK)
		return status;
	layout_init(audit_verification_layout(), &all);
	status = audit_inspect_bundle(path, out, replan, &all, error);
	for (size_t i = 0; i < all.reports.count && status == EH_OK; i++)
		status = refuse_report(&all.reports.items[i], done, error);
	layout_clear(audit_verification_layout(), &all);
	if (status != EH_OK)
		bundle_free(out);
	return status;
}
