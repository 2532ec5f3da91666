/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the structs of a definition file.  Before including this, define LAYOUT_FILE (the
 * definition file, "record/record.def") and LAYOUT_NAME(name) (record_##name).  For each
 *
 *   STRUCT(canary, "a sentence")
 *     FIELD(MAY, NUMBER, compute_before_ns, "ns", 1, "a sentence")
 *   END(canary)
 *
 * there is `record_canary`, `record_canary_list` and `record_canary_layout()`; for each ENUM there
 * is `enum record_tier`, `record_tier_list`, `record_tier_words()` and `record_tier_word(value)`.
 * MUST or MAY says whether the member is required; the number is the format version that brought
 * it. LOCAL(type, member, "a sentence") is a member of the struct that the table leaves out: it
 * starts as 0, is not in the JSON, and is not copied, compared or freed.
 */
#include "base/layout.h"

#define LAYOUT_JOIN_(a, b) a##b
#define LAYOUT_JOIN(a, b) LAYOUT_JOIN_(a, b)
#define LAYOUT_TYPE_TEXT char *
#define LAYOUT_TYPE_SHA256 char *
#define LAYOUT_TYPE_SHA256_OR_EMPTY char *
#define LAYOUT_TYPE_BOOL bool
#define LAYOUT_TYPE_MAYBE enum maybe
#define LAYOUT_TYPE_NUMBER double
#define LAYOUT_TYPE_UINT uint64_t
#define LAYOUT_TYPE_INT int
#define LAYOUT_TYPE_SCALAR scalar
#define LAYOUT_TYPE_TEXTS text_list
#define LAYOUT_TYPE_UINTS uint_list
#define LAYOUT_TYPE_NUMBERS number_list
#define LAYOUT_TYPE_TEXT_MAP text_map
#define LAYOUT_TYPE_NUMBER_MAP number_map
#define LAYOUT_TYPE_TEXTS_MAP texts_map
#define LAYOUT_OBJECT_MUST(type, member) type member;
#define LAYOUT_OBJECT_MAY(type, member) type *member;
#define LAYOUT_LIST_OF(name) LAYOUT_JOIN(LAYOUT_NAME(name), _list)

#define ENUM(name, sentence) enum LAYOUT_NAME(name) { LAYOUT_JOIN(LAYOUT_NAME(name), _absent),
#define VALUE(constant, word, sentence) constant,
#define END_ENUM(name) }; \
	typedef struct LAYOUT_LIST_OF(name) { enum LAYOUT_NAME(name) *items; size_t count; } \
		LAYOUT_LIST_OF(name); \
	const layout_words *LAYOUT_JOIN(LAYOUT_NAME(name), _words)(void); \
	static inline const char *LAYOUT_JOIN(LAYOUT_NAME(name), _word)(enum LAYOUT_NAME(name) value) \
	{ return layout_word_of(LAYOUT_JOIN(LAYOUT_NAME(name), _words)(), (int)value); }

#define STRUCT(name, sentence) typedef struct LAYOUT_NAME(name) {
#define KEY(member, sentence) char *member;
#define FIELD(need, kind, member, unit, since, sentence) LAYOUT_TYPE_##kind member;
#define WORD(need, words, member, since, sentence) enum LAYOUT_NAME(words) member;
#define WORDS(need, words, member, since, sentence) LAYOUT_LIST_OF(words) member;
#define OBJECT(need, inner, member, since, sentence) LAYOUT_OBJECT_##need(LAYOUT_NAME(inner), member)
#define LIST(need, inner, member, since, sentence) LAYOUT_LIST_OF(inner) member;
#define MAP(need, inner, member, since, sentence) LAYOUT_LIST_OF(inner) member;
#define LOCAL(type, member, sentence) type member;
#define END(name) } LAYOUT_NAME(name); \
	typedef struct LAYOUT_LIST_OF(name) { LAYOUT_NAME(name) *items; size_t count; } \
		LAYOUT_LIST_OF(name); \
	const layout *LAYOUT_JOIN(LAYOUT_NAME(name), _layout)(void);

#include LAYOUT_FILE

#undef ENUM
#undef VALUE
#undef END_ENUM
#undef STRUCT
#undef KEY
#undef FIELD
#undef WORD
#undef WORDS
#undef OBJECT
#undef LIST
#undef MAP
#undef LOCAL
#undef END
