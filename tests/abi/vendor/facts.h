/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the facts of one ABI, a line each, from whichever headers the includer took them: the
 * project's own declarations, or the vendor's (ABI_OF_VENDOR).  FACTS is the file that facts.awk made,
 * CHECKS the one that vendor.sh made of the functions.
 */
#include <stddef.h>
#include <stdio.h>

#include CHECKS

/* long and long long are one thing here; an enum is the integer that it is kept in. */
#define KIND(value) _Generic((value), \
	_Bool: "bool", char: "char", signed char: "i8", unsigned char: "u8", short: "i16", \
	unsigned short: "u16", int: "i32", unsigned: "u32", long: "i64", long long: "i64", \
	unsigned long: "u64", unsigned long long: "u64", float: "float", double: "double", \
	char *: "char[]", unsigned char *: "u8[]", unsigned short *: "u16[]", int *: "i32[]", \
	unsigned *: "u32[]", long *: "i64[]", long long *: "i64[]", unsigned long *: "u64[]", \
	unsigned long long *: "u64[]", double *: "double[]", default: "other")
#define CONSTANT(name) printf("constant %s %lld\n", #name, (long long)(name));
#define TYPE(name) \
	printf("type %s size %zu %s\n", #name, sizeof(name), KIND(*(name *)NULL));
#define MEMBER(type, name) \
	printf("member %s.%s offset %zu size %zu %s\n", #type, #name, offsetof(type, name), \
	       sizeof(((type *)NULL)->name), KIND(((type *)NULL)->name));
/* A function of the vendor's against the type that this project calls it by.  vendor.sh makes a
 * CHECK_field for each: the type's declaration and calls of FUNCTION, or nothing where these headers
 * lack the function, for they may lack its types too. */
#ifdef ABI_OF_VENDOR
#define FUNCTION(name, declared) \
	printf("function %s %s\n", #name, \
	       __builtin_types_compatible_p(__typeof__(&name), declared) ? "is called as it is declared" \
	                                                                 : "has another prototype");
#else
#define FUNCTION(name, declared) \
	printf("function %s %s\n", #name, sizeof(declared) > 0 ? "is called as it is declared" : "");
#endif
/* What the code takes for granted of a type that is only pointed to. */
#ifdef ABI_OF_VENDOR
#define GRANTED(text, condition) printf("granted %s%s\n", text, (condition) ? "" : ", which is not so");
#else
#define GRANTED(text, condition) printf("granted %s\n", text);
#endif
#define CHECK(type, field, arguments) CHECK_##field(type arguments)

static void functions(void);

int main(void)
{
#include FACTS
	functions();
	return 0;
}
