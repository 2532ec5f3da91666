/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the tables of a definition file.  Include it in one .c file, after the file's structs;
 * define LAYOUT_FILE and LAYOUT_NAME as for base/layout_structs.h. */
#define LAYOUT_NEED_MUST false
#define LAYOUT_NEED_MAY true
#define LAYOUT_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define ENUM(name, sentence_) \
	const layout_words *LAYOUT_JOIN(LAYOUT_NAME(name), _words)(void) \
	{ \
		static const char sentence[] = sentence_; \
		static const layout_word items[] = {
#define VALUE(constant, word, sentence) { constant, word, sentence },
#define END_ENUM(name) }; \
		static const layout_words words = { #name, sentence, items, LAYOUT_COUNT(items) }; \
		return &words; \
	}

#define STRUCT(name, sentence_) \
	const layout *LAYOUT_JOIN(LAYOUT_NAME(name), _layout)(void) \
	{ \
		typedef LAYOUT_NAME(name) here; \
		static const char sentence[] = sentence_; \
		static const layout_field fields[] = {
#define KEY(member, sentence)
#define FIELD(need, kind, member, unit, since, sentence) \
	{ #member, sizeof(#member) - 1, LAYOUT_##kind, LAYOUT_NEED_##need, offsetof(here, member), NULL, NULL, unit, since, \
	  sentence },
#define WORD(need, words, member, since, sentence) \
	{ #member, sizeof(#member) - 1, LAYOUT_WORD, LAYOUT_NEED_##need, offsetof(here, member), NULL, \
	  LAYOUT_JOIN(LAYOUT_NAME(words), _words), "", since, sentence },
#define WORDS(need, words, member, since, sentence) \
	{ #member, sizeof(#member) - 1, LAYOUT_WORDS, LAYOUT_NEED_##need, offsetof(here, member), NULL, \
	  LAYOUT_JOIN(LAYOUT_NAME(words), _words), "", since, sentence },
#define LAYOUT_NESTED(need, kind, inner, member, since, sentence) \
	{ #member, sizeof(#member) - 1, LAYOUT_##kind, LAYOUT_NEED_##need, offsetof(here, member), \
	  LAYOUT_JOIN(LAYOUT_NAME(inner), _layout), NULL, "", since, sentence },
#define OBJECT(need, inner, member, since, sentence) \
	LAYOUT_NESTED(need, OBJECT, inner, member, since, sentence)
#define LIST(need, inner, member, since, sentence) \
	LAYOUT_NESTED(need, LIST, inner, member, since, sentence)
#define MAP(need, inner, member, since, sentence) \
	LAYOUT_NESTED(need, MAP, inner, member, since, sentence)
#define LOCAL(type, member, sentence)
#define END(name) }; \
		static layout_order order; \
		static const layout l = { #name, sentence, sizeof(here), fields, LAYOUT_COUNT(fields), \
			                  &order }; \
		_Static_assert(LAYOUT_COUNT(fields) <= 64, "the reader marks the fields it has seen"); \
		return &l; \
	}

#include LAYOUT_FILE
