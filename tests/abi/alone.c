/* SPDX-License-Identifier: Apache-2.0 */
/* backend.h before anything else, twice, and what a C or C++ author of a plugin writes with it. */
#include "evenhand/backend.h"
#include "evenhand/backend.h"

#ifdef WITH_WORKLOAD
#include "evenhand/backend_helper.h"
#include "evenhand/conformance.h"
#include "evenhand/extensions.h"
#include "evenhand/probe.h"
#include "evenhand/workload.h"
#endif

const eh_backend *eh_backend_entry_v1(void)
{
	return NULL;
}

extern int has_flush(const eh_backend_ops *ops);
int has_flush(const eh_backend_ops *ops)
{
	return EH_HAS(ops, eh_backend_ops, queue_flush);
}

extern int has_room(uint32_t size);
int has_room(uint32_t size)
{
	return EH_ROOM(size, eh_error, where);
}

extern eh_backend_entry entry_of(void);
eh_backend_entry entry_of(void)
{
	return eh_backend_entry_v1;
}

#ifdef WITH_WORKLOAD
extern uint64_t elements_of(const eh_case *values);
uint64_t elements_of(const eh_case *values)
{
	return eh_case_number(values, "elements") + (uint64_t)eh_case_text(values, "kind")[0];
}
#endif
