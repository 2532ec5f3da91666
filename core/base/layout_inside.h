/* SPDX-License-Identifier: Apache-2.0 */
/* Access to lists and pointers by address; for the layout_*.c files only. */
#ifndef BASE_LAYOUT_INSIDE_H
#define BASE_LAYOUT_INSIDE_H

#include <stddef.h>

/* The items of a list of any type. */
void *layout_list(const void *list, size_t *count);
/* Appends a zeroed element of that size and returns it. */
void *layout_list_grow(void *list, size_t size);
/* Makes an absent list an empty one. */
void layout_list_present(void *list, size_t size);
/* The value of a member that is a pointer. */
void *layout_pointer(const void *member);

#endif
