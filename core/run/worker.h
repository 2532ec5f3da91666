/* SPDX-License-Identifier: Apache-2.0 */
/* What the coordinator and a worker tell each other, as structs: core/run/worker.def. */
#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "record/record.h"

/* Structs of the record under names of this file. */
typedef record_instrument worker_instrument;
typedef record_execution worker_execution;
typedef record_executor worker_executor;
#define worker_instrument_layout record_instrument_layout
#define worker_execution_layout record_execution_layout
#define worker_executor_layout record_executor_layout

#define LAYOUT_FILE "run/worker.def"
#define LAYOUT_NAME(name) worker_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

#endif
