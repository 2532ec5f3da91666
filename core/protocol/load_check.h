/* SPDX-License-Identifier: Apache-2.0 */
/* Whether `scenario` and the load-* keys fit together. */
#ifndef PROTOCOL_LOAD_CHECK_H
#define PROTOCOL_LOAD_CHECK_H

#include "protocol/protocol.h"

/* EH_E_USAGE: "SOURCE:LINE: [NAME]: ...".  name: of the section on that line.  tuned: one of its
 * tiers is, so the search takes part of the timeout. */
eh_status load_check(const char *source, int line, const char *name, const record_settings *m,
                     bool tuned, eh_error *error);

#endif
