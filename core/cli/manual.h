/* SPDX-License-Identifier: Apache-2.0 */
/* Help and manual, made from the tables of commands, options and topics. */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include <stdio.h>

#include "cli/command.h"

/* `evenhand help`: the commands in groups. */
void manual_program(FILE *out);
/* `evenhand help COMMAND`. */
void manual_command(FILE *out, const cli_command *c);
/* A list of terms, as `evenhand help TOPIC` prints it. */
void manual_items(FILE *out, const cli_item *items);

/* The whole manual: docs/evenhand.1, docs/cli.md. */
enum manual_format { MANUAL_MAN, MANUAL_MARKDOWN };
void manual_page(FILE *out, enum manual_format format);

#endif
