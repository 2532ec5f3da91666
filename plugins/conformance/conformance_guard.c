/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance_guard.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance_text.h"
#include "evenhand/extensions.h"

static struct {
	const eh_trial *trial;
	int rounding;          /* what the thread and the process had when the trial began */
	bool flushes;
	locale_t thread_locale;
	char locale[256];
	const eh_backend_ops *ops;
	const eh_graph_ops *graph;
	const eh_peer_ops *peer;
	const eh_probe_ops *probe;
	eh_backend_ops guarded_ops;
	eh_graph_ops guarded_graph;
	eh_peer_ops guarded_peer;
	eh_probe_ops guarded_probe;
	bool troubled;
	char trouble[700], told[700]; /* told: the last that was returned                     */
} guard;

/* One trouble is told once: a slot that is called in every test does not fail all of them. */
__attribute__((format(printf, 1, 2)))
static void trouble(const char *format, ...)
{
	va_list args;

	if (guard.troubled)
		return;
	va_start(args, format);
	(void)vsnprintf(guard.trouble, sizeof(guard.trouble), format, args);
	va_end(args);
	guard.troubled = strcmp(guard.trouble, guard.told) != 0;
}

const char *guard_trouble(void)
{
	const bool troubled = guard.troubled;

	guard.troubled = false;
	if (troubled)
		memcpy(guard.told, guard.trouble, sizeof(guard.told));
	return troubled ? guard.told : NULL;
}

/* Whether this thread replaces subnormal numbers by 0. */
static bool flushes(void)
{
	const volatile double least = DBL_MIN;
	volatile double half;

	half = least / 2;
	return half == 0 || half * 2 != least;
}

void guard_begin(const eh_trial *trial)
{
	const char *name = setlocale(LC_ALL, NULL);

	guard.trial = trial;
	guard.rounding = fegetround();
	guard.flushes = flushes();
	guard.thread_locale = uselocale((locale_t)0);
	(void)snprintf(guard.locale, sizeof(guard.locale), "%s", name != NULL ? name : "C");
}

static void tell(const char *slot)
{
	const eh_trial *t = guard.trial;

	if (EH_HAS(t, eh_trial, enter))
		t->enter(t->ctx, slot);
}

void guard_enter(const char *slot)
{
	tell(slot);
}

static const char *rounding_word(int mode)
{
	return mode == FE_TONEAREST ? "to nearest" : mode == FE_UPWARD ? "upward" :
	       mode == FE_DOWNWARD ? "downward" : mode == FE_TOWARDZERO ? "toward zero" : "unknown";
}

/* Puts back what was changed, so that the next trouble has its own cause. */
static void check_arithmetic(const char *slot)
{
	const int mode = fegetround();

	if (mode != guard.rounding) {
		trouble("%s changed the rounding mode of the calling thread from %s to %s: results of "
		        "the program are wrong from then on; put it back before the call returns", slot,
		        rounding_word(guard.rounding), rounding_word(mode));
		(void)fesetround(guard.rounding);
	}
	if (!guard.flushes && flushes()) {
		trouble("%s made the calling thread replace subnormal numbers by 0, as an object that "
		        "is linked with -ffast-math or -Ofast does when it is loaded; link without them",
		        slot);
		(void)fesetenv(FE_DFL_ENV);
		(void)fesetround(guard.rounding);
	}
}

static void check_locale(const char *slot)
{
	const char *name = setlocale(LC_ALL, NULL);

	if (name != NULL && strcmp(name, guard.locale) != 0) {
		trouble("%s changed the locale of the process from %.60s to %.60s: numbers may be read "
		        "and written wrongly from then on; use newlocale and uselocale, and put the "
		        "thread's back", slot, guard.locale, name);
		(void)setlocale(LC_ALL, guard.locale);
	}
	if (uselocale((locale_t)0) != guard.thread_locale) {
		trouble("%s left the calling thread with another locale; put it back", slot);
		(void)uselocale(guard.thread_locale);
	}
}

void guard_leave(const char *slot)
{
	tell(NULL);
	check_arithmetic(slot);
	check_locale(slot);
}

/* A message may end within a character where the backend cut it. */
static void check_error(const char *slot, eh_status status, const eh_error *e)
{
	const char *fault;

	if (e == NULL || e->code != status)
		return;
	if (EH_ROOM(e->struct_size, eh_error, native_name) &&
	    (fault = text_fault(e->native_name, sizeof(e->native_name), TEXT_CUT)) != NULL)
		trouble("the native_name of the error of %s %s", slot, fault);
	if (EH_ROOM(e->struct_size, eh_error, where) &&
	    (fault = text_fault(e->where, sizeof(e->where), TEXT_CUT)) != NULL)
		trouble("the text `where` of the error of %s %s", slot, fault);
	if (EH_ROOM(e->struct_size, eh_error, message) &&
	    (fault = text_fault(e->message, sizeof(e->message), TEXT_CUT)) != NULL)
		trouble("the message of the error of %s %s", slot, fault);
}

static eh_status leave_status(const char *slot, eh_status status, const eh_error *error)
{
	guard_leave(slot);
	if (status > EH_OK || status < EH_E_INTERNAL)
		trouble("%s returned %d, which is no status of the ABI", slot, status);
	else if (status != EH_OK)
		check_error(slot, status, error);
	return status;
}

/* ---- the tables ------------------------------------------------------------------------------ */

/* Slots that return a status; the last parameter is the error. */
#define BACKEND_SLOTS(X) \
	X(start, (const eh_host *host, void **self, eh_error *error), (host, self, error)) \
	X(device_count, (void *self, uint32_t *count, eh_error *error), (self, count, error)) \
	X(device_info, (void *self, uint32_t index, eh_device_info *info, eh_error *error), \
	  (self, index, info, error)) \
	X(device_open, (void *self, uint32_t index, eh_device **device, eh_error *error), \
	  (self, index, device, error)) \
	X(device_layer, (eh_device *device, uint32_t index, eh_layer *layer, eh_error *error), \
	  (device, index, layer, error)) \
	X(buffer_alloc, (eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer, \
	                 eh_error *error), (device, kind, bytes, buffer, error)) \
	X(queue_create, (eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error), \
	  (device, flags, queue, error)) \
	X(queue_flush, (eh_queue *queue, eh_error *error), (queue, error)) \
	X(queue_wait, (eh_queue *queue, eh_error *error), (queue, error)) \
	X(fill, (eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes, \
	         uint32_t pattern, eh_error *error), (queue, buffer, offset, bytes, pattern, error)) \
	X(copy, (eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from, \
	         uint64_t from_offset, uint64_t bytes, eh_error *error), \
	  (queue, to, to_offset, from, from_offset, bytes, error)) \
	X(upload, (eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from, \
	           uint64_t bytes, eh_error *error), (queue, to, offset, from, bytes, error)) \
	X(download, (eh_queue *queue, void *to, eh_buffer *from, uint64_t offset, uint64_t bytes, \
	             eh_error *error), (queue, to, from, offset, bytes, error)) \
	X(program_build, (eh_device *device, const eh_source *source, eh_program **program, \
	                  char *log, size_t log_size, eh_error *error), \
	  (device, source, program, log, log_size, error)) \
	X(program_info, (eh_program *program, eh_program_info *info, eh_error *error), \
	  (program, info, error)) \
	X(kernel_get, (eh_program *program, const char *name, eh_kernel **kernel, \
	               eh_error *error), (program, name, kernel, error)) \
	X(kernel_info, (eh_kernel *kernel, eh_kernel_info *info, eh_error *error), \
	  (kernel, info, error)) \
	X(launch, (eh_queue *queue, eh_kernel *kernel, const eh_launch *launch, eh_error *error), \
	  (queue, kernel, launch, error)) \
	X(mark_create, (eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error), \
	  (device, flags, mark, error)) \
	X(mark_record, (eh_queue *queue, eh_mark *mark, eh_error *error), (queue, mark, error)) \
	X(mark_wait, (eh_mark *mark, eh_error *error), (mark, error)) \
	X(mark_passed, (eh_mark *mark, uint32_t *passed, eh_error *error), (mark, passed, error)) \
	X(queue_wait_mark, (eh_queue *queue, eh_mark *mark, eh_error *error), (queue, mark, error))
#define BACKEND_ENDS(X) \
	X(stop, (void *self), (self)) \
	X(notes, (void *self, char *text, size_t size), (self, text, size)) \
	X(device_close, (eh_device *device), (device)) \
	X(buffer_free, (eh_buffer *buffer), (buffer)) \
	X(queue_destroy, (eh_queue *queue), (queue)) \
	X(program_destroy, (eh_program *program), (program)) \
	X(mark_destroy, (eh_mark *mark), (mark))
#define GRAPH_SLOTS(X) \
	X(available, (eh_device *device, eh_error *error), (device, error)) \
	X(begin, (eh_queue *queue, eh_error *error), (queue, error)) \
	X(end, (eh_queue *queue, eh_graph **graph, eh_error *error), (queue, graph, error)) \
	X(launch, (eh_queue *queue, eh_graph *graph, eh_error *error), (queue, graph, error))
#define GRAPH_ENDS(X) X(destroy, (eh_graph *graph), (graph))
#define PEER_SLOTS(X) \
	X(connect, (eh_device *device, eh_device *other, uint32_t how, eh_peer_link **link, \
	            eh_error *error), (device, other, how, link, error)) \
	X(copy, (eh_queue *queue, eh_peer_link *link, eh_buffer *to, uint64_t to_offset, \
	         eh_buffer *from, uint64_t from_offset, uint64_t bytes, eh_error *error), \
	  (queue, link, to, to_offset, from, from_offset, bytes, error)) \
	X(queue_wait_mark, (eh_queue *queue, eh_mark *mark, eh_error *error), (queue, mark, error))
#define PEER_ENDS(X) X(disconnect, (eh_peer_link *link), (link))
#define PROBE_SLOTS(X) \
	X(start, (const eh_host *host, void **self, eh_error *error), (host, self, error)) \
	X(place_count, (void *self, uint32_t *count, eh_error *error), (self, count, error)) \
	X(place_info, (void *self, uint32_t place, eh_place_info *info, eh_error *error), \
	  (self, place, info, error)) \
	X(channel_info, (void *self, uint32_t place, uint32_t channel, eh_channel_info *info, \
	                 eh_error *error), (self, place, channel, info, error)) \
	X(read, (void *self, uint32_t place, eh_reading *readings, uint32_t count, \
	         eh_error *error), (self, place, readings, count, error))
#define PROBE_ENDS(X) \
	X(stop, (void *self), (self)) \
	X(notes, (void *self, char *text, size_t size), (self, text, size))

#define CALL_STATUS(table, label, slot, params, args) \
	static eh_status table##_##slot params \
	{ \
		eh_status status; \
\
		guard_enter(label #slot); \
		status = guard.table->slot args; \
		return leave_status(label #slot, status, error); \
	}
#define CALL_END(table, label, slot, params, args) \
	static void table##_##slot params \
	{ \
		guard_enter(label #slot); \
		guard.table->slot args; \
		guard_leave(label #slot); \
	}
#define OPS_STATUS(slot, params, args) CALL_STATUS(ops, "", slot, params, args)
#define OPS_END(slot, params, args) CALL_END(ops, "", slot, params, args)
#define GRAPH_STATUS(slot, params, args) CALL_STATUS(graph, "graph ", slot, params, args)
#define GRAPH_END(slot, params, args) CALL_END(graph, "graph ", slot, params, args)
#define PEER_STATUS(slot, params, args) CALL_STATUS(peer, "peer ", slot, params, args)
#define PEER_END(slot, params, args) CALL_END(peer, "peer ", slot, params, args)
#define PROBE_STATUS(slot, params, args) CALL_STATUS(probe, "", slot, params, args)
#define PROBE_END(slot, params, args) CALL_END(probe, "", slot, params, args)
BACKEND_SLOTS(OPS_STATUS)
BACKEND_ENDS(OPS_END)
GRAPH_SLOTS(GRAPH_STATUS)
GRAPH_ENDS(GRAPH_END)
PEER_SLOTS(PEER_STATUS)
PEER_ENDS(PEER_END)
PROBE_SLOTS(PROBE_STATUS)
PROBE_ENDS(PROBE_END)

static eh_status ops_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	eh_status status;

	guard_enter("mark_elapsed");
	status = guard.ops->mark_elapsed(from, to, ns, error);
	if (status == EH_OK && *ns > INT64_MAX)
		trouble("mark_elapsed gave %llu ns, which is %lld as a signed number: the clock of the "
		        "marks steps back", (unsigned long long)*ns, (long long)*ns);
	return leave_status("mark_elapsed", status, error);
}

static void *ops_buffer_host_pointer(eh_buffer *buffer)
{
	void *p;

	guard_enter("buffer_host_pointer");
	p = guard.ops->buffer_host_pointer(buffer);
	guard_leave("buffer_host_pointer");
	return p;
}

/* Copies the plugin's table, as far as both sides know it, and puts the guarded functions into the
 * slots that it fills.  Slots that are not named here are called directly. */
#define COPY_TABLE(table, type, from) \
	do { \
		const size_t own = sizeof(type), theirs = (from)->struct_size; \
\
		memset(&guard.guarded_##table, 0, own); \
		memcpy(&guard.guarded_##table, (from), theirs < own ? theirs : own); \
		guard.guarded_##table.struct_size = (uint32_t)(theirs < own ? theirs : own); \
		guard.table = (from); \
	} while (0)
#define SET(table, slot) \
	if (guard.guarded_##table.slot != NULL) \
		guard.guarded_##table.slot = table##_##slot;
#define SET_OPS(slot, params, args) SET(ops, slot)
#define SET_GRAPH(slot, params, args) SET(graph, slot)
#define SET_PEER(slot, params, args) SET(peer, slot)
#define SET_PROBE(slot, params, args) SET(probe, slot)

static const void *ops_extension(void *self, const char *name)
{
	const void *table;

	guard_enter("extension");
	table = guard.ops->extension(self, name);
	guard_leave("extension");
	if (table != NULL && strcmp(name, EH_GRAPH_NAME) == 0) {
		COPY_TABLE(graph, eh_graph_ops, (const eh_graph_ops *)table);
		GRAPH_SLOTS(SET_GRAPH)
		GRAPH_ENDS(SET_GRAPH)
		return &guard.guarded_graph;
	}
	if (table != NULL && strcmp(name, EH_PEER_NAME) == 0) {
		COPY_TABLE(peer, eh_peer_ops, (const eh_peer_ops *)table);
		PEER_SLOTS(SET_PEER)
		PEER_ENDS(SET_PEER)
		return &guard.guarded_peer;
	}
	return table;
}

const eh_backend_ops *guard_backend(const eh_backend_ops *ops)
{
	COPY_TABLE(ops, eh_backend_ops, ops);
	BACKEND_SLOTS(SET_OPS)
	BACKEND_ENDS(SET_OPS)
	SET(ops, mark_elapsed)
	SET(ops, buffer_host_pointer)
	SET(ops, extension)
	return &guard.guarded_ops;
}

const eh_probe_ops *guard_probe(const eh_probe_ops *ops)
{
	COPY_TABLE(probe, eh_probe_ops, ops);
	PROBE_SLOTS(SET_PROBE)
	PROBE_ENDS(SET_PROBE)
	return &guard.guarded_probe;
}
