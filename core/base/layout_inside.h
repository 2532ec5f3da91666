/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the layout_*.c files only. */
#ifndef BASE_LAYOUT_INSIDE_H
#define BASE_LAYOUT_INSIDE_H

#include "base/layout.h"

/* The items of a list of any type. */
void *layout_list(const void *list, size_t *count);
/* Appends a zeroed element of that size and returns it. */
void *layout_list_grow(void *list, size_t size);
/* Makes an absent list an empty one. */
void layout_list_present(void *list, size_t size);
/* The value of a member that is a pointer. */
void *layout_pointer(const void *member);

/* The size of an element of a MAP, TEXT_MAP, NUMBER_MAP or TEXTS_MAP. */
size_t layout_item_size(const layout_field *map);
/* malloc'd: the elements of a map, which begin with their names, in the order of these
 * (json_name_order). */
const void **layout_map_sorted(const layout_field *field, const void *map, size_t *count);
/* Thread-safe. */
const layout_order *layout_order_of(const layout *l);

#endif
