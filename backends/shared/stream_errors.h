/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of a stream API: see shared/streamapi.h.  Include it behind the vendor's table `codes`. */
#include <stdarg.h>

static const stream_code *code_of(stream_rc rc)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code.native == (int64_t)rc)
			return &codes[i];
	return NULL;
}

eh_status stream_error_status(stream_rc rc)
{
	const stream_code *code = code_of(rc);

	return code != NULL ? code->code.status : EH_E_DEVICE;
}

bool stream_error_is_sticky(stream_rc rc)
{
	const stream_code *code = code_of(rc);

	return code != NULL && code->sticky;
}

const char *stream_error_name(const stream_api *api, stream_rc rc)
{
	const stream_code *code = code_of(rc);
	const char *name = code != NULL ? code->code.name : stream_vendor_name(api, rc);

	return name != NULL ? name : "unknown " STREAM_VENDOR " error";
}

__attribute__((format(printf, 6, 0)))
static void explain(const stream_api *api, eh_error *error, eh_status status, stream_rc rc,
                    const char *where, const char *format, va_list arguments)
{
	const stream_code *code = code_of(rc);
	char call[64];

	vendorlib_plain_name(where, call, sizeof(call));
	(void)failure_native_list(error, status, call, (int64_t)rc, stream_error_name(api, rc),
	                          code != NULL ? code->remedy : NULL, format, arguments);
}

eh_status stream_error_call(const stream_api *api, eh_error *error, stream_rc rc, const char *where,
                            const char *format, ...)
{
	const eh_status status = stream_error_status(rc);
	va_list arguments;

	va_start(arguments, format);
	explain(api, error, status, rc, where, format, arguments);
	va_end(arguments);
	return status;
}

eh_status stream_error_as(const stream_api *api, eh_error *error, eh_status status, stream_rc rc,
                          const char *where, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	explain(api, error, status, rc, where, format, arguments);
	va_end(arguments);
	return status;
}

void stream_error_gap(const stream_api *api, wording_gaps *gaps, const char *fact, stream_rc rc,
                      const char *where)
{
	char call[64];

	vendorlib_plain_name(where, call, sizeof(call));
	wording_gap(gaps, fact, call, stream_error_name(api, rc), (int64_t)rc);
}
