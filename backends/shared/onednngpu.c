/* SPDX-License-Identifier: Apache-2.0 */
#include "onednngpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

static eh_status open_library(onednngpu *l, const eh_host *host, void *functions, eh_error *error)
{
	const onednngpu_way *way = l->way;
	const char *chosen = host->option(host->ctx, "onednn");
	char advice[200], *real;
	eh_status status;

	snprintf(advice, sizeof(advice), "build oneDNN 3 with %s for its GPU and name the library by --set "
	         "%s.onednn=FILE", way->api, way->backend);
	status = vendorlib_open(&l->file, "oneDNN", "libdnnl.so.3 libdnnl.so.3.6 libdnnl.so.2", chosen, advice, error);
	if (status == EH_OK)
		status = onednn_resolve(&l->file, &l->api, advice, error);
	if (status != EH_OK)
		return status;
	real = realpath(l->file.path, NULL);
	if (real != NULL)
		snprintf(l->file.path, sizeof(l->file.path), "%s", real);
	free(real);
	if (l->api.version()->gpu_runtime != way->runtime)
		return failure_set(error, EH_E_UNSUPPORTED, "dnnl_version", "oneDNN %s at %.100s was built "
		                   "without %s: %s.", l->api.version_text, l->file.path, way->api, advice);
	return vendorlib_resolve(&l->file, way->symbols, way->symbol_count, functions, advice, error);
}

eh_status onednngpu_open(onednngpu *l, const onednngpu_way *way, const eh_host *host, void *functions,
                         eh_error *error)
{
	if (l->way == NULL) {
		l->way = way;
		l->problem.struct_size = sizeof(l->problem);
		l->status = open_library(l, host, functions, &l->problem);
	}
	if (l->status != EH_OK && error != NULL)
		eh_give(error, &l->problem, sizeof(l->problem));
	return l->status;
}

eh_status onednngpu_failed(const onednngpu *l, const eh_gemm *gemm, const char *device, const char *where,
                           dnnl_status_t rc, eh_error *error)
{
	char types[48];

	products_text(gemm, types, sizeof(types));
	if (rc == dnnl_unimplemented)
		return failure_set(error, EH_E_UNSUPPORTED, where, "oneDNN %s has no product of %s on %s.",
		                   l->api.version_text, types, device);
	if (rc == dnnl_out_of_memory)
		return failure_set(error, EH_E_NO_MEMORY, where, "No memory is left on %s for a product of "
		                   "oneDNN.", device);
	return failure_set(error, EH_E_DEVICE, where, "oneDNN %s did not make the product of %s on %s: %s "
	                   "returned %d.", l->api.version_text, types, device, where, (int)rc);
}

eh_status onednngpu_check(const eh_gemm *gemm, eh_error *error)
{
	char types[48];

	if (onednn_has_types(gemm, dnnl_gpu))
		return EH_OK;
	products_text(gemm, types, sizeof(types));
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "oneDNN has no product of %s.", types);
}

eh_status onednngpu_build(const onednngpu *l, dnnl_engine_t engine, const eh_gemm *gemm, const char *device,
                          onednn_product *product, const char **kernel, eh_error *error)
{
	const char *call = "";
	const dnnl_status_t rc = onednn_build(&l->api, engine, dnnl_gpu, gemm, product, kernel, &call);

	return rc == dnnl_success ? EH_OK : onednngpu_failed(l, gemm, device, call, rc, error);
}

void onednngpu_layer(const onednngpu *l, const char *setting, eh_layer *layer)
{
	static const char *const variables[] = { NULL };

	memset(layer, 0, sizeof(*layer));
	layer->kind = EH_LAYER_LIBRARY;
	layer->source = EH_SOURCE_QUERIED;
	snprintf(layer->name, sizeof(layer->name), "oneDNN");
	snprintf(layer->version, sizeof(layer->version), "%s", l->api.version_text);
	wording_path(layer, l->file.path);
	products_picked_detail(layer, "dnnl_query_impl_info_str", setting, variables);
}
