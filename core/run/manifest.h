/* SPDX-License-Identifier: Apache-2.0 */
/* The first line of a journal: what the run is. */
#ifndef RUN_MANIFEST_H
#define RUN_MANIFEST_H

#include "executor/site.h"
#include "protocol/plan.h"
#include "record/journal.h"
#include "run/discover.h"
#include "run/schedule.h"

typedef struct manifest {
	protocol *protocol;
	plan *plan;
	uint64_t executions;        /* of each executor; a pilot when `most` is more            */
	uint64_t most;
	size_t executor_count;
	char **names;               /* of the executors in this run, NULL-terminated: the second
	                             * of the same executor is "NAME#2"                        */
	char **executors;           /* their own names                                         */
	char **plugins;             /* paths                                                   */
	uint32_t *indices;          /* of the devices in their backends                        */
	record_device *devices;     /* as their backends describe them                         */
	char **options;             /* BACKEND.KEY=VALUE, NULL-terminated                      */
	schedule_slot *slots;       /* executions * executor_count                             */
	size_t slot_count;
	bool *asked;                /* [cases] which are measured; NULL: all                   */
	site *site;                 /* declared facts; NULL: none                              */
	record_agreement_list agreements; /* to this plan, which the record keeps              */
} manifest;

/* Of a new run.  executions 0: as the protocol declares, its pilot included.  Takes the protocol
 * and its plan, also when it fails. */
eh_status manifest_new(protocol *p, plan *made, uint64_t executions, const selected *chosen,
                       size_t chosen_count, const char *const *options, manifest **out,
                       eh_error *error);
/* Restricts the run to cases whose ids match one of a comma list of patterns (fnmatch); NULL: all.
 * EH_E_USAGE with the nearest id for a pattern that matches none. */
eh_status manifest_ask(manifest *m, const char *patterns, eh_error *error);
/* Copies those that are to the plan of the manifest.  Another one is EH_E_USAGE where they were asked for,
 * else a warning. */
eh_status manifest_agree(manifest *m, const record_agreement_list *all, bool asked, eh_error *error);
/* Fills an initialised line.  started: clock_wall_text.  EH_E_USAGE for a bad EVENHAND_PARTY. */
eh_status manifest_line(const manifest *m, const char *started, record_line_run *line,
                        eh_error *error);
/* Fills an initialised who: from the environment, else from the site file.  EH_E_USAGE for a bad
 * EVENHAND_PARTY. */
eh_status manifest_who(const manifest *m, record_who *who, eh_error *error);
/* Appends slots as a journal states them. */
void manifest_order(const manifest *m, const schedule_slot *slots, size_t count,
                    record_line_order_list *order);
/* Of a journal's first line; plans its protocol again.  Refuses another format, another version
 * of the program, and a protocol that is planned differently now. */
eh_status manifest_read(const record_line *line, manifest **out, eh_error *error);
/* Finds the executors of a manifest that was read: their plugins and devices. */
/* Refuses settings of the command line that are not the run's: a run that is resumed keeps its own. */
eh_status manifest_check_options(const manifest *m, eh_error *error);
/* Sets the run's settings for this process.  EH_E_USAGE when one names code and the command line does not
 * have it too: the journal may be somebody else's. */
eh_status manifest_take_options(const manifest *m, eh_error *error);
eh_status manifest_find(manifest *m, const discover_report *here, eh_error *error);
void manifest_free(manifest *m); /* NULL is fine */

#endif
