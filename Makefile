# SPDX-License-Identifier: Apache-2.0
# GNU make, one process, one graph.  Typed in the source tree it works in build/ (or B=folder),
# which it configures when needed; V=1 shows the commands.
#
#   make demo       install what is missing, build, run `quick` on everything here, compare
#   make check      the tests; no accelerator needed          TESTS="a.sh b" runs some
#   make check-long those that take longest (tests/long)
#   make bench      the performance comparisons, as ratios in one run
#   make stories    what a user does, from end to end, with the network   TESTS="driver" runs some
#   make fuzz       damaged files, kills, attacks: thousands of each, for hours   SEED=7 again the same
#   make stat       the statistics on data whose truth is known   STAT="coverage" runs some
#   make deb        Debian packages of this commit, in build/
#   make manual     docs/cli.md, evenhand.1, result.schema.json and the tables of result-format.md
#                   and exports.md again, from the program's tables
#   make install uninstall dist lint clean
unexport CDPATH
.DELETE_ON_ERROR:
# A build folder's GNUmakefile sets srcdir with override; an srcdir from the environment does not count.
ifneq ($(origin srcdir),override)

B = build
CONFIGURE_FLAGS =
# Several goals work in one build folder: one after the other.
.NOTPARALLEL:
# One job per processor, unless make was called with -j.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: all check check-long bench fuzz stat stories install uninstall dist lint clean manual tests objects demo deb distclean
all check check-long bench fuzz stat stories dist lint clean manual tests objects: $(B)/GNUmakefile
# Root installs what a user configured and built.
install uninstall: $(if $(wildcard $(B)/GNUmakefile),,$(B)/GNUmakefile)
all check check-long bench fuzz stat stories install uninstall dist lint clean manual tests objects:
	@+$(MAKE) $(JOBS) --no-print-directory -C '$(B)' $@
demo:
	@sh build-aux/setup.sh
	@+$(MAKE) --no-print-directory all
	@sh build-aux/demo.sh $(B)
deb:
	@sh build-aux/deb.sh . $(B)
distclean:
	rm -rf $(B) configure autom4te.cache
$(B)/GNUmakefile: configure
	@mkdir -p '$(B)'
	cd '$(B)' && '$(CURDIR)/configure' $(CONFIGURE_FLAGS)
configure: configure.ac VERSION
	autoconf
	@rm -rf autom4te.cache

else

.PHONY: all
all:
.SUFFIXES:
# Lists that grow below, and what is asked for on the command line alone.
OBJECTS :=
PLUGINS :=
ARCHIVES :=
DATA :=
PLUGIN_FLAGS :=
V =
TESTS =
BENCH =
SEED =
STAT =
ALWAYS = FORCE
own := $(shell test -O . && echo yes)
include config.mk
ifeq ($(own),yes)
config.mk: $(srcdir)/config.mk.in config.status
	./config.status config.mk
config.status: $(srcdir)/configure
	./config.status --recheck
$(srcdir)/configure: $(srcdir)/configure.ac $(srcdir)/VERSION
	cd $(srcdir) && autoconf && rm -rf autom4te.cache
endif

pkglibdir = $(libdir)/evenhand
pkgdatadir = $(datadir)/evenhand
WARNINGS = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith \
	-Wwrite-strings -Wundef -Wformat=2 $(WERROR)
ALL_CPPFLAGS = -I. -I$(srcdir)/core/include -D_GNU_SOURCE $(CPPFLAGS)
CORE_CPPFLAGS = -I$(srcdir)/core $(LIBRARY_CFLAGS) \
	-DEVENHAND_LIBRARY_DIR='"$(EVENHAND_LIBRARY_DIR)"' -DEVENHAND_DATA_DIR='"$(EVENHAND_DATA_DIR)"'
ALL_CFLAGS = -std=gnu17 $(WARNINGS) -fvisibility=hidden -fPIC -pthread $(CFLAGS) $(SANITIZE)
ALL_LDFLAGS = -pthread $(LDFLAGS) $(SANITIZE)
# A plugin must not depend on symbols nobody provides; sanitizer runtimes live in the program.
NO_UNDEFINED = $(if $(SANITIZE),,-Wl,-z,defs)
say = $(if $(V),,@printf '  %-5s %s\n' '$(1)' '$(2)';)
objects = $(patsubst $(srcdir)/%.c,obj/%.o,$(1))

# The prerequisites to link.
inputs = $(filter %.o %.a,$^)
quoted = '$(subst ','\'',$(1))'

# A file that is compared with the one that is there, before it replaces it: of this make alone, because
# several may run in one build folder.
fresh = $@.$$PPID
# Objects depend on this file; it changes only when the flags do.
flags: $(ALWAYS)
	@printf '%s\n' $(call quoted,$(CC) $(ALL_CPPFLAGS) $(CORE_CPPFLAGS) $(ALL_CFLAGS) $(CMOCKA_CFLAGS) $(PLUGIN_FLAGS) \
		$(foreach b,$(BACKENDS),$($(b)_CPPFLAGS))) > $(fresh)
	@cmp -s $(fresh) $@ && rm $(fresh) || mv $(fresh) $@
# Everything linked depends on this file: the flags of linking, then every file that is made, a line each.
links: $(ALWAYS)
	@printf '%s\n' $(call quoted,$(CC) $(AR) $(OBJCOPY) $(ALL_LDFLAGS) $(NO_UNDEFINED) $(LIBRARY_LIBS) $(LIBS) $(CMOCKA_LIBS) \
		$(HOST_KERNEL_CFLAGS) $(SPIRV_CLANG) $(SPIRV_TRANSLATOR)) \
		$(sort bin/evenhand $(OBJECTS) $(PLUGINS) $(ARCHIVES) $(DATA) $(test_files) $(host_kernels) $(spirv_kernels)) > $(fresh)
	@sh $(srcdir)/build-aux/links.sh $@ $(fresh)
# What was built: commit and whether the tree differs from it.  A release tarball has the file
# COMMIT instead of a repository.
version.h: $(ALWAYS)
	@sh $(srcdir)/build-aux/version.sh $(srcdir) $(call quoted,$(CC) $(ALL_CFLAGS)) > $(fresh)
	@cmp -s $(fresh) $@ && rm $(fresh) || mv $(fresh) $@

# The program refuses plugins and kernel texts that others can write to, so the umask does not decide that.
folder = @umask 022; mkdir -p $(@D)
copy = @umask 022; cp $< $@
# One plugin: $(1) name, $(2) sources, $(3) kind folder, $(4) extra flags, $(5) extra libraries.
define plugin_rule
lib/evenhand/$(3)/$(1).so: $$(call objects,$(2))
	$$(folder)
	$$(call say,LD,$$@)umask 022; $$(CC) -shared $$(ALL_LDFLAGS) $$(NO_UNDEFINED) -o $$@ $$(inputs) $(5)
$$(call objects,$(2)): private CORE_CPPFLAGS := $(4)
OBJECTS += $$(call objects,$(2))
PLUGINS += lib/evenhand/$(3)/$(1).so
PLUGIN_FLAGS += $(1): $(4) $(5)
endef

include $(srcdir)/core/module.mk
include $(srcdir)/backends/module.mk
include $(srcdir)/workloads/module.mk
include $(srcdir)/plugins/probes/module.mk
include $(srcdir)/plugins/conformance/module.mk
include $(srcdir)/protocols/module.mk
include $(srcdir)/tests/module.mk

all: bin/evenhand $(PLUGINS) $(ARCHIVES) $(DATA) $(host_kernels) $(spirv_kernels)
# What a compiler thinks of everything, without linking.
.PHONY: objects
objects: $(OBJECTS)
bin/evenhand obj/backends/shared.a $(PLUGINS) $(ARCHIVES) $(test_files): links

obj/%.o: $(srcdir)/%.c flags
	@mkdir -p $(@D)
	$(call say,CC,$(patsubst $(srcdir)/%,%,$<))$(CC) $(ALL_CPPFLAGS) $(CORE_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
-include $(OBJECTS:.o=.d)

# The files to install, a line each: mode|folder|files.  FILE.in is installed as FILE, with EDITS (below).
define installed
755|$(bindir)|bin/evenhand
755|$(pkglibdir)/backends|$(filter lib/evenhand/backends/%,$(PLUGINS))
755|$(pkglibdir)/workloads|$(filter lib/evenhand/workloads/%,$(PLUGINS))
755|$(pkglibdir)/probes|$(filter lib/evenhand/probes/%,$(PLUGINS))
755|$(pkglibdir)/conformance|$(filter lib/evenhand/conformance/%,$(PLUGINS))
644|$(libdir)|$(ARCHIVES)
$(if $(host_kernels),755|$(pkglibdir)/host-kernels|lib/evenhand/host-kernels/*.so)
$(if $(host_kernels),644|$(pkglibdir)/host-kernels|lib/evenhand/host-kernels/compiler)
$(if $(spirv_kernels),644|$(pkglibdir)/spirv|lib/evenhand/spirv/*.spv lib/evenhand/spirv/compiler)
644|$(pkgdatadir)/protocols|$(filter share/evenhand/protocols/%,$(DATA))
644|$(pkgdatadir)/claims|$(filter share/evenhand/claims/%,$(DATA))
644|$(pkgdatadir)/workloads|$(filter share/evenhand/workloads/%,$(DATA))
644|$(pkgdatadir)|share/evenhand/makers.ini
644|$(pkgdatadir)/page|$(filter share/evenhand/page/%,$(DATA))
644|$(includedir)/evenhand|$(srcdir)/core/include/evenhand/*.h
644|$(libdir)/pkgconfig|$(srcdir)/build-aux/evenhand.pc.in
644|$(mandir)/man1|$(srcdir)/docs/evenhand.1
644|$(docdir)|$(srcdir)/docs/*.md $(srcdir)/docs/*.json $(srcdir)/LICENSE
644|$(docdir)/skeleton|$(srcdir)/plugins/skeleton/*
644|$(docdir)/examples|$(srcdir)/plugins/conformance/conformance_main.c $(srcdir)/tests/backends/plusplus.cc
644|$(datadir)/bash-completion/completions|$(srcdir)/build-aux/completions/evenhand
644|$(datadir)/zsh/site-functions|$(srcdir)/build-aux/completions/_evenhand
644|$(datadir)/fish/vendor_completions.d|$(srcdir)/build-aux/completions/evenhand.fish
endef

INSTALL = install
DESTDIR ?=
.PHONY: install uninstall dist deb clean lint manual FORCE
# In another user's build folder (su -c 'make install') nothing is made: what its owner built is installed.
ifeq ($(own),yes)
install: all
else
install:
	@$(MAKE) --no-print-directory -q ALWAYS= all || { echo "install: $(CURDIR) belongs to another user and is not up to date:" \
		"run make there as $$(stat -c %U .), then make install again" >&2; exit 2; }
endif
	@sh $(srcdir)/build-aux/install.sh install '$(DESTDIR)' '$(pkgdatadir)/installed'
install: private export INSTALL := $(INSTALL)
install: private export INSTALLED = $(installed)
install: private export EDITS = s|@prefix@|$(prefix)|; s|@libdir@|$(libdir)|; s|@includedir@|$(includedir)|; \
	s|@datadir@|$(datadir)|; s|@VERSION@|$(VERSION)|
uninstall:
	@sh $(srcdir)/build-aux/install.sh uninstall '$(DESTDIR)' '$(pkgdatadir)/installed'

dist: $(srcdir)/configure
	@sh $(srcdir)/build-aux/dist.sh $(srcdir) evenhand-$(VERSION)

deb:
	@sh $(srcdir)/build-aux/deb.sh $(srcdir) .

lint: version.h
	@sh $(srcdir)/build-aux/lint.sh $(srcdir) $(CURDIR)

manual: all
	bin/evenhand help --markdown > $(srcdir)/docs/cli.md
	bin/evenhand help --man > $(srcdir)/docs/evenhand.1
	bin/evenhand help result --json > $(srcdir)/docs/result.schema.json
	sed '/^<!-- Written by/q' $(srcdir)/docs/result-format.md > result-format.md
	bin/evenhand help result >> result-format.md
	mv result-format.md $(srcdir)/docs/result-format.md
	sed '/^<!-- Written by/q' $(srcdir)/docs/exports.md > exports.md
	bin/evenhand help columns >> exports.md
	mv exports.md $(srcdir)/docs/exports.md
	bin/evenhand help tables > $(srcdir)/python/evenhand/tables.py

clean:
	rm -rf obj bin lib share tests flags flags.* links links.* version.h version.h.* deb.log evenhand*.deb

endif
