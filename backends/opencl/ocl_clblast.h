/* SPDX-License-Identifier: Apache-2.0 */
/* CLBlast: opening it, and one product in a command queue. */
#ifndef OCL_CLBLAST_H
#define OCL_CLBLAST_H

#include "clblast_abi.h"
#include "ocl_state.h"
#include "shared/vendorlib.h"

typedef struct clblast_api {
#define X(field, names, arguments) CLBlastStatusCode (*field) arguments;
	CLBLAST_FUNCTIONS(X)
	CLBLAST_OPTIONAL(X)
#undef X
} clblast_api;

/* Of a started backend, from the first product on. */
typedef struct ocl_clblast {
	clblast_api api;
	vendorlib file;
	char version[32];   /* by the name of the file                                         */
	eh_status status;   /* of opening it                                                   */
	eh_error problem;   /* then                                                            */
} ocl_clblast;

/* Opens it once; the answer is kept. */
eh_status ocl_clblast_open(ocl_self *self, eh_error *error);

/* Three buffers and their offsets in bytes. */
typedef struct clblast_place {
	cl_mem a, b, c;
	uint64_t offset_a, offset_b, offset_c;
} clblast_place;

/* It makes products of these types. */
bool ocl_clblast_has_types(const eh_gemm *gemm);
const char *ocl_clblast_interface(const eh_gemm *gemm);
CLBlastStatusCode ocl_clblast_run(const clblast_api *api, const eh_gemm *gemm,
                                  const clblast_place *place, cl_command_queue queue, cl_event *event);

/* "XgemmDirect" or "Xgemm", as the library decides by the size; "unknown" when it does not tell. */
const char *ocl_clblast_kernel(const clblast_api *api, const eh_gemm *gemm, cl_command_queue queue);

/* Both factors can be passed as they are: only f16 has few. */
bool ocl_clblast_has_factors(const eh_gemm *gemm);

#endif
