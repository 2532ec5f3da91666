/* SPDX-License-Identifier: Apache-2.0 */
/* The results that words of the command line name: files, folders, bundles, members of bundles. */
#ifndef CLI_INPUT_RESULTS_H
#define CLI_INPUT_RESULTS_H

#include <stdbool.h>

#include "audit/bundle.h"
#include "cli/option.h"
#include "record/result.h"

/* The results of one word, one at least. */
typedef struct cli_input {
	const char *word;
	bool folder;       /* it names all results of a folder or of a bundle                   */
	result **results;
	size_t count;
} cli_input;

/* Reads the results of each word.  Errors say what a file is
 * that is no result, and which command takes it. */
eh_status cli_inputs_read(const char *const *words, size_t count, cli_input **out,
                      eh_error *error);
/* One input: the results of a bundle that was read.  `word` names it. */
eh_status cli_inputs_of_bundle(const char *word, const bundle *b, cli_input **out, eh_error *error);
void cli_inputs_free(cli_input *inputs, size_t count);
/* All results of inputs, in order; malloc'd, the results are borrowed. */
result **cli_inputs_all(const cli_input *inputs, size_t count, size_t *total);
/* The result that all others are compared with, the same in every command: the one that --baseline
 * names (NULL: not given) by executor, a part of its name that no other has, or path; else the first
 * result named; of a folder the first executor of its run, or the first file where the record does
 * not tell.  EH_E_USAGE with the candidates. */
eh_status cli_inputs_reference(const cli_input *inputs, size_t count, const char *name,
                               const result **out, eh_error *error);
/* The result of that name among all; `option` stands for what named it in messages. */
eh_status cli_inputs_find(result *const *all, size_t count, const char *option, const char *name,
                          const result **out, eh_error *error);
/* The first executor of the run among results in the order of their files. */
const result *cli_inputs_first(result *const *all, size_t count);
/* EH_E_USAGE unless the input is one result; `role` is its word in the usage. */
eh_status cli_inputs_single(const cli_input *in, const char *role, eh_error *error);

/* The paths of results, for commands that read or write files themselves: each word, or the results
 * in it when it is a folder.  Names are malloc'd.  A bundle is refused unless `bundles`. */
eh_status cli_inputs_paths(const char *const *words, size_t count, bool bundles, char ***out,
                       size_t *out_count, eh_error *error);
void cli_inputs_paths_free(char **paths, size_t count);

/* EH_E_USAGE when the file is a folder, a bundle, a journal, a protocol, a claim or a site file; the
 * message says so and names the command that takes it. */
eh_status cli_inputs_refuse(const char *path, eh_error *error);

#endif
