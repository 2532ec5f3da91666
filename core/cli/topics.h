/* SPDX-License-Identifier: Apache-2.0 */
/* What `evenhand help` explains beside the commands.  A topic more is a line of the table in topics.c. */
#ifndef CLI_TOPICS_H
#define CLI_TOPICS_H

#include <stdbool.h>

#include "cli/command.h"

typedef struct cli_topic {
	const char *name, *summary;
	void (*print)(bool json);
} cli_topic;

/* NULL when there is none of that name. */
const cli_topic *topic_find(const char *name);
/* The last has no name. */
extern const cli_topic cli_topics[];
extern const cli_item topic_exit_codes[], topic_environment[], topic_files[];
/* Which code counts when several would fit. */
extern const char topic_exit_order[];

#endif
