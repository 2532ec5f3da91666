/* SPDX-License-Identifier: Apache-2.0 */
/* What the coordinator and a worker tell each other, as structs: core/run/worker.def. */
#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#define LAYOUT_FILE "run/worker.def"
#define LAYOUT_NAME(name) worker_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

#endif
