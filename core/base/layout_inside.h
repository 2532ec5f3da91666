/* SPDX-License-Identifier: Apache-2.0 */
/* Members of structs by address, for the files of base/layout.h. */
#ifndef BASE_LAYOUT_INSIDE_H
#define BASE_LAYOUT_INSIDE_H

#include <stddef.h>

/* The items of any list. */
void *layout_list(const void *list, size_t *count);
/* Appends a zeroed element of that size. */
void *layout_list_grow(void *list, size_t size);
/* Makes a list that is absent an empty one. */
void layout_list_present(void *list, size_t size);
/* The pointer that a member holds. */
void *layout_pointer(const void *member);

#endif
