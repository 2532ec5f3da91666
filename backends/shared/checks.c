/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include "failure.h"

enum { MOST_ARGUMENTS = 20 };

eh_status checks_alloc(const char *device, uint64_t caps, uint64_t max_alloc, uint32_t kind,
                       uint64_t bytes, eh_error *error)
{
	if (kind < EH_MEMORY_DEVICE || kind > EH_MEMORY_SHARED)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "buffer_alloc",
		                   "%u is no kind of memory.", (unsigned)kind);
	if ((kind == EH_MEMORY_PINNED && (caps & EH_CAP_PINNED) == 0) ||
	    (kind == EH_MEMORY_SHARED && (caps & EH_CAP_SHARED) == 0))
		return failure_set(error, EH_E_UNSUPPORTED, "buffer_alloc", "%s has no %s memory.",
		                   device, kind == EH_MEMORY_PINNED ? "pinned" : "shared virtual");
	if (bytes == 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "buffer_alloc",
		                   "A buffer must have at least one byte.");
	if ((max_alloc != 0 && bytes > max_alloc) || bytes > SIZE_MAX)
		return failure_set(error, EH_E_NO_MEMORY, "buffer_alloc",
		                   "%s allocates at most %llu bytes at once, and %llu are asked for.",
		                   device, (unsigned long long)max_alloc, (unsigned long long)bytes);
	return EH_OK;
}

eh_status checks_flags(const char *slot, uint32_t flags, uint32_t known, eh_error *error)
{
	if ((flags & ~known) == 0)
		return EH_OK;
	return failure_set(error, EH_E_INVALID_ARGUMENT, slot, "0x%x is no set of flags for this.",
	                   (unsigned)flags);
}

eh_status checks_elapsed(const eh_queue *from, const eh_queue *to, bool timed, eh_error *error)
{
	if (from == NULL || to != from)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		                   "The two marks were not recorded in one queue.");
	if (!timed)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		                   "A mark or its queue was made without EH_TIMED.");
	return EH_OK;
}

eh_status checks_range(const char *slot, uint64_t size, uint64_t offset, uint64_t bytes,
                       eh_error *error)
{
	if (offset <= size && bytes <= size - offset)
		return EH_OK;
	return failure_set(error, EH_E_INVALID_ARGUMENT, slot,
	                   "%llu bytes at offset %llu do not lie in a buffer of %llu bytes.",
	                   (unsigned long long)bytes, (unsigned long long)offset,
	                   (unsigned long long)size);
}

eh_status checks_fill(uint64_t size, uint64_t offset, uint64_t bytes, eh_error *error)
{
	if (bytes % 4 != 0 || offset % 4 != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "fill",
		                   "A fill covers whole 32-bit words.");
	return checks_range("fill", size, offset, bytes, error);
}

eh_status checks_copy(bool same, uint64_t to_size, uint64_t to_offset, uint64_t from_size,
                      uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	eh_status status = checks_range("copy", to_size, to_offset, bytes, error);

	if (status == EH_OK)
		status = checks_range("copy", from_size, from_offset, bytes, error);
	if (status == EH_OK && same && to_offset < from_offset + bytes &&
	    from_offset < to_offset + bytes)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "copy",
		                   "The two ranges of a copy within one buffer overlap.");
	return status;
}

eh_status checks_peers(bool same, uint32_t how, eh_error *error)
{
	if (same)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "peer connect",
		                   "A device is connected with another one, not with itself.");
	if (how != EH_PEER_STAGED && how != EH_PEER_DIRECT)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "peer connect",
		                   "Copies go no way %u: it is EH_PEER_STAGED or EH_PEER_DIRECT.", how);
	return EH_OK;
}

eh_status checks_peer_copy(bool of_link, bool device_memory, uint64_t to_size, uint64_t to_offset,
                           uint64_t from_size, uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	if (!of_link || !device_memory)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "peer copy", !of_link ?
		                   "A copy between devices has a buffer of each device of the link." :
		                   "A copy between devices is one of device memory.");
	return checks_copy(false, to_size, to_offset, from_size, from_offset, bytes, error);
}

eh_status checks_launch(const char *kernel, int64_t takes, const checks_limits *limits,
                        const eh_launch *launch, eh_error *error)
{
	uint64_t items = 1;

	if (launch->arg_count > MOST_ARGUMENTS ||
	    (takes != CHECKS_ANY_COUNT && launch->arg_count != takes))
		return failure_set(error, EH_E_INVALID_ARGUMENT, "launch",
		                   "Kernel %s takes %lld arguments, and %u are given.", kernel,
		                   takes != CHECKS_ANY_COUNT ? (long long)takes : MOST_ARGUMENTS,
		                   (unsigned)launch->arg_count);
	for (unsigned d = 0; d < 3; d++) {
		const uint32_t size = launch->group_size[d], groups = launch->groups[d];

		if (size == 0 || groups == 0)
			return failure_set(error, EH_E_INVALID_ARGUMENT, "launch",
			                   "Kernel %s is launched with no work in dimension %u.", kernel,
			                   d);
		if ((limits->group_size[d] != 0 && size > limits->group_size[d]) ||
		    (limits->groups[d] != 0 && groups > limits->groups[d]))
			return failure_set(error, EH_E_UNSUPPORTED, "launch",
			                   "Kernel %s is launched with %u groups of %u work-items in "
			                   "dimension %u, and the device takes %u of %u.", kernel,
			                   (unsigned)groups, (unsigned)size, d,
			                   (unsigned)limits->groups[d], (unsigned)limits->group_size[d]);
		items *= size;
	}
	if (limits->group_items != 0 && items > limits->group_items)
		return failure_set(error, EH_E_UNSUPPORTED, "launch",
		                   "Kernel %s is launched in groups of %llu work-items, and at most %u "
		                   "are possible.", kernel, (unsigned long long)items,
		                   (unsigned)limits->group_items);
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		const eh_arg *a = &launch->args[i];
		const bool plain = a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8;

		if (a->buffer == NULL && (a->data == NULL || !plain))
			return failure_set(error, EH_E_INVALID_ARGUMENT, "launch",
			                   "Argument %u of kernel %s is neither a buffer nor a value of "
			                   "1, 2, 4 or 8 bytes.", (unsigned)i, kernel);
	}
	return EH_OK;
}
