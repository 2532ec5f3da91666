/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Noise floors that `evenhand calibrate` measured, kept for later runs: one JSON file per executor
 * digest in the user's state folder ($XDG_STATE_HOME/evenhand/noise).
 *
 *   {"format": "evenhand-noise", "format_version": 1, "executor", "executor_digest", "measured_at",
 *    "pairs", "harness": {"version", "commit"}, "device", "protocol": {"name", "version", "digest"},
 *    "classes": {workload: share}, "cases": [{"id", "workload", "ratios": [...], "floor"}],
 *    "digest": SHA-256 of the rest's canonical form}
 */
#ifndef RUN_NOISE_H
#define RUN_NOISE_H

#include <cjson/cJSON.h>

#include "base/error.h"

#define NOISE_FORMAT "evenhand-noise"

/* malloc'd; NULL when there is no state folder (neither XDG_STATE_HOME nor HOME). */
char *noise_folder(void);
/* So that a place that cannot be written is known before anything is measured. */
eh_status noise_folder_make(eh_error *error);
char *noise_path(const char *executor_digest);

/* Computes "classes" and each case's "floor" from the ratios, and the digest; replaces them. */
void noise_complete(cJSON *record);
/* Completes it and writes it in one step; *path (malloc'd) says where. */
eh_status noise_write(cJSON *record, char **path, eh_error *error);
/* EH_E_NOT_FOUND; EH_E_FORMAT for what is none; EH_E_ALTERED for one that does not follow from its
 * own ratios, or is of another executor than digest (NULL: of any). */
eh_status noise_read(const char *path, const char *digest, cJSON **out, eh_error *error);
/* What a result holds of it (run.noise_floor): {measured_at, pairs, classes}. */
cJSON *noise_for_result(const cJSON *record);

#endif
