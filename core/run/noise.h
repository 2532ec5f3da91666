/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Noise floors that `evenhand calibrate` measured, kept for later runs: one JSON file per executor
 * digest in the user's state folder ($XDG_STATE_HOME/evenhand/noise).  core/run/noise.def has its
 * members.
 */
#ifndef RUN_NOISE_H
#define RUN_NOISE_H

#include "record/journal.h"

#define LAYOUT_FILE "run/noise.def"
#define LAYOUT_NAME(name) noise_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* malloc'd; NULL when there is no state folder (neither XDG_STATE_HOME nor HOME). */
char *noise_folder(void);
/* For failing before anything is measured when the folder cannot be written. */
eh_status noise_folder_make(eh_error *error);
char *noise_path(const char *executor_digest);

/* Computes what follows from the ratios: each case's floor, the classes and the digest. */
void noise_complete(noise_record *record);
/* Completes it and writes it in one step; sets record->path. */
eh_status noise_write(noise_record *record, eh_error *error);
/* Fills an initialised record.  EH_E_NOT_FOUND; EH_E_FORMAT for another file; EH_E_ALTERED when
 * it does not follow from its own ratios, or is of another executor than digest (NULL: of any). */
eh_status noise_read(const char *path, const char *digest, noise_record *record, eh_error *error);
/* Appends the floor that is stored for the stack with that digest to the journal, where there is one.
 * EH_E_IO of the journal alone: a bad file of a floor is a warning. */
eh_status noise_append(journal *j, const char *executor, const char *digest, eh_error *error);

#endif
