/* SPDX-License-Identifier: Apache-2.0 */
/* Moves, conversions, comparisons, memory and jumps. */
#include "ptx_moves.h"

#include <string.h>

enum { EXPRESSION = 192, ADDRESS = 320, PARTS = 4 };

static void unknown(ptx_text *t, const ptx_instruction *i)
{
	ptx_fail(t, "opcode %s is not known to this test driver", i->op);
}

static bool counts(ptx_text *t, const ptx_instruction *i, int least, int most)
{
	const bool right = i->operand_count >= least && i->operand_count <= most;

	if (!right)
		ptx_fail(t, "%d operands in \"%s\"", i->operand_count, i->text);
	return right;
}

/* "{a, b}" to its parts; how many. */
static int split(const char *operand, char to[PARTS][64])
{
	int count = 0;

	for (const char *p = operand + 1; count < PARTS;) {
		p += strspn(p, " \t");
		snprintf(to[count++], 64, "%.*s", (int)strcspn(p, ",} \t"), p);
		p = strchr(p, ',');
		if (p == NULL)
			break;
		p++;
	}
	return count;
}

void ptx_emit_setp(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	/* A comparison that is also true when a number is missing is the negation of its opposite. */
	static const struct {
		const char *name, *c;
	} ways[] = {
		{ "eq", "%s == %s" },     { "ne", "%s < %s || a_ > b_" }, { "lt", "%s < %s" },
		{ "le", "%s <= %s" },     { "gt", "%s > %s" },            { "ge", "%s >= %s" },
		{ "lo", "%s < %s" },      { "ls", "%s <= %s" },           { "hi", "%s > %s" },
		{ "hs", "%s >= %s" },     { "equ", "!(%s < %s || a_ > b_)" }, { "neu", "%s != %s" },
		{ "ltu", "!(%s >= %s)" }, { "leu", "!(%s > %s)" },        { "gtu", "!(%s <= %s)" },
		{ "geu", "!(%s < %s)" },  { "num", "%s == a_ && b_ == %s" },
		{ "nan", "%s != a_ || b_ != %s" },
	};
	static const char *const combine[][2] = { { "and", "&" }, { "or", "|" }, { "xor", "^" } };
	const ptx_type *pred = ptx_type_of("pred");
	const bool floats = type->kind == 'f';
	char a[EXPRESSION], b[EXPRESSION], c[EXPRESSION] = "", first[64], second[64] = "";
	const char *sign = NULL, *bar;
	size_t way = 0;

	while (way < sizeof(ways) / sizeof(ways[0]) &&
	       (i->token_count < 2 || strcmp(ways[way].name, i->tokens[1]) != 0))
		way++;
	for (int k = 0; k < 3; k++)
		if (ptx_has(i, combine[k][0]))
			sign = combine[k][1];
	if (way == sizeof(ways) / sizeof(ways[0]) || (!floats && way >= 10) ||
	    (floats && way >= 6 && way < 10) || (type->kind == 'b' && way > 1)) {
		unknown(t, i);
		return;
	}
	if (!counts(t, i, sign != NULL ? 4 : 3, sign != NULL ? 4 : 3))
		return;
	bar = strchr(i->operands[0], '|');
	snprintf(first, sizeof(first), "%.*s", (int)strcspn(i->operands[0], "| "), i->operands[0]);
	if (bar != NULL)
		snprintf(second, sizeof(second), "%s", bar + 1 + strspn(bar + 1, " "));
	ptx_read(t, i, i->operands[1], type, a, sizeof(a));
	ptx_read(t, i, i->operands[2], type, b, sizeof(b));
	fprintf(t->out, "{ const %s a_ = %s(%s), b_ = %s(%s); const uint8_t c_ = ", type->c,
	        ptx_has(i, "ftz") ? "ftz_f32" : "", a, ptx_has(i, "ftz") ? "ftz_f32" : "", b);
	/* The texts above come from the table, not from the PTX. */
	for (const char *p = ways[way].c, *name = "a_"; *p != '\0'; p++) {
		if (p[0] == '%' && p[1] == 's') {
			fputs(name, t->out);
			name = "b_";
			p++;
		} else {
			fputc(*p, t->out);
		}
	}
	fputs("; ", t->out);
	if (sign != NULL) {
		ptx_read(t, i, i->operands[3], pred, c, sizeof(c));
		fprintf(t->out, "const uint8_t d_ = %s; ", c);
	}
	ptx_assign(t, i, first, pred, sign != NULL ? "c_ %s d_" : "c_", sign);
	if (second[0] != '\0')
		ptx_assign(t, i, second, pred, sign != NULL ? "!c_ %s d_" : "!c_", sign);
	fputs(" }", t->out);
}

void ptx_emit_mov(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[EXPRESSION], parts[PARTS][64];
	const ptx_type *part;
	int count;

	if (!counts(t, i, 2, 2))
		return;
	if (i->operands[0][0] != '{' && i->operands[1][0] != '{') {
		ptx_read(t, i, i->operands[1], type, v, sizeof(v));
		ptx_assign(t, i, i->operands[0], type, "%s", v);
		return;
	}
	count = split(i->operands[i->operands[0][0] == '{' ? 0 : 1], parts);
	part = ptx_type_of(type->bytes / count == 4 ? "b32" : type->bytes / count == 2 ? "b16" : "b8");
	if (type->kind != 'b' || part->bytes * count != type->bytes) {
		unknown(t, i);
	} else if (i->operands[0][0] == '{') {
		ptx_read(t, i, i->operands[1], type, v, sizeof(v));
		fprintf(t->out, "{ const uint64_t v_ = %s; ", v);
		for (int k = 0; k < count; k++)
			ptx_assign(t, i, parts[k], part, "v_ >> %d", k * part->bytes * 8);
		fputs(" }", t->out);
	} else {
		fputs("{ uint64_t v_ = 0; ", t->out);
		for (int k = 0; k < count; k++) {
			ptx_read(t, i, parts[k], part, v, sizeof(v));
			fprintf(t->out, "v_ |= (uint64_t)(%s) << %d; ", v, k * part->bytes * 8);
		}
		ptx_assign(t, i, i->operands[0], type, "v_");
		fputs(" }", t->out);
	}
}

static bool is_real(const ptx_type *type)
{
	return strchr("fhg", type->kind) != NULL;
}

/* Two floats to the halves of one register: the first operand is the upper half. */
static void pack(ptx_text *t, const ptx_instruction *i, const ptx_type *type, const char *half,
                 char mode)
{
	char a[EXPRESSION], b[EXPRESSION];

	if (!counts(t, i, 3, 3))
		return;
	ptx_read(t, i, i->operands[1], type, a, sizeof(a));
	ptx_read(t, i, i->operands[2], type, b, sizeof(b));
	ptx_assign(t, i, i->operands[0], ptx_type_of("b32"),
	           "(uint32_t)%s_of(%s, '%c') << 16 | %s_of(%s, '%c')", half, a, mode, half, b, mode);
}

static void to_integer(ptx_text *t, const ptx_instruction *i, const ptx_type *to,
                       const ptx_type *from, const char *x)
{
	static const char *const modes[] = { "rni", "rzi", "rmi", "rpi" };
	const int bits = to->bytes * 8;
	const bool large = from->bytes == 8 || to->bytes == 8;
	const char *mode = NULL;
	unsigned long long high, nan;

	for (int k = 0; k < 4; k++)
		if (ptx_has(i, modes[k]))
			mode = modes[k];
	if (mode == NULL) {
		unknown(t, i);
		return;
	}
	/* A NaN becomes 0, or the highest bit alone where either side has 64 bits. */
	nan = large ? 1ull << (bits - 1) : 0;
	high = to->kind == 's' ? (1ull << (bits - 1)) - 1 : ~0ull >> (64 - bits);
	if (to->kind == 's')
		ptx_assign(t, i, i->operands[0], to,
		           "clamp_s(whole_%s(%s), -%lldll - 1, %lldll, (int64_t)(%s)0x%llxull)", mode, x,
		           (long long)high, (long long)high, to->c, nan);
	else
		ptx_assign(t, i, i->operands[0], to, "clamp_u(whole_%s(%s), 0x%llxull, 0x%llxull)", mode,
		           x, high, nan);
}

static void integers(ptx_text *t, const ptx_instruction *i, const ptx_type *to, const char *x)
{
	const int bits = to->bytes * 8;
	const unsigned long long high = to->kind == 's' ? (1ull << (bits - 1)) - 1
	                                                : ~0ull >> (64 - bits);

	if (!ptx_has(i, "sat"))
		ptx_assign(t, i, i->operands[0], to, "%s", x);
	else
		ptx_assign(t, i, i->operands[0], to, "clamp_i(%s, %s(__int128)0x%llxull%s, 0x%llxull)", x,
		           to->kind == 's' ? "-" : "0 * ", high, to->kind == 's' ? " - 1" : "", high);
}

/* The value x (a double, an integer of 64 bits) to a float of any size. */
static void to_real(ptx_text *t, const ptx_instruction *i, const ptx_type *to, const char *x,
                    char source, const char *mode)
{
	char value[EXPRESSION * 2];
	const char *half = to->kind == 'h' ? "f16" : "bf16";

	if (to->kind == 'f')
		snprintf(value, sizeof(value), "%s_%s_%c(%s)", to->name, mode, source, x);
	else
		snprintf(value, sizeof(value), "%s_of((double)(%s), '%c')", half, x,
		         mode[1] == 'm' ? 'd' : mode[1] == 'p' ? 'u' : mode[1]);
	if (ptx_has(i, "sat") && to->kind == 'f')
		ptx_assign(t, i, i->operands[0], to, "sat_%s(%s)", to->name, value);
	else if (ptx_has(i, "sat"))
		unknown(t, i);
	else
		ptx_assign(t, i, i->operands[0], to, "%s", value);
}

/* Between floats: x is a double that holds the source exactly. */
static void reals(ptx_text *t, const ptx_instruction *i, const ptx_type *to, const ptx_type *from,
                  const char *x, const char *mode)
{
	static const char *const wholes[] = { "rni", "rzi", "rmi", "rpi" };
	char value[EXPRESSION + 32];

	snprintf(value, sizeof(value), "%s", x);
	for (int k = 0; k < 4; k++)
		if (ptx_has(i, wholes[k]))
			snprintf(value, sizeof(value), "whole_%s(%s)", wholes[k], x);
	if (to->kind == from->kind && to->kind != 'f')
		unknown(t, i);
	else if (to->bytes < from->bytes || to->kind != 'f')
		to_real(t, i, to, value, 'f', mode);
	else
		ptx_assign(t, i, i->operands[0], to, "%s%s((%s)(%s))", ptx_has(i, "sat") ? "sat_" : "",
		           ptx_has(i, "sat") ? to->name : "", to->c, value);
}

void ptx_emit_cvt(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	static const char *const modes[] = { "rn", "rz", "rm", "rp" };
	const char *mode = "rn", *into = i->token_count > 2 ? i->tokens[i->token_count - 2] : "";
	const ptx_type *to = ptx_type_of(into);
	char v[EXPRESSION - 32], x[EXPRESSION];
	int types = 0;

	for (int k = 0; k < 4; k++)
		if (ptx_has(i, modes[k]))
			mode = modes[k];
	for (int k = 1; k < i->token_count; k++)
		types += ptx_type_of(i->tokens[k]) != NULL;
	if (to == NULL || types != 2 || to->kind == 'p') {
		unknown(t, i);
		return;
	}
	if (strstr(into, "x2") != NULL) {
		if (type->kind != 'f' || type->bytes != 4 || (mode[1] != 'n' && mode[1] != 'z'))
			unknown(t, i);
		else
			pack(t, i, type, into[0] == 'b' ? "bf16" : "f16", mode[1]);
		return;
	}
	if (!counts(t, i, 2, 2))
		return;
	ptx_read(t, i, i->operands[1], type, v, sizeof(v));
	if (ptx_has(i, "ftz") && (type->bytes != 4 || type->kind != 'f')) {
		unknown(t, i);
		return;
	}
	if (type->kind == 'f')
		snprintf(x, sizeof(x), "(double)%s(%s)", ptx_has(i, "ftz") ? "ftz_f32" : "", v);
	else if (is_real(type))
		snprintf(x, sizeof(x), "%s_to(%s)", type->name, v);
	else
		snprintf(x, sizeof(x), "(%s)", v);
	if (is_real(type) && is_real(to))
		reals(t, i, to, type, x, mode);
	else if (is_real(type))
		to_integer(t, i, to, type, x);
	else if (is_real(to))
		to_real(t, i, to, x, type->kind == 's' ? 's' : 'u', mode);
	else
		integers(t, i, to, x);
}

void ptx_emit_cvta(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	const char *window = ptx_has(i, "shared") ? "PTX_SHARED" : ptx_has(i, "local") ? "PTX_LOCAL"
	                                                                               : "0";
	char v[EXPRESSION];

	if (!counts(t, i, 2, 2))
		return;
	if (type->bytes != 8 || ptx_has(i, "param")) {
		unknown(t, i);
		return;
	}
	ptx_read(t, i, i->operands[1], type, v, sizeof(v));
	ptx_assign(t, i, i->operands[0], type, "%s %s %s", v, ptx_has(i, "to") ? "& ~" : "|", window);
}

static ptx_space space_of(const ptx_instruction *i)
{
	static const struct {
		const char *name;
		ptx_space space;
	} spaces[] = {
		{ "global", PTX_SPACE_GLOBAL }, { "const", PTX_SPACE_CONST },
		{ "shared", PTX_SPACE_SHARED }, { "local", PTX_SPACE_LOCAL },
		{ "param", PTX_SPACE_PARAM },
	};

	for (size_t k = 0; k < sizeof(spaces) / sizeof(spaces[0]); k++)
		if (ptx_has(i, spaces[k].name))
			return spaces[k].space;
	return PTX_SPACE_GENERIC;
}

static int width_of(const ptx_instruction *i)
{
	return ptx_has(i, "v4") ? 4 : ptx_has(i, "v2") ? 2 : 1;
}

void ptx_emit_ld(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	const int width = width_of(i);
	char address[ADDRESS], parts[PARTS][64];

	if (!counts(t, i, 2, 2))
		return;
	ptx_address(t, i, i->operands[1], space_of(i), type->bytes * (uint32_t)width, false, address,
	            sizeof(address));
	fprintf(t->out, "{ const %s *p_ = (const %s *)%s; ", type->c, type->c, address);
	if (width == 1) {
		ptx_assign(t, i, i->operands[0], type, "*p_");
	} else if (split(i->operands[0], parts) != width) {
		ptx_fail(t, "parts in \"%s\"", i->text);
	} else {
		for (int k = 0; k < width; k++)
			fprintf(t->out, "const %s v%d_ = p_[%d]; ", type->c, k, k);
		for (int k = 0; k < width; k++)
			ptx_assign(t, i, parts[k], type, "v%d_", k);
	}
	fputs(" }", t->out);
}

void ptx_emit_st(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	const int width = width_of(i);
	char address[ADDRESS], v[EXPRESSION], parts[PARTS][64];

	if (!counts(t, i, 2, 2))
		return;
	ptx_address(t, i, i->operands[0], space_of(i), type->bytes * (uint32_t)width, true, address,
	            sizeof(address));
	if (width == 1)
		snprintf(parts[0], sizeof(parts[0]), "%s", i->operands[1]);
	else if (split(i->operands[1], parts) != width)
		ptx_fail(t, "parts in \"%s\"", i->text);
	fprintf(t->out, "{ %s *p_ = (%s *)%s; ", type->c, type->c, address);
	for (int k = 0; k < width && !t->failed; k++) {
		ptx_read(t, i, parts[k], type, v, sizeof(v));
		fprintf(t->out, "p_[%d] = %s; ", k, v);
	}
	fputs("}", t->out);
}

/* One thread runs at a time, so that reading and writing back is atomic. */
void ptx_emit_atom(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	static const struct {
		const char *name, *kinds, *c;
		int operands;
	} ways[] = {
		{ "add", "usf", "o_ + a_", 1 },   { "min", "us", "o_ < a_ ? o_ : a_", 1 },
		{ "max", "us", "o_ > a_ ? o_ : a_", 1 }, { "and", "b", "o_ & a_", 1 },
		{ "or", "b", "o_ | a_", 1 },      { "xor", "b", "o_ ^ a_", 1 },
		{ "exch", "b", "a_", 1 },         { "cas", "b", "o_ == a_ ? b_ : o_", 2 },
		{ "inc", "u", "o_ >= a_ ? 0 : o_ + 1", 1 },
		{ "dec", "u", "o_ == 0 || o_ > a_ ? a_ : o_ - 1", 1 },
	};
	const int results = i->tokens[0][0] == 'a';
	char address[ADDRESS], a[EXPRESSION], b[EXPRESSION];
	size_t way = 0;

	while (way < sizeof(ways) / sizeof(ways[0]) && !ptx_has(i, ways[way].name))
		way++;
	if (way == sizeof(ways) / sizeof(ways[0]) || strchr(ways[way].kinds, type->kind) == NULL ||
	    (type->bytes != 4 && (strcmp(ways[way].name, "inc") == 0 ||
	                          strcmp(ways[way].name, "dec") == 0))) {
		unknown(t, i);
		return;
	}
	if (!counts(t, i, results + 1 + ways[way].operands, results + 1 + ways[way].operands))
		return;
	ptx_address(t, i, i->operands[results], space_of(i), type->bytes, true, address,
	            sizeof(address));
	ptx_read(t, i, i->operands[results + 1], type, a, sizeof(a));
	fprintf(t->out, "{ %s *p_ = (%s *)%s; const %s o_ = *p_, a_ = %s; ", type->c, type->c, address,
	        type->c, a);
	if (ways[way].operands == 2) {
		ptx_read(t, i, i->operands[results + 2], type, b, sizeof(b));
		fprintf(t->out, "const %s b_ = %s; ", type->c, b);
	}
	if (type->kind == 's' && ways[way].name[0] == 'a')
		fprintf(t->out, "*p_ = (%s)((uint64_t)o_ + (uint64_t)a_); ", type->c);
	else
		fprintf(t->out, "*p_ = %s; ", ways[way].c);
	if (results)
		ptx_assign(t, i, i->operands[0], type, "o_");
	fputs(" }", t->out);
}

void ptx_emit_bra(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	(void)type;
	if (counts(t, i, 1, 1))
		fprintf(t->out, "goto L%s;", i->operands[0]);
}

void ptx_emit_ret(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	(void)type;
	if (counts(t, i, 0, 0))
		fputs("goto ended;", t->out);
}

void ptx_emit_trap(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	(void)type;
	if (counts(t, i, 0, 0))
		fputs("b->fault(b, PTX_TRAP, 0, 0);", t->out);
}

void ptx_emit_bar(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	(void)type;
	/* All threads of the block, at barrier 0: the only kind that phases describe. */
	if (!ptx_has(i, "sync") || i->operand_count != 1 || strcmp(i->operands[0], "0") != 0)
		unknown(t, i);
	else
		fprintf(t->out, "SAVE_%u b->at[item] = %u; return;", i->barrier, i->barrier);
}

void ptx_emit_nothing(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	(void)t;
	(void)i;
	(void)type;
}
