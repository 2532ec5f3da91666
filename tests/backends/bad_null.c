/* SPDX-License-Identifier: Apache-2.0 */
/* Its entry function returns NULL. */
#include "evenhand/backend.h"

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return NULL;
}
