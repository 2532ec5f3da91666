/* SPDX-License-Identifier: Apache-2.0 */
/* The record as C structs.  record/record.def defines every member; status.def, flag.def
 * and layer_kind.def define the statuses, the flags and the kinds of layers.  base/layout.h reads, writes and compares the structs. */
#ifndef RECORD_RECORD_H
#define RECORD_RECORD_H

#define LAYOUT_FILE "record/record.def"
#define LAYOUT_NAME(name) record_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* The meaning of a status or a flag; all texts may be "". */
typedef struct record_mark {
	const char *word;
	const char *sentence;
	const char *remedy;    /* what to do about it                                            */
	const char *follows;   /* comma list of the contract's rules that use it                 */
	bool counts;           /* samples of such an execution are part of the row's numbers     */
} record_mark;

const record_mark *record_status_mark(enum record_status status);
const record_mark *record_flag_mark(enum record_flag flag);

/* Whether samples of executions with that status are part of the row's numbers. */
static inline bool record_counts(enum record_status status)
{
	return record_status_mark(status)->counts;
}

/* Whether the cases' times are latencies of requests under a load. */
static inline bool record_is_load(const record_settings *s)
{
	return s->scenario == RECORD_SCENARIO_SERVER || s->scenario == RECORD_SCENARIO_CLOSED ||
	       s->scenario == RECORD_SCENARIO_KNEE;
}

/* Whether a case of these settings can take turns in lockstep: loads, percentiles and the sustained
 * regime need a time of their own. */
static inline bool record_fits_turns(const record_settings *s)
{
	return s->regime != RECORD_REGIME_SUSTAINED &&
	       (s->scenario == record_scenario_kind_absent || s->scenario == RECORD_SCENARIO_NONE) &&
	       (s->statistic == record_statistic_absent || s->statistic == RECORD_STATISTIC_MEDIAN ||
	        s->statistic == RECORD_STATISTIC_QUARTILE);
}

/* How a deviation begins that says that executions ran on different stacks. */
#define RECORD_EXECUTOR_CHANGED "the executor changed during the run"
/* The same for one that says that the run's journal was damaged, and what was kept of it. */
#define RECORD_SALVAGED "the run's journal was damaged and salvaged"

/* What follows from the kind of a layer. */
typedef struct record_layer_traits {
	enum record_area area;  /* whose team owns it by default; record_area_absent: nobody's       */
	unsigned char lead;     /* changes are named after the layer with the lowest                 */
	bool apart;             /* whether the canary does not go through it                         */
	const char *example;    /* of its key in a site file; "" = a site file does not declare it   */
} record_layer_traits;

const record_layer_traits *record_layer_traits_of(enum record_layer_kind kind);

/* The layer's field of that name, or NULL. */
const record_field *record_layer_field(const record_layer *layer, const char *name);

/* The instrument of the execution, of a list that ascends; NULL where there is none. */
const record_instrument *record_instrument_of(const record_instrument_list *all, uint64_t execution);

/* Whether the run was asked for the case. */
bool record_asked(const text_list *asked, const char *id);

#endif
