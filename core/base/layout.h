/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts: the mapping of C structs to JSON.  A layout is a table with one line per member;
 * reading, writing, copying, comparing, freeing, the JSON Schema and the tables of the
 * documentation follow from it.  One definition file generates both the structs and the tables
 * (base/layout_structs.h).
 *
 * Absent values: NULL for texts, objects and lists; NaN for numbers; LAYOUT_NO_UINT; LAYOUT_NO_INT;
 * 0 for words and for MAYBE.  A struct starts with all optional members absent (layout_init). A
 * struct owns everything it points to, by malloc.
 */
#ifndef BASE_LAYOUT_H
#define BASE_LAYOUT_H

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_scan.h"
#include "base/text.h"

#define LAYOUT_NO_UINT UINT64_MAX
#define LAYOUT_NO_INT INT_MIN

enum maybe { MAYBE_ABSENT, MAYBE_NO, MAYBE_YES };

typedef struct text_list { char **items; size_t count; } text_list;
typedef struct uint_list { uint64_t *items; size_t count; } uint_list;
typedef struct number_list { double *items; size_t count; } number_list;

/* A text, a number or a bool. */
enum scalar_kind { SCALAR_ABSENT, SCALAR_TEXT, SCALAR_NUMBER, SCALAR_BOOL };
typedef struct scalar { enum scalar_kind kind; char *text; double number; bool truth; } scalar;

/* JSON objects with arbitrary, unique names, in the order of the file. */
typedef struct text_pair { char *key, *value; } text_pair;
typedef struct text_map { text_pair *items; size_t count; } text_map;
typedef struct number_pair { char *key; double value; } number_pair;
typedef struct number_map { number_pair *items; size_t count; } number_map;
typedef struct texts_pair { char *key; text_list value; } texts_pair;
typedef struct texts_map { texts_pair *items; size_t count; } texts_map;

enum layout_kind {
	LAYOUT_TEXT,       /* char *                                                             */
	LAYOUT_SHA256,     /* char *: 64 lower-case hex digits                                   */
	LAYOUT_SHA256_OR_EMPTY,
	LAYOUT_BOOL,       /* bool                                                               */
	LAYOUT_MAYBE,      /* enum maybe: an optional bool                                       */
	LAYOUT_NUMBER,     /* double, finite                                                     */
	LAYOUT_UINT,       /* uint64_t: a number up to 2^53, a string of digits above            */
	LAYOUT_INT,        /* int of 32 bits                                                     */
	LAYOUT_SCALAR,     /* scalar                                                             */
	LAYOUT_WORD,       /* an enum, 0 is absent                                               */
	LAYOUT_WORDS,      /* { enum *items; size_t count }                                      */
	LAYOUT_TEXTS,      /* text_list                                                          */
	LAYOUT_UINTS,      /* uint_list                                                          */
	LAYOUT_NUMBERS,    /* number_list                                                        */
	LAYOUT_TEXT_MAP,   /* text_map                                                           */
	LAYOUT_NUMBER_MAP, /* number_map                                                         */
	LAYOUT_TEXTS_MAP,  /* texts_map                                                          */
	LAYOUT_OBJECT,     /* the struct itself, or a pointer to it where optional               */
	LAYOUT_LIST,       /* { struct *items; size_t count }: an array of objects               */
	LAYOUT_MAP         /* the same as an object: the struct's first member is the name       */
};

typedef struct layout_word { int value; const char *word, *sentence; } layout_word;
typedef struct layout_words {
	const char *name;
	const char *sentence;
	const layout_word *items;      /* values ascend from 1                                   */
	size_t count;
} layout_words;

struct layout;
typedef struct layout_field {
	const char *key;
	size_t key_size;
	enum layout_kind kind;
	bool optional;
	size_t offset;
	const struct layout *(*inner)(void); /* OBJECT, LIST, MAP                                */
	const layout_words *(*words)(void);  /* WORD, WORDS                                      */
	const char *unit;                    /* "" = none                                        */
	unsigned since;                      /* format version                                   */
	const char *sentence;
} layout_field;

/* The fields in the order of their keys, as indices; filled when it is needed first. */
typedef struct layout_order {
	atomic_bool ready;
	unsigned char fields[64];
	unsigned char ranks[64];             /* where each field is in `fields`                  */
} layout_order;

/* A closed object: a member that is not in the table is refused.  At most 64 fields. */
typedef struct layout {
	const char *name;
	const char *sentence;
	size_t size;                         /* of the struct                                    */
	const layout_field *fields;
	size_t count;
	layout_order *order;
} layout;

/* Sets optional members to absent, required ones to 0 or empty; frees nothing. */
void layout_init(const layout *l, void *object);
/* Frees the members, then initialises the struct again. */
void layout_clear(const layout *l, void *object);
/* Moves the content of `from` to `to`: frees the old content of `to` and initialises `from`. */
void layout_move(const layout *l, void *from, void *to);
/* malloc'd and initialised. */
void *layout_new(const layout *l);
/* Clears and frees the object; NULL is fine. */
void layout_free(const layout *l, void *object);

/* Moves numbers from `items`, which is not NULL, and returns where they are then; `size` in bytes. */
typedef void *layout_mover(void *context, void *items, size_t size);
/* Moves the lists of numbers (UINTS, NUMBERS) of the object, and of all objects in it. */
void layout_move_numbers(const layout *l, void *object, layout_mover *move, void *context);

/* Appends an initialised element to a list { struct *items; size_t count } and returns it; pointers
 * to elements are valid until the next append. */
void *layout_append(const layout *inner, void *list);
/* Clears all elements and frees the list, which is empty then. */
void layout_list_clear(const layout *inner, void *list);
/* The same for lists of plain values; texts are copied. */
void text_list_add(text_list *list, const char *value);
__attribute__((format(printf, 2, 3)))
void text_list_format(text_list *list, const char *format, ...);
void text_list_clear(text_list *list);
bool text_list_has(const text_list *list, const char *value);
void uint_list_set(uint_list *list, const uint64_t *values, size_t count);
void uint_list_add(uint_list *list, uint64_t value);
void number_list_add(number_list *list, double value);
void text_map_add(text_map *map, const char *key, const char *value);
/* malloc'd "key=value; key=value"; "" for an empty map. */
char *text_map_words(const text_map *map);
/* NULL when the key is missing. */
const char *text_map_get(const text_map *map, const char *key);
void number_map_add(number_map *map, const char *key, double value);
void number_map_clear(number_map *map);
/* Returns the new entry's list, valid until the next add. */
text_list *texts_map_add(texts_map *map, const char *key);
/* Replaces the text by a copy of value, or by absent when value is NULL. */
void text_set(char **member, const char *value);
/* "" for an absent text. */
static inline const char *text_or_empty(const char *member) { return member != NULL ? member : ""; }
/* malloc'd: a text as it is, a number or a bool as JSON. */
char *scalar_text(const scalar *s);
bool scalar_same(const scalar *a, const scalar *b);
/* Appends a value to a list of words { enum *items; size_t count } unless it is there already. */
void word_list_add(void *list, int value);
bool word_list_has(const void *list, int value);

/* The word of a value, "" for 0 and for an unknown value. */
const char *layout_word_of(const layout_words *words, int value);
/* The value of a word of `size` bytes, 0 for an unknown word. */
int layout_word_value(const layout_words *words, const char *word, size_t size);

/* Fills an initialised struct from a text.  EH_E_FORMAT for what base/json_scan.h refuses, and with
 * messages such as "NAME: PLACE.KEY is missing".  On failure the struct is cleared. */
eh_status layout_read(const layout *l, const char *body, size_t size, const char *name,
                      void *object, eh_error *error);
/* The same for the rest of a scan; `place` is the object's path, "" for the root. */
eh_status layout_scan(const layout *l, json_scan scan, const char *place, void *object);

/* malloc'd text: one line, or indented; absent members are left out. */
char *layout_text(const layout *l, const void *object, bool pretty);
/* The same for a list { struct *items; size_t count }: an array of objects. */
char *layout_list_text(const layout *inner, const void *list, bool pretty);
/* malloc'd canonical text (base/json.h); the member `without` is left out, NULL = none. */
char *layout_canonical(const layout *l, const void *object, const char *without);
/* Appends the same to a text. */
void layout_put_canonical(const layout *l, const void *object, const char *without, text *out);
/* SHA-256 of the canonical text. */
void layout_digest(const layout *l, const void *object, char hex[65]);

/* Deep copy into an initialised struct. */
void layout_copy(const layout *l, const void *from, void *to);
/* Whether both have the same members with the same values: lists in the same order, maps in any. */
bool layout_same(const layout *l, const void *a, const void *b);
/* The first field that differs, or NULL. */
const layout_field *layout_difference(const layout *l, const void *a, const void *b);
/* The field with that key, or NULL. */
const layout_field *layout_find(const layout *l, const char *key);
/* Whether one member has the same value in two structs. */
bool layout_member_same(const layout_field *field, const void *a, const void *b);
/* One member as JSON text: malloc'd; NULL when it is absent. */
char *layout_member_json(const layout_field *field, const void *object);
/* The same for messages: cut to 56 bytes. */
char *layout_member_text(const layout_field *field, const void *object);
/* SHA-256 of the canonical text of one member, which must not be absent. */
void layout_member_digest(const layout_field *field, const void *object, char hex[65]);

#endif
