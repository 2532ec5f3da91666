/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of eh.gemm.1 on a stream API.  See shared/streamapi.h. */
#include <string.h>

static eh_status check_operand(const char *what, const eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                               eh_error *error)
{
	if (buffer->kind != EH_MEMORY_DEVICE)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "%s of a product lies in device memory.",
		                   what);
	if (offset % 16 != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The offsets of matrices are multiples "
		                   "of 16 bytes.");
	return checks_range("gemm", buffer->bytes, offset, bytes, error);
}

eh_status stream_products_check(const eh_queue *queue, const eh_device *device, const products_bytes *bytes,
                                uint64_t workspace, const eh_gemm_operands *o, eh_error *error)
{
	eh_status status;

	if (queue->device != device || o->a == NULL || o->b == NULL || o->c == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "A product needs three matrices, and "
		                   "the queue of the device that it was prepared for.");
	status = check_operand("A matrix", o->a, o->offset_a, bytes->a, error);
	if (status == EH_OK)
		status = check_operand("A matrix", o->b, o->offset_b, bytes->b, error);
	if (status == EH_OK)
		status = check_operand("A matrix", o->c, o->offset_c, bytes->c, error);
	if (status != EH_OK || workspace == 0)
		return status;
	if (o->workspace == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The product was prepared with a "
		                   "workspace of %llu bytes, and none is given.", (unsigned long long)workspace);
	return check_operand("The workspace", o->workspace, 0, workspace, error);
}

void *stream_products_at(const eh_buffer *buffer, uint64_t offset)
{
	const stream_address address = STREAM_AT(buffer->address, offset);
	void *pointer;

	memcpy(&pointer, &address, sizeof(pointer));
	return pointer;
}
