/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/cachekey.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/text.h"

/* Of drivers and compilers.  Where a cache or an installation lies changes no code; which driver is
 * loaded does, and caches know that by themselves. */
static const char read_by_compilers[] =
	"POCL_*, LP_*, GALLIVM_*, GALLIUM_*, DRAW_*, MESA_*, NIR_*, ST_*, RUSTICL_*, CLOVER_*, "
	"LLVM_*, CLANG_*, CCC_*, GCC_*, COMPILER_PATH, CUDA_*, NVRTC_*, NVVM_*, __NV_*, HIP_*, "
	"HIPCC_*, HSA_*, ROCM_*, AMD_*, GPU_*, COMGR_*, IGC_*, NEO_*, ZE_*, OCL_*, CL_*, OPENCL_*";
static const char no_code[] = "*CACHE*, *_HOME, *_ROOT, OCL_ICD_*";

static bool counts(const char *assignment)
{
	char *name = memory_format("%.*s", (int)strcspn(assignment, "="), assignment);
	bool yes = text_matches(read_by_compilers, name) && !text_matches(no_code, name);

	free(name);
	return yes;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char *cachekey_folder(const char *const *environment)
{
	const char **chosen = NULL;
	size_t count = 0;
	digest *d;
	char hex[65];

	for (; *environment != NULL; environment++)
		if (counts(*environment)) {
			chosen = memory_grow(chosen, (count + 1) * sizeof(*chosen));
			chosen[count++] = *environment;
		}
	if (count == 0)
		return NULL;
	qsort(chosen, count, sizeof(*chosen), by_text);
	d = digest_new();
	for (size_t i = 0; i < count; i++)
		digest_add(d, chosen[i], strlen(chosen[i]) + 1);
	digest_end(d, hex);
	free(chosen);
	return memory_format("settings-%.12s", hex);
}
