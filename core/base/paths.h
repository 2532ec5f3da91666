/* SPDX-License-Identifier: Apache-2.0 */
/* The paths of evenhand's own files.  PREFIX is found from the program's own path,
 * PREFIX/bin/evenhand, which works in the build tree too as it mirrors the install prefix.  If
 * PREFIX has no such files, the configured prefix is used.  Results are malloc'd. */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

char *paths_program(void);           /* this executable, absolute; "" where it cannot be
                                         known: without /proc, and started by a relative path */
char *paths_library(const char *sub); /* PREFIX/lib/evenhand/SUB: "backends", "workloads",
                                         "probes", "host-kernels"; "" for the folder itself */
char *paths_data(const char *sub);   /* PREFIX/share/evenhand/SUB: "protocols", "workloads" */
char *paths_user_data(const char *sub); /* $XDG_DATA_HOME/evenhand/SUB, ~/.local/share/...;
                                           NULL if there is none */
char *paths_user_config(const char *sub); /* $XDG_CONFIG_HOME/evenhand/SUB, ~/.config/...; NULL if
                                             there is none */
char *paths_user_state(const char *sub); /* $XDG_STATE_HOME/evenhand/SUB, ~/.local/state/...; NULL if
                                            there is none */
char *paths_cache(const char *sub);  /* $EVENHAND_CACHE_DIR or $XDG_CACHE_HOME/evenhand or
                                        ~/.cache/evenhand, with /SUB; NULL if there is none */
char *paths_temporary(void);         /* $TMPDIR when that is absolute, or /tmp */

#endif
