/* SPDX-License-Identifier: Apache-2.0 */
/* The calling thread's device of a stream API, and the loss of a device: see shared/streamapi.h. */
#include <stdarg.h>
#include <stdio.h>

/* The opening whose place is the calling thread's; 0 = none, or unknown. */
static _Thread_local uint64_t current_opening;

eh_status stream_devices_enter(eh_device *d, const char *slot, eh_error *error)
{
	stream_rc rc;

	if (d->lost != STREAM_OK)
		return failure_native(error, EH_E_DEVICE_LOST, slot, (int64_t)d->lost,
		                      stream_error_name(d->api, d->lost),
		                      "That was said before; a new process starts anew.",
		                      "%s is lost since an earlier command", d->info.name);
	if (current_opening == d->opening)
		return EH_OK;
	rc = d->api->enter(d->place);
	if (rc != STREAM_OK)
		return stream_devices_failed(d, error, rc, STREAM_CALLS.enter, "%s cannot be used",
		                             d->info.name);
	current_opening = d->opening;
	return EH_OK;
}

void stream_devices_enter_quietly(eh_device *d)
{
	if (current_opening != d->opening && d->api->enter(d->place) == STREAM_OK)
		current_opening = d->opening;
}

void stream_devices_open(eh_device *d)
{
	static uint64_t openings;

	d->opening = ++openings;
}

void stream_devices_leave(void)
{
	current_opening = 0;
}

eh_status stream_devices_failed(eh_device *d, eh_error *error, stream_rc rc, const char *where,
                                const char *format, ...)
{
	char text[200];
	va_list arguments;

	if (stream_error_is_sticky(rc))
		d->lost = rc;
	va_start(arguments, format);
	if (vsnprintf(text, sizeof(text), format, arguments) < 0)
		text[0] = '\0';
	va_end(arguments);
	return stream_error_call(d->api, error, rc, where, "%s", text);
}
