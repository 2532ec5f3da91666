# Reads a declared ABI (backends/*/*_abi.h and its like) and prints one line for each fact in it, as
# calls of the macros of facts.h: CONSTANT(name), TYPE(name), MEMBER(type, member).  The facts stand
# between "#ifndef ABI_OF_VENDOR" and its "#endif" in these forms, each on a line of its own:
#
#     #define NAME value                    typedef old new;
#     typedef enum|struct|union tag {       enum {
#     	NAME = value,                       	type member;     type member[count];
#     } name;                               };
#
# A struct may have structs without a name of their own as members.
#
# The functions stand in lists of X(field, "name|older name", (arguments)) anywhere else, and are printed as
# "function field name|older name"; a field's name is used once in a file.
#
# "head of" in the comment right above a struct: the vendor's goes on behind it, so its size is no fact.
# A line of no such form is an error: what is not read is not compared.
function wrong(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, why, $0 > "/dev/stderr"; bad = 1 }
function flush_members(type, i) {
	if (!head) print "TYPE(" type ")"
	for (i = 1; i <= count; i++) print "MEMBER(" type ", " members[i] ")"
	count = 0; head = 0
}
{ line = $0 }
/^$/ { head = 0 }
/\/\*/ && !/\*\// { text = 1; if (line ~ /head of/) head = 1; sub(/[ \t]*\/\*.*/, "", line); opened = 1 }
text && !opened { if (line ~ /head of/) head = 1; if (line ~ /\*\//) { text = 0; sub(/.*\*\//, "", line) } else next }
{ opened = 0 }
line ~ /\/\*.*\*\// { if (line ~ /head of/) head = 1; gsub(/[ \t]*\/\*[^*]*(\*[^\/][^*]*)*\*\//, "", line) }
line ~ /^[ \t]*$/ { next }
line ~ /^#ifndef ABI_OF_VENDOR$/ { facts = 1; next }
facts && line ~ /^#endif/ { facts = 0; next }
!facts {
	is_function = match(line, /^\tX\([A-Za-z_0-9]+, "[A-Za-z0-9_|]+"/)
	if (is_function) {
		split(substr(line, RSTART + 3, RLENGTH - 3), w, /[, "]+/)
		if (w[1] in fields) wrong("two functions have this name")
		fields[w[1]] = 1
		print "function " w[1] " " w[2]
	}
	if (gsub(/(^|[^A-Za-z0-9_])X\(/, "&", line) != is_function) wrong("a function of no known form")
	if (line ~ /^(typedef|enum|struct|union)|^#define [A-Z][A-Za-z0-9_]* +[^ \\]/) wrong("a fact outside of #ifndef ABI_OF_VENDOR")
	next
}
line ~ /^#include / || line ~ /^#define [A-Z_]+[ \t]*$/ { next }
line ~ /^#define [A-Za-z_][A-Za-z0-9_]* +[^ ]/ { split(line, w, /[ \t]+/); print "CONSTANT(" w[2] ")"; next }
line ~ /^(typedef )?enum [A-Za-z0-9_ ]*\{$/ { inside = "enum"; next }
line ~ /^typedef (struct|union) [A-Za-z0-9_ ]*\{$/ { inside = "struct"; next }
inside == "enum" && line ~ /^\t[A-Za-z_][A-Za-z0-9_]* = [^,=]+,?$/ {
	sub(/^\t/, "", line); sub(/ =.*/, "", line); print "CONSTANT(" line ")"; next
}
inside == "struct" && line ~ /^\t(struct|union) \{$/ { outer = count; next }
inside == "struct" && line ~ /^\t\} [A-Za-z_][A-Za-z0-9_]*;$/ {
	sub(/^\t\} /, "", line); sub(/;$/, "", line)
	while (outer < count) members[outer + 1] = line "." members[++outer]
	next
}
inside == "struct" && line ~ /^\t+[^,;()]*[ *][A-Za-z_][A-Za-z0-9_]*(\[[^]]*\])*;$/ {
	sub(/(\[[^;]*\])?;$/, "", line); sub(/.*[ *]/, "", line); members[++count] = line; next
}
inside == "enum" && line ~ /^\};$/ { inside = ""; next }
inside && line ~ /^\} [A-Za-z_][A-Za-z0-9_]*;$/ {
	sub(/^\} /, "", line); sub(/;$/, "", line); inside = ""; flush_members(line); next
}
!inside && line ~ /^typedef struct ([A-Za-z0-9_]+) ([A-Za-z0-9_]+);$/ { next }  # a struct that is only pointed to
!inside && line ~ /^typedef [^,;()]*[ *][A-Za-z_][A-Za-z0-9_]*;$/ {
	sub(/;$/, "", line); sub(/.*[ *]/, "", line); print "TYPE(" line ")"; next
}
{ wrong("a line of no known form") }
END { exit bad }
