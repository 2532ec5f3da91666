/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of a preprocessed text: their names, group sizes and arguments, and from these the
 * ways in and the note that a real code object has. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trtc_state.h"

enum { MOST_KERNELS = 64 };

typedef struct kernel {
	char name[64];
	char items[128];      /* an expression                                               */
	unsigned arguments;
} kernel;

static const char *blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

/* Behind the parenthesis that closes the one at p; *commas at its own level; NULL when it is not
 * closed. */
static const char *close_of(const char *p, unsigned *commas, const char **first_comma)
{
	unsigned depth = 0;

	*commas = 0;
	*first_comma = NULL;
	for (; *p != '\0'; p++) {
		if (*p == '(') {
			depth++;
		} else if (*p == ')' && --depth == 0) {
			return p + 1;
		} else if (*p == ',' && depth == 1) {
			if ((*commas)++ == 0)
				*first_comma = p;
		}
	}
	return NULL;
}

/* From "(LEAST, MOST))) void NAME(ARGUMENTS" on. */
static const char *read_kernel(const char *p, kernel *k)
{
	const char *comma, *end;
	unsigned commas;
	size_t length;

	p = blanks(p);
	end = *p == '(' ? close_of(p, &commas, &comma) : NULL;
	if (end == NULL || commas != 1)
		return NULL;
	snprintf(k->items, sizeof(k->items), "%.*s", (int)(end - 1 - (comma + 1)), comma + 1);
	p = strstr(end, "void");
	if (p == NULL)
		return NULL;
	p = blanks(p + 4);
	length = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	if (length == 0 || length >= sizeof(k->name))
		return NULL;
	memcpy(k->name, p, length);
	k->name[length] = '\0';
	p = blanks(p + length);
	end = *p == '(' ? close_of(p, &commas, &comma) : NULL;
	if (end == NULL)
		return NULL;
	p = blanks(p + 1);
	k->arguments = *p == ')' || strncmp(p, "void)", 5) == 0 ? 0 : commas + 1;
	return end;
}

typedef struct text {
	char *at;
	size_t size, room;
} text;

__attribute__((format(printf, 2, 3)))
static void add(text *t, const char *format, ...)
{
	va_list arguments;
	int length;

	if (t->room - t->size < 1024) {
		t->room = t->room * 2 + 4096;
		t->at = realloc(t->at, t->room);
		if (t->at == NULL)
			abort();
	}
	va_start(arguments, format);
	length = vsnprintf(t->at + t->size, t->room - t->size, format, arguments);
	va_end(arguments);
	if (length > 0)
		t->size += (size_t)length;
}

static void add_string(text *t, const char *s)
{
	const size_t length = strlen(s);

	if (length < 32)
		add(t, "\".byte 0x%zx\\n\"\n", 0xa0 + length);
	else
		add(t, "\".byte 0xd9, 0x%zx\\n\"\n", length);
	add(t, "\".ascii \\\"%s\\\"\\n\"\n", s);
}

/* As LLVM lays it down: a MessagePack map in a note of type 32.  The last argument of each kernel is
 * one that the runtime would add. */
static void add_metadata(text *t, const kernel *list, size_t count)
{
	add(t, "asm(\".pushsection .note.amdgpu, \\\"a\\\", %%note\\n.balign 4\\n\"\n"
	    "\".long 7, 2f - 1f, 32\\n.asciz \\\"AMDGPU\\\"\\n.balign 4\\n1:\\n\"\n"
	    "\".byte 0x81\\n\"\n");
	add_string(t, "amdhsa.kernels");
	add(t, "\".byte 0xdc, 0, %zu\\n\"\n", count);
	for (size_t i = 0; i < count; i++) {
		add(t, "\".byte 0x83\\n\"\n");
		add_string(t, ".args");
		add(t, "\".byte 0xdc, 0, %u\\n\"\n", list[i].arguments + 1);
		for (unsigned k = 0; k <= list[i].arguments; k++) {
			add(t, "\".byte 0x82\\n\"\n");
			add_string(t, ".offset");
			add(t, "\".byte 0x%02x\\n\"\n", 8 * k & 0x7fu);
			add_string(t, ".value_kind");
			add_string(t, k < list[i].arguments ? "by_value" : "hidden_block_count_x");
		}
		add_string(t, ".name");
		add_string(t, list[i].name);
		add_string(t, ".wavefront_size");
		add(t, "\".byte 64\\n\"\n");
	}
	add(t, "\"2:\\n.balign 4\\n.popsection\\n\");\n");
}

char *trtc_entries(const char *source, char *why, size_t size)
{
	static const char attribute[] = "amdgpu_flat_work_group_size";
	kernel list[MOST_KERNELS];
	size_t count = 0;
	text t = { NULL, 0, 0 };

	for (const char *p = source; (p = strstr(p, attribute)) != NULL; count++) {
		p = count < MOST_KERNELS ? read_kernel(p + sizeof(attribute) - 1, &list[count]) : NULL;
		if (p == NULL) {
			snprintf(why, size, "test hiprtc: the kernel after %s cannot be read\n",
			         count > 0 ? list[count - 1].name : "the first line");
			return NULL;
		}
	}
	t.size = strlen(source);
	t.room = t.size + 4096;
	t.at = malloc(t.room);
	if (t.at == NULL)
		abort();
	memcpy(t.at, source, t.size + 1);
	/* clang knows the word, and that no function here may have it. */
	for (char *p = t.at; (p = strstr(p, attribute)) != NULL;)
		memcpy(p, "emu", 3);
	add(&t, "\n");
	for (size_t i = 0; i < count; i++)
		add(&t, "__attribute__((no_sanitize(\"thread\"))) static void emu_run_%s(void **p)\n"
		    "{ emu_call(%s, p); }\n", list[i].name, list[i].name);
	add(&t, "static const struct emu_kernel emu_list[] = {\n");
	for (size_t i = 0; i < count; i++)
		add(&t, "{ \"%s\", (unsigned)(%s), decltype(emu_sizes_of(%s))::count,\n"
		    "decltype(emu_sizes_of(%s))::bytes, emu_run_%s },\n", list[i].name, list[i].items,
		    list[i].name, list[i].name, list[i].name);
	add(&t, "{} };\nextern \"C\" __attribute__((visibility(\"default\"))) const struct emu_kernels\n"
	    "evenhand_test_kernels = { emu_list, %zu, &emu_now, __start_emu_shared, "
	    "__stop_emu_shared };\n", count);
	add_metadata(&t, list, count);
	return t.at;
}
