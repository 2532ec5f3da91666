/* SPDX-License-Identifier: Apache-2.0 */
/* It exports something, but no entry function. */
#include "evenhand/backend.h"

EH_EXPORT int bad_no_entry(void);
int bad_no_entry(void)
{
	return 1;
}
