/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/prepared.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"

enum { IDLE_TRIALS = 3 };
static const uint64_t longest_ns = 2000000000;

static const struct {
	uint64_t cap;
	const char *name;
} needs[] = {
	{ EH_CAP_ASYNC, "asynchronous queues" },
	{ EH_CAP_DEVICE_TIME, "device time" },
	{ EH_CAP_PINNED, "pinned host memory" },
	{ EH_CAP_SHARED, "shared memory" },
	{ EH_CAP_FP64, "double precision arithmetic" },
	{ EH_CAP_FP16, "half precision arithmetic" },
	{ EH_CAP_FP16_STORE, "half precision storage" },
	{ EH_CAP_BF16_STORE, "16-bit integer storage, which bf16 needs" },
	{ EH_CAP_ATOMIC64, "64-bit atomics" },
};

bool prepared_fits(uint64_t bytes, uint64_t memory_bytes)
{
	return memory_bytes == 0 || bytes <= memory_bytes / 10 * 9;
}

char *prepared_unsupported(const session *s, const eh_work *work)
{
	const eh_device_info *info = &s->info;
	uint64_t missing = work->needs & ~info->caps;
	char want[32];
	char have[32];

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if ((missing & needs[i].cap) != 0)
			return memory_format("The device does not offer %s.", needs[i].name);
	if (missing != 0)
		return memory_format("The device lacks a capability that the work needs (0x%llx).",
		                     (unsigned long long)missing);
	if (!prepared_fits(work->device_bytes, info->memory_bytes)) {
		text_about_bytes(work->device_bytes, want);
		text_about_bytes(info->memory_bytes, have);
		return memory_format("The work needs %s of device memory, the device has %s and nine "
		                     "tenths of it may be used.", want, have);
	}
	if (info->max_group_items != 0 && work->group_items > info->max_group_items)
		return memory_format("The work needs work-groups of %llu items, the device allows %u.",
		                     (unsigned long long)work->group_items, info->max_group_items);
	if (info->local_memory_bytes != 0 && work->local_bytes > info->local_memory_bytes) {
		text_format_bytes(work->local_bytes, want);
		text_format_bytes(info->local_memory_bytes, have);
		return memory_format("The work needs %s of local memory in a group, the device has %s.", want,
		                     have);
	}
	return NULL;
}

static char *digest_text(const void *data, uint64_t size)
{
	char hex[65];

	if (data == NULL || size == 0)
		return NULL;
	digest_bytes(data, (size_t)size, hex);
	return memory_text(hex);
}

#define TEXT_OF(array) text_clean_copy(array, sizeof(array))

static void describe_binary(const eh_program_info *info, record_program *out)
{
	out->binary_sha256 = digest_text(info->binary, info->binary_size);
	out->binary_kind = TEXT_OF(info->binary_kind);
	out->ir_sha256 = digest_text(info->ir, info->ir_size);
	out->ir_kind = TEXT_OF(info->ir_kind);
	out->compiler = TEXT_OF(info->compiler);
	out->compiler_version = TEXT_OF(info->compiler_version);
	out->flags = TEXT_OF(info->flags);
	out->target = TEXT_OF(info->target);
	out->from_cache = info->from_cache != 0 ? MAYBE_YES : MAYBE_NO;
}

static void describe_program(const prepared *p, const eh_source *source, uint64_t build_ns,
                             record_program *out)
{
	eh_program_info info = { .struct_size = sizeof(info) };
	const eh_backend_ops *ops = p->s->ops;

	text_set(&out->kernel, source->name);
	for (uint32_t i = 0; i < source->macro_count; i++)
		text_list_format(&out->defines, "%s=%s", source->macros[i].name, source->macros[i].value);
	text_set(&out->source_sha256, source->digest);
	out->build_ns = build_ns;
	if (EH_HAS(ops, eh_backend_ops, program_info) &&
	    ops->program_info(p->program, &info, NULL) == EH_OK)
		describe_binary(&info, out);
}

/* Appends the first words of the compiler's log to the error's message, as one line. */
static void quote_log(eh_error *error, const char *log)
{
	size_t used;
	char *out;

	if (error == NULL || log[0] == '\0')
		return;
	used = strlen(error->message);
	out = error->message + used;
	if (used + 32 > sizeof(error->message))
		return;
	memcpy(out, " Compiler: ", 11);
	out += 11;
	for (; *log != '\0' && out + 1 < error->message + sizeof(error->message); log++) {
		bool space = *log == '\n' || *log == '\r' || *log == '\t' || *log == ' ';

		if (space && out[-1] == ' ')
			continue;
		*out++ = space ? ' ' : *log;
	}
	*out = '\0';
}

static eh_status build(prepared *p, record_program *record, eh_error *error)
{
	enum { LOG_SIZE = 16384 };
	const eh_work *work = p->bench.work;
	eh_source *source;
	uint64_t start;
	eh_status status;
	char *log;

	status = session_source(work->kernel, work->defines, work->define_count, &source, error);
	if (status != EH_OK)
		return status;
	log = memory_get(LOG_SIZE);
	start = clock_now_ns();
	status = p->s->ops->program_build(p->s->device, source, &p->program, log, LOG_SIZE, error);
	log[LOG_SIZE - 1] = '\0';
	if (status != EH_OK) {
		p->program = NULL;
		if (status == EH_E_BUILD)
			quote_log(error, log);
	} else if (record != NULL) {
		describe_program(p, source, clock_now_ns() - start, record);
	}
	free(log);
	if (status == EH_OK)
		p->source = source;
	else
		free(source);
	return status;
}

/* Makes the sets and the order of visits, which never changes, so that all other sets lie between two
 * visits of one, and is random, so that no prefetcher follows. */
static eh_status prepare_sets(prepared *p, const prepared_choice *choice, eh_error *error)
{
	size_t count = choice->cold.sets > 1 ? (size_t)choice->cold.sets : 1;
	size_t *order = memory_get(count * sizeof(*order));
	random_state random;
	eh_status status = EH_OK;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	random_seed(&random, random_derive(choice->seed, "sets", 0));
	random_shuffle(&random, order, count);
	p->states = memory_get(count * sizeof(*p->states));
	p->set_count = count;
	for (size_t i = 0; i < count && status == EH_OK; i++) {
		void **state = &p->states[order[i]];

		p->data.open = i == 0;
		status = p->workload->prepare(&p->bench, state, error);
		p->data.open = false;
		if (status != EH_OK)
			*state = NULL;
	}
	free(order);
	return status;
}

static eh_status make_evictor(prepared *p, uint64_t bytes, eh_error *error)
{
	eh_status status;

	if (bytes == 0)
		return EH_OK;
	p->evictor_bytes = bytes & ~UINT64_C(4095);
	status = p->bench.ops->buffer_alloc(p->s->device, EH_MEMORY_DEVICE, p->evictor_bytes,
	                                    &p->evictor, error);
	if (status != EH_OK)
		p->evictor = NULL;
	return status;
}

/* The bench that a workload holds is the one inside its case. */
static const session *session_of(const eh_bench *bench)
{
	const void *p = (const char *)bench - offsetof(prepared, bench);

	return ((const prepared *)p)->s;
}

static const void *find_extension(const eh_bench *bench, const char *name)
{
	const session *s = session_of(bench);

	return EH_HAS(s->ops, eh_backend_ops, extension) ? s->ops->extension(s->self, name) : NULL;
}

static eh_status open_other(const eh_bench *bench, uint64_t ordinal, eh_device_info *info,
                            eh_device **device, eh_error *error)
{
	return session_open_other(session_of(bench), ordinal, info, device, error);
}

static uint32_t tier_of(enum record_tier tier)
{
	return tier == RECORD_TIER_VENDOR ? EH_TIER_VENDOR :
	       tier == RECORD_TIER_TUNED  ? EH_TIER_TUNED : EH_TIER_PORTABLE;
}

eh_status prepared_open(prepared *p, const session *s, const eh_workload *workload,
                        const eh_case *values, const eh_work *work,
                        const prepared_choice *choice, record_program *program, eh_error *error)
{
	eh_status status;

	*p = (prepared){ .s = s, .workload = workload };
	p->bench = (eh_bench){
		.struct_size = sizeof(p->bench),
		.info = &s->info,
		.device = s->device,
		.queue = choice->timed ? s->queue : s->plain,
		.values = values,
		.work = work,
		.extension = find_extension,
		.tier = tier_of(choice->tier),
		.open_other = open_other,
	};
	p->bench.ops = memory_asked_begin(&p->memory, s->ops, s->device);
	inputdata_lend(&p->bench, choice->data, &p->data);
	status = s->ops->mark_create(s->device, choice->timed ? EH_TIMED : 0, &p->from, error);
	if (status == EH_OK)
		status = s->ops->mark_create(s->device, choice->timed ? EH_TIMED : 0, &p->to, error);
	if (status == EH_OK)
		status = s->ops->buffer_alloc(s->device, EH_MEMORY_DEVICE, sizeof(p->drains), &p->probe,
		                              error);
	if (status == EH_OK && work->kernel[0] != '\0')
		status = build(p, program, error);
	if (status == EH_OK) {
		p->bench.program = p->program;
		p->bench.source = p->source;
		status = prepare_sets(p, choice, error);
	}
	if (status == EH_OK)
		status = make_evictor(p, choice->cold.evicted_bytes, error);
	if (status != EH_OK)
		prepared_close(p);
	return status;
}

uint64_t prepared_memory(prepared *p)
{
	p->bench.ops = p->s->ops;
	return memory_asked_end(&p->memory);
}

void prepared_close(prepared *p)
{
	const eh_backend_ops *ops = p->s->ops;

	(void)prepared_memory(p);
	/* No command may still use what is freed now; when even waiting fails nothing more can be done. */
	(void)ops->queue_wait(p->bench.queue, NULL);
	for (size_t i = 0; i < p->set_count; i++)
		if (p->states[i] != NULL)
			p->workload->finish(p->states[i]);
	free(p->states);
	if (p->program != NULL)
		ops->program_destroy(p->program);
	free(p->source);
	ops->buffer_free(p->evictor);
	ops->buffer_free(p->probe);
	ops->mark_destroy(p->to);
	ops->mark_destroy(p->from);
	*p = (prepared){ .s = p->s };
}

eh_status prepared_enqueue(prepared *p, uint64_t count, eh_error *error)
{
	eh_status status = EH_OK;

	for (; count > 0 && status == EH_OK; count--) {
		status = p->workload->enqueue(p->states[p->next], p->iteration++, error);
		p->next = p->next + 1 == p->set_count ? 0 : p->next + 1;
	}
	return status;
}

void prepared_stay(prepared *p)
{
	p->next = (p->next + p->set_count - 1) % p->set_count;
}

eh_status prepared_touch(prepared *p, eh_error *error)
{
	eh_status status;

	if (p->set_count == 1)
		return EH_OK;
	status = prepared_enqueue(p, 1, error);
	if (status == EH_OK)
		status = prepared_wait(p, error);
	prepared_stay(p);
	return status;
}

void *prepared_state(const prepared *p, uint64_t operations)
{
	return p->states[(p->next + p->set_count - 1 + operations % p->set_count) % p->set_count];
}

eh_status prepared_evict(prepared *p, eh_error *error)
{
	const eh_backend_ops *ops = p->s->ops;
	eh_queue *queue = p->bench.queue;
	uint64_t half = p->evictor_bytes / 2;
	eh_status status;

	if (p->evictor == NULL)
		return EH_OK;
	/* Stores may pass by the caches, so what was written is also read. */
	status = ops->fill(queue, p->evictor, 0, 2 * half, (uint32_t)p->iteration, error);
	if (status == EH_OK)
		status = ops->copy(queue, p->evictor, half, p->evictor, 0, half, error);
	return status == EH_OK ? prepared_wait(p, error) : status;
}

eh_status prepared_wait(prepared *p, eh_error *error)
{
	return p->s->ops->queue_wait(p->bench.queue, error);
}

eh_status prepared_drain(prepared *p, uint64_t *ns, eh_error *error)
{
	const eh_backend_ops *ops = p->s->ops;
	eh_queue *queue = p->bench.queue;
	uint64_t start = clock_now_ns();
	uint32_t back = 0;
	eh_status status = ops->fill(queue, p->probe, 0, sizeof(back), ++p->drains, error);

	if (status == EH_OK)
		status = ops->download(queue, &back, p->probe, 0, sizeof(back), error);
	if (status == EH_OK)
		status = ops->queue_wait(queue, error);
	*ns = clock_now_ns() - start;
	if (status == EH_OK && back != p->drains)
		return error_set(error, EH_E_INTERNAL, "The word %u was written behind the operations, but %u "
		                 "was read back.", p->drains, back);
	return status;
}

eh_status prepared_idle(prepared *p, uint64_t *ns, eh_error *error)
{
	uint64_t took;
	eh_status status = prepared_drain(p, &took, error);

	*ns = UINT64_MAX;
	for (int i = 0; i < IDLE_TRIALS && status == EH_OK; i++) {
		status = prepared_drain(p, &took, error);
		*ns = took < *ns ? took : *ns;
	}
	return status;
}

uint64_t prepared_outlast(uint64_t idle_ns, uint64_t shortest_ns)
{
	uint64_t length = 16 * idle_ns < longest_ns ? 16 * idle_ns : longest_ns;

	if (length < 8 * idle_ns)
		length = 8 * idle_ns;
	return length > shortest_ns ? length : shortest_ns;
}
