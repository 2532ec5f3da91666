/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the executors of this machine.  One child process per backend lists its devices, so a
 * driver that crashes or hangs makes one backend unusable. */
#ifndef RUN_DISCOVER_H
#define RUN_DISCOVER_H

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "record/record.h"

/* Structs of the record under names of this file. */
typedef record_device discover_described;
typedef record_executor discover_stack;
#define discover_described_layout record_device_layout
#define discover_stack_layout record_executor_layout

#define LAYOUT_FILE "run/discover.def"
#define LAYOUT_NAME(name) discover_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* Of the status of a device, a backend, a probe or a channel. */
static inline bool discover_is(const char *status, eh_status wanted)
{
	return status != NULL && strcmp(status, error_status_name(wanted)) == 0;
}

/* Of a backend that was loaded and lacks the driver of its devices. */
static inline bool discover_is_absent(const discover_backend *b)
{
	return discover_is(b->status, EH_E_UNAVAILABLE) && b->title != NULL && b->title[0] != '\0';
}

/* Adds backends of the search path to an initialised report and counts them: those that the selectors and
 * the settings (--set) are of, or all, where a selector is of none (NULL, "all"); never one that is there
 * already.  Children run side by side, each with a deadline.  layout_clear frees it. */
size_t discover(discover_report *out, const char *selectors);

/* The hidden subcommand of the child: lists the backend at path as JSON on stdout. */
int discover_child(const char *path);

typedef struct selected {
	const discover_backend *backend;
	const discover_device *device;
} selected;
/* The selectors of a comma list, without the blanks around them; NULL is "all". */
text_list discover_words(const char *selectors);
/* Usable devices that match one of a comma list of selectors: "all", "BACKEND", "BACKEND:INDEX",
 * "BACKEND:TEXT" (TEXT is an id, else part of ids, else part of names or platforms; any case).  The same
 * selector twice chooses its executors twice; different ones choose each once.  Each selector has to
 * match: EH_E_UNAVAILABLE with the reason when what it matches cannot be used, EH_E_USAGE with the usable
 * executors when it matches nothing.  *out: pointers into here, malloc'd. */
eh_status discover_select(const discover_report *here, const char *selectors, selected **out,
                          size_t *out_count, eh_error *error);
/* The same for the one executor of exactly that name, which may come from a file. */
eh_status discover_named(const discover_report *here, const char *executor, selected **out,
                         size_t *out_count, eh_error *error);
/* Warns of each file that has the name of the backend `used` and may not be used: perhaps it is the one
 * that the user means.  The two functions above do so for what they choose. */
void discover_tell_refused(const discover_report *here, const discover_backend *used);
/* The device of that name, usable or not; false when there is none. */
bool discover_find(const discover_report *here, const char *executor, selected *out);

#endif
