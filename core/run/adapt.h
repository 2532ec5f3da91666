/* SPDX-License-Identifier: Apache-2.0 */
/* Structs from the trees that measure, executor and protocol still give. */
#ifndef RUN_ADAPT_H
#define RUN_ADAPT_H

#include <stdlib.h>

#include "base/layout.h"
#include "base/log.h"

/* Takes the tree. */
static inline void adapt_tree(const layout *l, cJSON *tree, void *out)
{
	eh_error error = ERROR_INIT;

	if (layout_decode(l, tree, l->name, "", out, &error) != EH_OK) {
		log_write(EH_LOG_ERROR, "%s", error.message);
		abort();
	}
	cJSON_Delete(tree);
}

#endif
