/* SPDX-License-Identifier: Apache-2.0 */
/* The last line of a worker that crashes in the code of a probe: it names the probe. */
#ifndef RUN_PROBEDEATH_H
#define RUN_PROBEDEATH_H

/* When a signal of a crash comes while its thread is in a probe's code, {"event": "probe", "name"} is
 * written to fd first.  The process dies of the signal all the same. */
void probedeath_install(int fd);

#endif
