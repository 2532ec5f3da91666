/* SPDX-License-Identifier: Apache-2.0 */
/* Types, names and operands. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_inside.h"

static const ptx_type types[] = {
	{ "pred", 'p', 1, "uint8_t" },  { "b8", 'b', 1, "uint8_t" },   { "u8", 'u', 1, "uint8_t" },
	{ "s8", 's', 1, "int8_t" },     { "b16", 'b', 2, "uint16_t" }, { "u16", 'u', 2, "uint16_t" },
	{ "s16", 's', 2, "int16_t" },   { "f16", 'h', 2, "uint16_t" }, { "bf16", 'g', 2, "uint16_t" },
	{ "b32", 'b', 4, "uint32_t" },  { "u32", 'u', 4, "uint32_t" }, { "s32", 's', 4, "int32_t" },
	{ "f32", 'f', 4, "float" },     { "b64", 'b', 8, "uint64_t" }, { "u64", 'u', 8, "uint64_t" },
	{ "s64", 's', 8, "int64_t" },   { "f64", 'f', 8, "double" },   { "f16x2", 'b', 4, "uint32_t" },
	{ "bf16x2", 'b', 4, "uint32_t" },
};

static const struct {
	const char *name, *c;
} specials[] = {
	{ "%tid.x", "tid_x" },           { "%tid.y", "tid_y" },           { "%tid.z", "tid_z" },
	{ "%ntid.x", "b->ntid[0]" },     { "%ntid.y", "b->ntid[1]" },     { "%ntid.z", "b->ntid[2]" },
	{ "%ctaid.x", "b->ctaid[0]" },   { "%ctaid.y", "b->ctaid[1]" },   { "%ctaid.z", "b->ctaid[2]" },
	{ "%nctaid.x", "b->nctaid[0]" }, { "%nctaid.y", "b->nctaid[1]" }, { "%nctaid.z", "b->nctaid[2]" },
	{ "%laneid", "(item & 31)" },    { "%warpid", "(item >> 5)" },    { "%smid", "0" },
	{ "WARP_SZ", "32" },             { "%clock64", "b->clock()" },    { "%globaltimer", "b->clock()" },
	{ "%clock", "(uint32_t)b->clock()" },
};

void ptx_fail(ptx_text *t, const char *format, ...)
{
	va_list arguments;

	if (t->failed)
		return;
	t->failed = true;
	va_start(arguments, format);
	if (vsnprintf(t->error, t->error_size, format, arguments) < 0 && t->error_size > 0)
		t->error[0] = '\0';
	va_end(arguments);
}

const ptx_type *ptx_type_of(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

bool ptx_has(const ptx_instruction *i, const char *token)
{
	for (int k = 1; k < i->token_count; k++)
		if (strcmp(i->tokens[k], token) == 0)
			return true;
	return false;
}

int64_t ptx_register(const ptx_text *t, int scope, const char *name, const ptx_type **type)
{
	for (; scope >= 0; scope = t->scope_parents[scope])
		for (size_t i = t->register_count; i-- > 0;) {
			const ptx_registers *r = &t->registers[i];
			const size_t length = strlen(r->name);
			char *end = NULL;
			uint64_t number = 0;

			if (r->scope != scope || strncmp(name, r->name, length) != 0)
				continue;
			if (r->count == 0 ? name[length] != '\0' : !isdigit((unsigned char)name[length]))
				continue;
			if (r->count != 0) {
				number = strtoull(name + length, &end, 10);
				if (*end != '\0' || number >= r->count)
					continue;
			}
			*type = r->type;
			return (int64_t)(r->first + number);
		}
	return -1;
}

const ptx_symbol *ptx_symbol_of(const ptx_text *t, int scope, const char *name)
{
	for (;; scope = t->scope_parents[scope]) {
		for (size_t i = t->symbol_count; i-- > 0;)
			if (t->symbols[i].scope == scope && strcmp(t->symbols[i].name, name) == 0)
				return &t->symbols[i];
		if (scope < 0)
			return NULL;
	}
}

static bool is_float(const ptx_type *type)
{
	return type->kind == 'f';
}

/* A register's C name as an expression of another type. */
static void recast(int64_t number, const ptx_type *from, const ptx_type *type, char *to,
                   size_t size)
{
	if (is_float(from) == is_float(type)) {
		if (is_float(from) || from->c == type->c)
			snprintf(to, size, "r%" PRId64, number);
		else
			snprintf(to, size, "(%s)r%" PRId64, type->c, number);
	} else if (is_float(type)) {
		snprintf(to, size, "%s_of(r%" PRId64 ")", type->name, number);
	} else {
		snprintf(to, size, "(%s)bits_%s(r%" PRId64 ")", type->c,
		         from->bytes == 4 ? "f32" : "f64", number);
	}
}

static bool literal(const char *text, const ptx_type *type, char *to, size_t size)
{
	const size_t length = strlen(text);
	char *end = NULL;
	const bool negative = text[0] == '-';
	uint64_t value;

	if (text[0] == '0' && (text[1] == 'f' || text[1] == 'F') && length == 10) {
		snprintf(to, size, is_float(type) ? "f32_of(0x%su)" : "0x%su", text + 2);
		return !is_float(type) || type->bytes == 4;
	}
	if (text[0] == '0' && (text[1] == 'd' || text[1] == 'D') && length == 18) {
		snprintf(to, size, is_float(type) ? "f64_of(0x%sull)" : "0x%sull", text + 2);
		return !is_float(type) || type->bytes == 8;
	}
	if (!isdigit((unsigned char)text[negative]) || is_float(type))
		return false;
	value = strtoull(text + negative, &end, 0);
	if (*end == 'U')
		end++;
	if (*end != '\0')
		return false;
	if (negative)
		value = 0 - value;
	if (type->kind == 'p')
		snprintf(to, size, "%d", value != 0);
	else
		snprintf(to, size, "(%s)0x%" PRIx64 "ull", type->c, value);
	return true;
}

static void symbol_value(const ptx_text *t, const ptx_symbol *s, char *to, size_t size)
{
	if (s->space == PTX_SPACE_SHARED && s->bytes == 0)
		snprintf(to, size, "%" PRIu32 "ull", ptx_dynamic_at(t->kernel));
	else if (s->space == PTX_SPACE_GLOBAL || s->space == PTX_SPACE_CONST)
		snprintf(to, size, "b->globals[%" PRIu64 "]", s->offset);
	else
		snprintf(to, size, "%" PRIu64 "ull", s->offset);
}

void ptx_read(ptx_text *t, const ptx_instruction *i, const char *operand, const ptx_type *type,
              char *to, size_t size)
{
	const ptx_type *from = NULL;
	const ptx_symbol *symbol;
	const bool negated = operand[0] == '!';
	const int64_t number = ptx_register(t, i->scope, operand + negated, &from);
	char value[96];

	to[0] = '\0';
	if (number >= 0) {
		if ((from->kind == 'p') != (type->kind == 'p') || (negated && type->kind != 'p') ||
		    (is_float(from) && is_float(type) && from->bytes != type->bytes) ||
		    from->bytes < type->bytes) {
			ptx_fail(t, "operand %s is no .%s in \"%s\"", operand, type->name, i->text);
			return;
		}
		if (negated)
			snprintf(to, size, "!r%" PRId64, number);
		else
			recast(number, from, type, to, size);
		return;
	}
	for (size_t k = 0; k < sizeof(specials) / sizeof(specials[0]); k++)
		if (strcmp(specials[k].name, operand) == 0 && !is_float(type)) {
			snprintf(to, size, "(%s)%s", type->c, specials[k].c);
			return;
		}
	if (literal(operand, type, to, size))
		return;
	symbol = ptx_symbol_of(t, i->scope, operand);
	if (symbol != NULL && !is_float(type) && symbol->space != PTX_SPACE_PARAM) {
		symbol_value(t, symbol, value, sizeof(value));
		snprintf(to, size, "(%s)%s", type->c, value);
		return;
	}
	ptx_fail(t, "operand %s in \"%s\"", operand, i->text);
}

void ptx_assign(ptx_text *t, const ptx_instruction *i, const char *operand, const ptx_type *type,
                const char *format, ...)
{
	const ptx_type *into = NULL;
	const int64_t number = ptx_register(t, i->scope, operand, &into);
	char value[1024];
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(value, sizeof(value), format, arguments) < 0)
		value[0] = '\0';
	va_end(arguments);
	if (strcmp(operand, "_") == 0) {
		fprintf(t->out, "(void)(%s);", value);
		return;
	}
	if (number < 0 || (into->kind == 'p') != (type->kind == 'p') || into->bytes < type->bytes) {
		ptx_fail(t, "result %s in \"%s\"", operand, i->text);
		return;
	}
	if (is_float(into) == is_float(type)) {
		if (is_float(into) && into->bytes != type->bytes)
			ptx_fail(t, "result %s in \"%s\"", operand, i->text);
		if (is_float(into))
			fprintf(t->out, "r%" PRId64 " = %s;", number, value);
		else
			fprintf(t->out, "r%" PRId64 " = (%s)(%s)(%s);", number, into->c, type->c, value);
	} else if (is_float(type)) {
		fprintf(t->out, "r%" PRId64 " = bits_%s(%s);", number, type->name, value);
	} else if (type->bytes == into->bytes) {
		fprintf(t->out, "r%" PRId64 " = %s_of((%s)(%s));", number, into->name, type->c, value);
	} else {
		ptx_fail(t, "result %s in \"%s\"", operand, i->text);
	}
}

static void parameter(ptx_text *t, const ptx_instruction *i, const char *name, int64_t offset,
                      uint32_t bytes, char *to, size_t size)
{
	const ptx_symbol *s = ptx_symbol_of(t, i->scope, name);

	if (s == NULL || s->space != PTX_SPACE_PARAM || offset < 0 ||
	    (uint64_t)offset + bytes > s->bytes)
		ptx_fail(t, "parameter %s in \"%s\"", name, i->text);
	else
		snprintf(to, size, "(b->param + %" PRIu64 ")", s->offset + (uint64_t)offset);
}

void ptx_address(ptx_text *t, const ptx_instruction *i, const char *operand, ptx_space space,
                 uint32_t bytes, bool store, char *to, size_t size)
{
	static const char *const checks[] = { "ptx_generic", "ptx_global", "ptx_global", "ptx_shared",
		                              "ptx_local" };
	const bool far = space == PTX_SPACE_GLOBAL || space == PTX_SPACE_CONST;
	char name[PTX_NAME + 32], value[128];
	const ptx_type *type = NULL;
	int64_t offset = 0;
	char *sign;

	to[0] = '\0';
	if (operand[0] != '[' || strlen(operand) >= sizeof(name) || strchr(operand, ']') == NULL) {
		ptx_fail(t, "address %s in \"%s\"", operand, i->text);
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(operand + 1, "]"), operand + 1);
	sign = strpbrk(name + 1, "+-");
	if (sign != NULL) {
		offset = strtoll(*sign == '+' ? sign + 1 : sign, NULL, 0);
		*sign = '\0';
	}
	for (size_t end = strlen(name); end > 0 && name[end - 1] == ' '; end--)
		name[end - 1] = '\0';
	if (space == PTX_SPACE_PARAM) {
		parameter(t, i, name, offset, bytes, to, size);
		return;
	}
	if (ptx_register(t, i->scope, name, &type) >= 0 && type->bytes == 4)
		ptx_read(t, i, name, ptx_type_of("u32"), value, sizeof(value));
	else
		ptx_read(t, i, name, ptx_type_of("u64"), value, sizeof(value));
	if (store && far)
		snprintf(to, size, "ptx_stored(b, %s + (uint64_t)%" PRId64 ", %u)", value, offset, bytes);
	else
		snprintf(to, size, "%s(b, %s%s + (uint64_t)%" PRId64 ", %u)", checks[space],
		         far ? "" : "item, ", value, offset, bytes);
}
