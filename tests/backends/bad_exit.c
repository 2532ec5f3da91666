/* SPDX-License-Identifier: Apache-2.0 */
/* Its entry function ends the process as if all were well. */
#include "evenhand/backend.h"

#include <unistd.h>

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	_exit(0);
}
