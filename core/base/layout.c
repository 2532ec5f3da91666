/* SPDX-License-Identifier: Apache-2.0 */
/* Structs by their layout: making, freeing, copying, comparing. */
#include "base/layout.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/layout_inside.h"
#include "base/text.h"

/* The common shape of all lists. */
typedef struct any_list { void *items; size_t count; } any_list;

static any_list list_get(const void *list)
{
	any_list l;

	memcpy(&l, list, sizeof(l));
	return l;
}

static void list_set(void *list, any_list l)
{
	memcpy(list, &l, sizeof(l));
}

void *layout_list(const void *list, size_t *count)
{
	any_list l = list_get(list);

	*count = l.count;
	return l.items;
}

/* The first capacity of a list: a power of two, several elements when they are small. */
static size_t first_room(size_t size)
{
	return size <= sizeof(uint64_t) ? 8 : 1;
}

void *layout_list_grow(void *list, size_t size)
{
	any_list l = list_get(list);
	size_t least = first_room(size);

	/* The capacity doubles: a list is full when its count is a power of two. */
	if (l.count == 0 || (l.count >= least && (l.count & (l.count - 1)) == 0))
		l.items = memory_grow(l.items, (l.count > 0 ? 2 * l.count : least) * size);
	l.count++;
	list_set(list, l);
	return memset((char *)l.items + (l.count - 1) * size, 0, size);
}

void layout_list_present(void *list, size_t size)
{
	any_list l = list_get(list);

	if (l.items == NULL)
		l.items = memory_get(size);
	list_set(list, l);
}

void *layout_pointer(const void *member)
{
	void *pointer;

	memcpy(&pointer, member, sizeof(pointer));
	return pointer;
}

/* ---- making ---------------------------------------------------------------------------------- */

static void member_init(const layout_field *f, void *member)
{
	if (f->kind == LAYOUT_OBJECT && !f->optional)
		layout_init(f->inner(), member);
	else if (f->kind == LAYOUT_NUMBER && f->optional)
		*(double *)member = NAN;
	else if (f->kind == LAYOUT_UINT && f->optional)
		*(uint64_t *)member = LAYOUT_NO_UINT;
	else if (f->kind == LAYOUT_INT && f->optional)
		*(int *)member = LAYOUT_NO_INT;
}

void layout_init(const layout *l, void *object)
{
	memset(object, 0, l->size);
	for (size_t i = 0; i < l->count; i++)
		member_init(&l->fields[i], (char *)object + l->fields[i].offset);
}

void *layout_new(const layout *l)
{
	void *object = memory_get(l->size);

	layout_init(l, object);
	return object;
}

void *layout_append(const layout *inner, void *list)
{
	void *element = layout_list_grow(list, inner->size);

	layout_init(inner, element);
	return element;
}

/* ---- freeing --------------------------------------------------------------------------------- */

void text_list_clear(text_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (text_list){ 0 };
}

void number_map_clear(number_map *map)
{
	for (size_t i = 0; i < map->count; i++)
		free(map->items[i].key);
	free(map->items);
	*map = (number_map){ 0 };
}

static void map_clear(const layout_field *f, void *member)
{
	text_map *texts = member;
	number_map *numbers = member;
	texts_map *lists = member;

	if (f->kind == LAYOUT_TEXT_MAP) {
		for (size_t i = 0; i < texts->count; i++) {
			free(texts->items[i].key);
			free(texts->items[i].value);
		}
		free(texts->items);
	} else if (f->kind == LAYOUT_NUMBER_MAP) {
		number_map_clear(numbers);
	} else {
		for (size_t i = 0; i < lists->count; i++) {
			free(lists->items[i].key);
			text_list_clear(&lists->items[i].value);
		}
		free(lists->items);
	}
}

static void members_free(const layout *l, void *object);

void layout_list_clear(const layout *inner, void *list)
{
	any_list l = list_get(list);

	for (size_t i = 0; i < l.count; i++)
		members_free(inner, (char *)l.items + i * inner->size);
	free(l.items);
	list_set(list, (any_list){ 0 });
}

static void free_names(const layout *inner, const void *map)
{
	any_list list = list_get(map);

	for (size_t i = 0; i < list.count; i++)
		free(layout_pointer((char *)list.items + i * inner->size));
}

/* Leaves the member undefined. */
static void member_free(const layout_field *f, void *member)
{
	switch (f->kind) {
	case LAYOUT_TEXT:
	case LAYOUT_SHA256:
	case LAYOUT_SHA256_OR_EMPTY:
		free(layout_pointer(member));
		break;
	case LAYOUT_SCALAR:
		free(((scalar *)member)->text);
		break;
	case LAYOUT_WORDS:
	case LAYOUT_UINTS:
	case LAYOUT_NUMBERS:
		free(list_get(member).items);
		break;
	case LAYOUT_TEXTS:
		text_list_clear(member);
		break;
	case LAYOUT_TEXT_MAP:
	case LAYOUT_NUMBER_MAP:
	case LAYOUT_TEXTS_MAP:
		map_clear(f, member);
		break;
	case LAYOUT_OBJECT:
		if (f->optional)
			layout_free(f->inner(), layout_pointer(member));
		else
			members_free(f->inner(), member);
		break;
	case LAYOUT_MAP:
		free_names(f->inner(), member);
		layout_list_clear(f->inner(), member);
		break;
	case LAYOUT_LIST:
		layout_list_clear(f->inner(), member);
		break;
	case LAYOUT_BOOL:
	case LAYOUT_MAYBE:
	case LAYOUT_NUMBER:
	case LAYOUT_UINT:
	case LAYOUT_INT:
	case LAYOUT_WORD:
		break;
	}
}

static void members_free(const layout *l, void *object)
{
	for (size_t i = 0; i < l->count; i++)
		member_free(&l->fields[i], (char *)object + l->fields[i].offset);
}

void layout_clear(const layout *l, void *object)
{
	members_free(l, object);
	layout_init(l, object);
}

void layout_move(const layout *l, void *from, void *to)
{
	layout_clear(l, to);
	memcpy(to, from, l->size);
	layout_init(l, from);
}

void layout_free(const layout *l, void *object)
{
	if (object == NULL)
		return;
	members_free(l, object);
	free(object);
}

/* ---- filling --------------------------------------------------------------------------------- */

void text_set(char **member, const char *value)
{
	char *copy = value != NULL ? memory_text(value) : NULL;

	free(*member);
	*member = copy;
}

void text_list_add(text_list *list, const char *value)
{
	*(char **)layout_list_grow(list, sizeof(char *)) = memory_text(value);
}

void text_list_format(text_list *list, const char *format, ...)
{
	char *words = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&words, format, args) < 0)
		words = memory_text("");
	va_end(args);
	*(char **)layout_list_grow(list, sizeof(char *)) = words;
}

bool text_list_has(const text_list *list, const char *value)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->items[i], value) == 0)
			return true;
	return false;
}

void uint_list_set(uint_list *list, const uint64_t *values, size_t count)
{
	size_t room = first_room(sizeof(*values));

	/* layout_list_grow expects a capacity that is a power of two. */
	while (room < count)
		room *= 2;
	free(list->items);
	list->items = memory_get(room * sizeof(*values));
	if (count > 0)
		memcpy(list->items, values, count * sizeof(*values));
	list->count = count;
}

void uint_list_add(uint_list *list, uint64_t value)
{
	*(uint64_t *)layout_list_grow(list, sizeof(value)) = value;
}

void number_list_add(number_list *list, double value)
{
	*(double *)layout_list_grow(list, sizeof(value)) = value;
}

void text_map_add(text_map *map, const char *key, const char *value)
{
	*(text_pair *)layout_list_grow(map, sizeof(text_pair)) =
		(text_pair){ memory_text(key), memory_text(value) };
}

char *text_map_words(const text_map *map)
{
	text t = { 0 };

	for (size_t i = 0; i < map->count; i++)
		text_add(&t, "%s%s=%s", i > 0 ? "; " : "", map->items[i].key, map->items[i].value);
	return t.data != NULL ? t.data : memory_text("");
}

const char *text_map_get(const text_map *map, const char *key)
{
	for (size_t i = 0; i < map->count; i++)
		if (strcmp(map->items[i].key, key) == 0)
			return map->items[i].value;
	return NULL;
}

void number_map_add(number_map *map, const char *key, double value)
{
	*(number_pair *)layout_list_grow(map, sizeof(number_pair)) =
		(number_pair){ memory_text(key), value };
}

text_list *texts_map_add(texts_map *map, const char *key)
{
	texts_pair *pair = layout_list_grow(map, sizeof(*pair));

	pair->key = memory_text(key);
	return &pair->value;
}

bool word_list_has(const void *list, int value)
{
	any_list l = list_get(list);

	for (size_t i = 0; i < l.count; i++)
		if (((const int *)l.items)[i] == value)
			return true;
	return false;
}

void word_list_add(void *list, int value)
{
	if (!word_list_has(list, value))
		*(int *)layout_list_grow(list, sizeof(int)) = value;
}

const char *layout_word_of(const layout_words *words, int value)
{
	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].value == value)
			return words->items[i].word;
	return "";
}

int layout_word_value(const layout_words *words, const char *word, size_t size)
{
	for (size_t i = 0; i < words->count; i++)
		if (strlen(words->items[i].word) == size && memcmp(words->items[i].word, word, size) == 0)
			return words->items[i].value;
	return 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool text_same(const char *a, const char *b)
{
	return (a == NULL || b == NULL) ? a == b : strcmp(a, b) == 0;
}

static bool number_same(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool numbers_same(const double *a, const double *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!number_same(a[i], b[i]))
			return false;
	return true;
}

static bool texts_same(const text_list *a, const text_list *b)
{
	if (a->items == NULL || b->items == NULL)
		return a->items == b->items;
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i], b->items[i]) != 0)
			return false;
	return true;
}

bool scalar_same(const scalar *a, const scalar *b)
{
	return a->kind == b->kind && text_same(a->text, b->text) && number_same(a->number, b->number) &&
	       a->truth == b->truth;
}

size_t layout_item_size(const layout_field *f)
{
	switch (f->kind) {
	case LAYOUT_TEXT_MAP: return sizeof(text_pair);
	case LAYOUT_NUMBER_MAP: return sizeof(number_pair);
	case LAYOUT_TEXTS_MAP: return sizeof(texts_pair);
	default: return f->inner()->size;
	}
}

/* Apart from the keys. */
static bool item_same(const layout_field *f, const void *a, const void *b)
{
	switch (f->kind) {
	case LAYOUT_TEXT_MAP:
		return strcmp(((const text_pair *)a)->value, ((const text_pair *)b)->value) == 0;
	case LAYOUT_NUMBER_MAP:
		return number_same(((const number_pair *)a)->value, ((const number_pair *)b)->value);
	case LAYOUT_TEXTS_MAP:
		return texts_same(&((const texts_pair *)a)->value, &((const texts_pair *)b)->value);
	default:
		return layout_same(f->inner(), a, b);
	}
}

static int by_name(const void *a, const void *b)
{
	return json_name_order(layout_pointer(layout_pointer(a)), layout_pointer(layout_pointer(b)));
}

const void **layout_map_sorted(const layout_field *f, const void *map, size_t *count)
{
	any_list list = list_get(map);
	const void **items = memory_get(list.count * sizeof(*items));

	for (size_t i = 0; i < list.count; i++)
		items[i] = (const char *)list.items + i * layout_item_size(f);
	if (list.count > 1)
		qsort(items, list.count, sizeof(*items), by_name);
	*count = list.count;
	return items;
}

static bool elements_same(const layout_field *f, any_list x, any_list y)
{
	size_t size = f->inner()->size;

	for (size_t i = 0; i < x.count; i++)
		if (!layout_same(f->inner(), (const char *)x.items + i * size,
		                 (const char *)y.items + i * size))
			return false;
	return true;
}

/* Of two maps of the same size.  The members of a JSON object have no order. */
static bool entries_same(const layout_field *f, const void *a, const void *b)
{
	size_t count;
	const void **x = layout_map_sorted(f, a, &count), **y = layout_map_sorted(f, b, &count);
	bool same = true;

	for (size_t i = 0; i < count && same; i++)
		same = by_name(&x[i], &y[i]) == 0 && item_same(f, x[i], y[i]);
	free(x);
	free(y);
	return same;
}

static bool list_same(const layout_field *f, const void *a, const void *b)
{
	any_list x = list_get(a), y = list_get(b);

	if (x.count != y.count || (f->optional && (x.items == NULL) != (y.items == NULL)))
		return false;
	if (x.count == 0)
		return true;
	assert(x.items != NULL && y.items != NULL);
	if (f->kind == LAYOUT_WORDS)
		return memcmp(x.items, y.items, x.count * sizeof(int)) == 0;
	if (f->kind == LAYOUT_UINTS)
		return memcmp(x.items, y.items, x.count * sizeof(uint64_t)) == 0;
	if (f->kind == LAYOUT_NUMBERS)
		return numbers_same(x.items, y.items, x.count);
	if (f->kind == LAYOUT_TEXTS)
		return texts_same(a, b);
	return f->kind == LAYOUT_LIST ? elements_same(f, x, y) : entries_same(f, a, b);
}

static bool object_same(const layout_field *f, const void *a, const void *b)
{
	if (!f->optional)
		return layout_same(f->inner(), a, b);
	a = layout_pointer(a);
	b = layout_pointer(b);
	return a == NULL || b == NULL ? a == b : layout_same(f->inner(), a, b);
}

static bool member_same(const layout_field *f, const void *a, const void *b)
{
	switch (f->kind) {
	case LAYOUT_TEXT:
	case LAYOUT_SHA256:
	case LAYOUT_SHA256_OR_EMPTY: return text_same(layout_pointer(a), layout_pointer(b));
	case LAYOUT_BOOL: return *(const bool *)a == *(const bool *)b;
	case LAYOUT_NUMBER: return number_same(*(const double *)a, *(const double *)b);
	case LAYOUT_UINT: return *(const uint64_t *)a == *(const uint64_t *)b;
	case LAYOUT_MAYBE:
	case LAYOUT_WORD:
	case LAYOUT_INT: return memcmp(a, b, sizeof(int)) == 0;
	case LAYOUT_SCALAR: return scalar_same(a, b);
	case LAYOUT_OBJECT: return object_same(f, a, b);
	default: return list_same(f, a, b);
	}
}

bool layout_member_same(const layout_field *field, const void *a, const void *b)
{
	return member_same(field, (const char *)a + field->offset, (const char *)b + field->offset);
}

const layout_field *layout_difference(const layout *l, const void *a, const void *b)
{
	for (size_t i = 0; i < l->count; i++)
		if (!layout_member_same(&l->fields[i], a, b))
			return &l->fields[i];
	return NULL;
}

const layout_field *layout_find(const layout *l, const char *key)
{
	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->fields[i].key, key) == 0)
			return &l->fields[i];
	return NULL;
}

bool layout_same(const layout *l, const void *a, const void *b)
{
	return layout_difference(l, a, b) == NULL;
}

void layout_copy(const layout *l, const void *from, void *to)
{
	text written = { 0 };

	/* What is written can be read: a failure is a bug. */
	layout_put_canonical(l, from, NULL, &written);
	if (layout_read(l, written.data, written.size, "a copy", to, NULL) != EH_OK)
		abort();
	text_free(&written);
}

/* ---- the order of the keys ------------------------------------------------------------------- */

/* Keys are ASCII: the order of their bytes is that of the canonical form. */
static void sort_keys(const layout *l, layout_order *order)
{
	for (size_t i = 0; i < l->count; i++) {
		size_t at = i;

		for (; at > 0 && strcmp(l->fields[order->fields[at - 1]].key, l->fields[i].key) > 0; at--)
			order->fields[at] = order->fields[at - 1];
		order->fields[at] = (unsigned char)i;
	}
	for (size_t i = 0; i < l->count; i++)
		order->ranks[order->fields[i]] = (unsigned char)i;
}

const layout_order *layout_order_of(const layout *l)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	layout_order *order = l->order;

	if (!atomic_load_explicit(&order->ready, memory_order_acquire)) {
		(void)pthread_mutex_lock(&lock);
		if (!atomic_load_explicit(&order->ready, memory_order_relaxed))
			sort_keys(l, order);
		atomic_store_explicit(&order->ready, true, memory_order_release);
		(void)pthread_mutex_unlock(&lock);
	}
	return order;
}
