/* SPDX-License-Identifier: Apache-2.0 */
/* The processor and the machine around it, from /proc and /sys. */
#ifndef EXECUTOR_PROCESSOR_H
#define EXECUTOR_PROCESSOR_H

#include "record/record.h"

/* Appends the layer "hardware" of the processor and "firmware" of the machine. */
void processor_add(record_layer_list *layers, const char *root);
/* Appends the fields "virtualization", "hypervisor" and "container". */
void virtualization_add(record_layer *layer, const char *root);

#endif
