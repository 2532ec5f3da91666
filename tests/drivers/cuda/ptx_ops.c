/* SPDX-License-Identifier: Apache-2.0 */
/* The operations: which types and modifiers each takes, and the C that it becomes. */
#include <stdlib.h>
#include <string.h>

#include "ptx_inside.h"
#include "ptx_moves.h"

enum { EXPRESSION = 192 };

typedef struct operation {
	const char *name;
	const char *types; /* that it takes, "" = takes none                                  */
	const char *modifiers;
	void (*emit)(ptx_text *t, const ptx_instruction *i, const ptx_type *type);
} operation;

static bool listed(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (const char *p = list; (p = strstr(p, word)) != NULL; p += length)
		if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
			return true;
	return false;
}

static bool counts(ptx_text *t, const ptx_instruction *i, int wanted)
{
	if (i->operand_count != wanted)
		ptx_fail(t, "%d operands instead of %d in \"%s\"", i->operand_count, wanted, i->text);
	return i->operand_count == wanted;
}

/* Operands 1 .. count as expressions of the type, flushed when the instruction says so. */
static bool read_all(ptx_text *t, const ptx_instruction *i, const ptx_type *type, int count,
                     char to[3][EXPRESSION])
{
	if (!counts(t, i, count + 1))
		return false;
	for (int k = 0; k < count; k++) {
		char value[EXPRESSION - 16];

		ptx_read(t, i, i->operands[k + 1], type, value, sizeof(value));
		snprintf(to[k], EXPRESSION, ptx_has(i, "ftz") ? "ftz_f32(%s)" : "%s", value);
	}
	return true;
}

static void result(ptx_text *t, const ptx_instruction *i, const ptx_type *type, const char *value)
{
	const bool flush = ptx_has(i, "ftz");

	if (ptx_has(i, "sat") && type->kind == 'f')
		ptx_assign(t, i, i->operands[0], type, "sat_%s(%s(%s))", type->name,
		           flush ? "ftz_f32" : "", value);
	else
		ptx_assign(t, i, i->operands[0], type, "%s(%s)", flush ? "ftz_f32" : "", value);
}

static const char *rounding(const ptx_instruction *i)
{
	static const char *const modes[] = { "rz", "rm", "rp" };

	for (int k = 0; k < 3; k++)
		if (ptx_has(i, modes[k]))
			return modes[k];
	return "rn";
}

/* NAME_TYPE(operands), NAME_MODE_TYPE for what rounds. */
static void call(ptx_text *t, const ptx_instruction *i, const ptx_type *type, int count,
                 const char *name, bool rounds)
{
	char v[3][EXPRESSION];
	char value[3 * EXPRESSION + 96];

	memset(v, 0, sizeof(v));
	if (!read_all(t, i, type, count, v))
		return;
	snprintf(value, sizeof(value), "%s%s%s_%s(%s%s%s%s%s)", name, rounds ? "_" : "",
	         rounds ? rounding(i) : "", type->name, v[0], count > 1 ? ", " : "", v[1],
	         count > 2 ? ", " : "", v[2]);
	result(t, i, type, value);
}

/* Wraps, as unsigned arithmetic does. */
static void binary(ptx_text *t, const ptx_instruction *i, const ptx_type *type, const char *sign)
{
	char v[3][EXPRESSION];

	if (type->kind == 'p') {
		if (read_all(t, i, type, 2, v))
			ptx_assign(t, i, i->operands[0], type, "(%s) %s (%s)", v[0], sign, v[1]);
	} else if (read_all(t, i, type, 2, v)) {
		ptx_assign(t, i, i->operands[0], type, "(uint64_t)(%s) %s (uint64_t)(%s)", v[0], sign,
		           v[1]);
	}
}

/* Floats, and pairs of halves. */
static bool is_real(const ptx_type *type)
{
	return type->kind == 'f' || strcmp(type->name, "f16x2") == 0;
}

static void add(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	if (is_real(type))
		call(t, i, type, 2, "add", true);
	else
		binary(t, i, type, "+");
}

static void sub(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	if (type->kind == 'f')
		call(t, i, type, 2, "sub", true);
	else
		binary(t, i, type, "-");
}

static void and_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	binary(t, i, type, "&");
}

static void or_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	binary(t, i, type, "|");
}

static void xor_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	binary(t, i, type, "^");
}

static const ptx_type *twice(const ptx_type *type)
{
	static const char *const wider[2][2] = { { "u32", "u64" }, { "s32", "s64" } };

	return ptx_type_of(wider[type->kind == 's'][type->bytes == 4]);
}

/* mul and mad of integers. */
static void product(ptx_text *t, const ptx_instruction *i, const ptx_type *type, bool adds)
{
	const bool wide = ptx_has(i, "wide");
	const ptx_type *into = wide && type->bytes < 8 ? twice(type) : type;
	char a[EXPRESSION], b[EXPRESSION], c[EXPRESSION] = "0";

	if (!counts(t, i, adds ? 4 : 3))
		return;
	if (wide + ptx_has(i, "hi") + ptx_has(i, "lo") != 1 || (wide && type->bytes == 8)) {
		ptx_fail(t, "%s in \"%s\"", i->op, i->text);
		return;
	}
	ptx_read(t, i, i->operands[1], type, a, sizeof(a));
	ptx_read(t, i, i->operands[2], type, b, sizeof(b));
	if (adds)
		ptx_read(t, i, i->operands[3], into, c, sizeof(c));
	if (ptx_has(i, "hi"))
		ptx_assign(t, i, i->operands[0], into, "(uint64_t)hi_%s(%s, %s) + (uint64_t)(%s)",
		           type->name, a, b, c);
	else
		ptx_assign(t, i, i->operands[0], into,
		           "(uint64_t)(int64_t)(%s) * (uint64_t)(int64_t)(%s) + (uint64_t)(%s)", a, b, c);
}

static void mul(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	if (type->kind == 'f')
		call(t, i, type, 2, "mul", true);
	else
		product(t, i, type, false);
}

static void mad(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	if (type->kind == 'f')
		call(t, i, type, 3, "fma", true);
	else
		product(t, i, type, true);
}

static void fma_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	call(t, i, type, 3, "fma", true);
}

static void div_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	call(t, i, type, 2, "div", type->kind == 'f');
}

static void rem_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	call(t, i, type, 2, "rem", false);
}

static void pick(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char name[16];

	snprintf(name, sizeof(name), "%s%s", i->tokens[0], ptx_has(i, "NaN") ? "_NaN" : "");
	call(t, i, type, 2, name, false);
}

static void root(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	call(t, i, type, 1, i->tokens[0], true);
}

static void one_operand(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	call(t, i, type, 1, i->tokens[0], false);
}

static void neg(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[3][EXPRESSION], value[EXPRESSION + 16];

	if (!read_all(t, i, type, 1, v))
		return;
	snprintf(value, sizeof(value), type->kind == 'f' ? "-(%s)" : "0 - (uint64_t)(%s)", v[0]);
	result(t, i, type, value);
}

static void abs_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[3][EXPRESSION], value[4 * EXPRESSION];

	if (!read_all(t, i, type, 1, v))
		return;
	if (type->kind == 'f')
		snprintf(value, sizeof(value), "__builtin_fabs%s(%s)", type->bytes == 4 ? "f" : "", v[0]);
	else
		snprintf(value, sizeof(value), "(%s) < 0 ? 0 - (uint64_t)(%s) : (uint64_t)(%s)", v[0],
		         v[0], v[0]);
	result(t, i, type, value);
}

static void copysign_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[3][EXPRESSION];

	if (read_all(t, i, type, 2, v))
		ptx_assign(t, i, i->operands[0], type, "__builtin_copysign%s(%s, %s)",
		           type->bytes == 4 ? "f" : "", v[1], v[0]);
}

static void not_(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[3][EXPRESSION];

	if (read_all(t, i, type, 1, v))
		ptx_assign(t, i, i->operands[0], type, type->kind == 'p' ? "!(%s)" : "~(uint64_t)(%s)",
		           v[0]);
}

static void cnot(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[3][EXPRESSION];

	if (read_all(t, i, type, 1, v))
		ptx_assign(t, i, i->operands[0], type, "(%s) == 0", v[0]);
}

static void shift(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	const bool left = i->tokens[0][2] == 'l';
	char a[EXPRESSION], n[EXPRESSION], name[16];

	if (!counts(t, i, 3))
		return;
	ptx_read(t, i, i->operands[1], type, a, sizeof(a));
	ptx_read(t, i, i->operands[2], ptx_type_of("u32"), n, sizeof(n));
	snprintf(name, sizeof(name), "%c%u", left ? 'b' : type->kind == 's' ? 's' : 'u',
	         type->bytes * 8u);
	ptx_assign(t, i, i->operands[0], type, "%s_%s(%s, %s)", i->tokens[0], name, a, n);
}

static void funnel(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	const bool clamp = ptx_has(i, "clamp");
	char v[3][EXPRESSION];

	if (ptx_has(i, "l") + ptx_has(i, "r") != 1 || clamp + ptx_has(i, "wrap") != 1)
		ptx_fail(t, "%s in \"%s\"", i->op, i->text);
	else if (read_all(t, i, type, 3, v))
		ptx_assign(t, i, i->operands[0], type,
		           clamp ? "shf_%s(%s, %s, (%s) > 32 ? 32 : (%s))" : "shf_%s(%s, %s, (%s) & 31)",
		           ptx_has(i, "l") ? "l" : "r", v[0], v[1], v[2], v[2]);
}

/* The result counts bits: 32 bits whatever the operand has. */
static void count_bits(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[3][EXPRESSION];

	if (read_all(t, i, type, 1, v))
		ptx_assign(t, i, i->operands[0], ptx_type_of("u32"), "%s_%s(%s)", i->tokens[0],
		           type->name, v[0]);
}

/* bfe and bfi: the last two operands are 32-bit places. */
static void bit_field(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	const bool inserts = i->tokens[0][2] == 'i';
	const int values = inserts ? 2 : 1;
	char v[4][EXPRESSION];

	if (!counts(t, i, values + 3))
		return;
	for (int k = 0; k < values + 2; k++)
		ptx_read(t, i, i->operands[k + 1], k < values ? type : ptx_type_of("u32"), v[k],
		         EXPRESSION);
	if (inserts)
		ptx_assign(t, i, i->operands[0], type, "bfi_%s(%s, %s, %s, %s)", type->name, v[0], v[1],
		           v[2], v[3]);
	else
		ptx_assign(t, i, i->operands[0], type, "bfe_%s(%s, %s, %s)", type->name, v[0], v[1], v[2]);
}

static void permute(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	call(t, i, type, 3, "prmt", false);
}

/* Four products of bytes; both words hold bytes of one kind here. */
static void dot_of_bytes(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	if (ptx_has(i, "s32") && ptx_has(i, "u32"))
		ptx_fail(t, "%s in \"%s\"", i->op, i->text);
	else
		call(t, i, type, 3, "dp4a", false);
}

static void lop3(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char v[4][EXPRESSION];

	if (!counts(t, i, 5))
		return;
	for (int k = 0; k < 4; k++)
		ptx_read(t, i, i->operands[k + 1], type, v[k], EXPRESSION);
	ptx_assign(t, i, i->operands[0], type, "lop3_b32(%s, %s, %s, %s)", v[0], v[1], v[2], v[3]);
}

static void selp(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	char a[EXPRESSION], b[EXPRESSION], p[EXPRESSION];

	if (!counts(t, i, 4))
		return;
	ptx_read(t, i, i->operands[1], type, a, sizeof(a));
	ptx_read(t, i, i->operands[2], type, b, sizeof(b));
	ptx_read(t, i, i->operands[3], ptx_type_of("pred"), p, sizeof(p));
	ptx_assign(t, i, i->operands[0], type, "(%s) ? (%s) : (%s)", p, a, b);
}

static void testp(ptx_text *t, const ptx_instruction *i, const ptx_type *type)
{
	static const struct {
		const char *name, *c;
	} tests[] = {
		{ "finite", "__builtin_isfinite(%s)" }, { "infinite", "__builtin_isinf_sign(%s) != 0" },
		{ "number", "!__builtin_isnan(%s)" },   { "notanumber", "__builtin_isnan(%s) != 0" },
		{ "normal", "__builtin_isnormal(%s)" },
	};
	char v[3][EXPRESSION], value[EXPRESSION * 2];

	for (size_t k = 0; k < sizeof(tests) / sizeof(tests[0]); k++)
		if (ptx_has(i, tests[k].name) && read_all(t, i, type, 1, v)) {
			int at = (int)strcspn(tests[k].c, "%");

			snprintf(value, sizeof(value), "%.*s%s%s", at, tests[k].c, v[0], tests[k].c + at + 2);
			ptx_assign(t, i, i->operands[0], ptx_type_of("pred"), "%s", value);
			return;
		}
	ptx_fail(t, "%s in \"%s\"", i->op, i->text);
}

static const operation operations[] = {
	{ "add", "s16 u16 s32 u32 s64 u64 f32 f64 f16x2", "rn rz rm rp ftz sat", add },
	{ "sub", "s16 u16 s32 u32 s64 u64 f32 f64", "rn rz rm rp ftz sat", sub },
	{ "mul", "s16 u16 s32 u32 s64 u64 f32 f64", "lo hi wide rn rz rm rp ftz sat", mul },
	{ "mad", "s16 u16 s32 u32 s64 u64 f32 f64", "lo hi wide rn rz rm rp ftz sat", mad },
	{ "fma", "f32 f64 f16x2", "rn rz rm rp ftz sat", fma_ },
	{ "div", "s16 u16 s32 u32 s64 u64 f32 f64", "rn rz rm rp approx full ftz", div_ },
	{ "rem", "s16 u16 s32 u32 s64 u64", "", rem_ },
	{ "min", "s16 u16 s32 u32 s64 u64 f32 f64", "ftz NaN", pick },
	{ "max", "s16 u16 s32 u32 s64 u64 f32 f64", "ftz NaN", pick },
	{ "sqrt", "f32 f64", "rn rz rm rp approx ftz", root },
	{ "rcp", "f32 f64", "rn rz rm rp approx ftz", root },
	{ "rsqrt", "f32 f64", "approx ftz", one_operand },
	{ "ex2", "f32", "approx ftz", one_operand },
	{ "lg2", "f32", "approx ftz", one_operand },
	{ "sin", "f32", "approx ftz", one_operand },
	{ "cos", "f32", "approx ftz", one_operand },
	{ "tanh", "f32", "approx ftz", one_operand },
	{ "neg", "s16 s32 s64 f32 f64", "ftz", neg },
	{ "abs", "s16 s32 s64 f32 f64", "ftz", abs_ },
	{ "copysign", "f32 f64", "", copysign_ },
	{ "testp", "f32 f64", "finite infinite number notanumber normal", testp },
	{ "and", "pred b16 b32 b64", "", and_ },
	{ "or", "pred b16 b32 b64", "", or_ },
	{ "xor", "pred b16 b32 b64", "", xor_ },
	{ "not", "pred b16 b32 b64", "", not_ },
	{ "cnot", "b16 b32 b64", "", cnot },
	{ "shl", "b16 b32 b64", "", shift },
	{ "shr", "b16 u16 s16 b32 u32 s32 b64 u64 s64", "", shift },
	{ "shf", "b32", "l r wrap clamp", funnel },
	{ "popc", "b32 b64", "", count_bits },
	{ "clz", "b32 b64", "", count_bits },
	{ "bfind", "u32 s32 u64 s64", "", count_bits },
	{ "brev", "b32 b64", "", one_operand },
	{ "bfe", "u32 s32 u64 s64", "", bit_field },
	{ "bfi", "b32 b64", "", bit_field },
	{ "prmt", "b32", "", permute },
	{ "dp4a", "s32 u32", "s32 u32", dot_of_bytes },
	{ "lop3", "b32", "", lop3 },
	{ "selp", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64", "", selp },
	{ "setp", "b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64",
	  "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz", ptx_emit_setp },
	{ "mov", "pred b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64", "", ptx_emit_mov },
	{ "cvt", "u8 s8 u16 s16 f16 bf16 u32 s32 f32 u64 s64 f64",
	  "rn rz rm rp rni rzi rmi rpi ftz sat u8 s8 u16 s16 f16 bf16 u32 s32 f32 u64 s64 f64 f16x2 bf16x2",
	  ptx_emit_cvt },
	{ "cvta", "u64", "to global shared local const param", ptx_emit_cvta },
	{ "ld", "b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64",
	  "param global const shared local nc volatile relaxed acquire weak gpu cta sys v2 v4 ca cg cs lu cv",
	  ptx_emit_ld },
	{ "st", "b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64",
	  "global shared local volatile relaxed release weak gpu cta sys v2 v4 wb cg cs wt", ptx_emit_st },
	{ "atom", "b32 u32 s32 b64 u64 s64 f32 f64",
	  "global shared relaxed acquire release acq_rel gpu cta sys add min max and or xor exch cas inc dec",
	  ptx_emit_atom },
	{ "red", "b32 u32 s32 b64 u64 s64 f32 f64",
	  "global shared relaxed release gpu cta sys add min max and or xor inc dec", ptx_emit_atom },
	{ "bra", "", "uni", ptx_emit_bra },
	{ "ret", "", "uni", ptx_emit_ret },
	{ "exit", "", "", ptx_emit_ret },
	{ "trap", "", "", ptx_emit_trap },
	{ "bar", "", "sync cta", ptx_emit_bar },
	{ "barrier", "", "sync cta aligned", ptx_emit_bar },
	{ "membar", "", "cta gl sys", ptx_emit_nothing },
	{ "fence", "", "sc acq_rel cta gpu sys", ptx_emit_nothing },
	{ "prefetch", "", "global L1 L2", ptx_emit_nothing },
};

static const operation *find(const char *name)
{
	for (size_t k = 0; k < sizeof(operations) / sizeof(operations[0]); k++)
		if (strcmp(operations[k].name, name) == 0)
			return &operations[k];
	return NULL;
}

void ptx_instruction_emit(ptx_text *t, const ptx_instruction *i)
{
	const operation *o = find(i->tokens[0]);
	const ptx_type *type = NULL;
	int last = i->token_count;

	if (o == NULL) {
		ptx_fail(t, "opcode %s is not known to this test driver", i->op);
		return;
	}
	if (o->types[0] != '\0') {
		last--;
		type = last > 0 ? ptx_type_of(i->tokens[last]) : NULL;
		if (type == NULL || !listed(o->types, type->name)) {
			ptx_fail(t, "opcode %s: its type is not known to this test driver", i->op);
			return;
		}
		/* Only floats are flushed and saturated, and only they round. */
		if ((type->kind != 'f' || (type->bytes == 8 && ptx_has(i, "ftz"))) && strcmp(o->name, "cvt") != 0 &&
		    (ptx_has(i, "ftz") || ptx_has(i, "sat") || ptx_has(i, "NaN"))) {
			ptx_fail(t, "opcode %s is not known to this test driver", i->op);
			return;
		}
	}
	for (int k = 1; k < last; k++)
		if (!listed(o->modifiers, i->tokens[k])) {
			ptx_fail(t, "opcode %s: .%s is not known to this test driver", i->op, i->tokens[k]);
			return;
		}
	o->emit(t, i, type);
}

bool ptx_has_result(const ptx_instruction *i)
{
	static const char none[] = "st red bra ret exit trap bar barrier membar fence prefetch";

	return i->token_count > 0 && !listed(none, i->tokens[0]);
}

char *ptx_forms(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	for (size_t k = 0; k < sizeof(operations) / sizeof(operations[0]); k++) {
		const operation *o = &operations[k];

		if (o->types[0] == '\0')
			fprintf(out, "%s\n", o->name);
		for (const char *p = o->types; *p != '\0';) {
			const int length = (int)strcspn(p, " ");

			fprintf(out, "%s.%.*s\n", o->name, length, p);
			p += length + (p[length] == ' ');
		}
	}
	return fclose(out) == 0 ? text : NULL;
}
