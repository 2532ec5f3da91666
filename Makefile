# SPDX-License-Identifier: Apache-2.0
# GNU make, one process, one graph.  Typed in the source tree it works in build/ (or B=folder),
# which it configures when needed; V=1 shows the commands.
#
#   make demo       install what is missing, build, run `quick` on everything here, compare
#   make check      all tests; no accelerator needed          TESTS="a.sh b" runs some
#   make bench      the performance comparisons, as ratios in one run
#   make stat       the statistics on data whose truth is known   STAT="coverage" runs some
#   make deb        Debian packages of this commit, in build/
#   make install uninstall dist lint clean
ifndef srcdir

B ?= build
# One job per processor, unless make was called with -j.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))
.PHONY: all check bench stat install uninstall dist lint clean tests demo deb distclean
all check bench stat install uninstall dist lint clean tests: $(B)/GNUmakefile
	@+$(MAKE) $(JOBS) --no-print-directory -C $(B) $@
demo:
	@sh build-aux/setup.sh
	@+$(MAKE) --no-print-directory all
	@sh build-aux/demo.sh $(B)
deb:
	@sh build-aux/deb.sh . $(B)
distclean:
	rm -rf $(B) configure autom4te.cache
$(B)/GNUmakefile: configure
	@mkdir -p $(B)
	cd $(B) && $(abspath configure) $(CONFIGURE_FLAGS)
configure: configure.ac VERSION
	autoconf
	@rm -rf autom4te.cache

else

.PHONY: all
all:
.DELETE_ON_ERROR:
.SUFFIXES:
include config.mk
config.mk: $(srcdir)/config.mk.in config.status
	./config.status config.mk
config.status: $(srcdir)/configure
	./config.status --recheck
$(srcdir)/configure: $(srcdir)/configure.ac $(srcdir)/VERSION
	cd $(srcdir) && autoconf && rm -rf autom4te.cache

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

# Objects depend on this file; it changes only when the flags do.
flags: FORCE
	@printf '%s\n' '$(subst ','\'',$(CC) $(ALL_CPPFLAGS) $(CORE_CPPFLAGS) $(ALL_CFLAGS))' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
# What was built: commit and whether the tree differs from it.  A release tarball has the file
# COMMIT instead of a repository.
version.h: FORCE
	@sh $(srcdir)/build-aux/version.sh $(srcdir) '$(subst ','\'',$(CC) $(ALL_CFLAGS))' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

# One plugin: $(1) name, $(2) sources, $(3) kind folder, $(4) extra flags, $(5) extra libraries.
define plugin_rule
lib/evenhand/$(3)/$(1).so: $$(call objects,$(2))
	@mkdir -p $$(@D)
	$$(call say,LD,$$@)$$(CC) -shared $$(ALL_LDFLAGS) $$(NO_UNDEFINED) -o $$@ $$^ $(5)
$$(call objects,$(2)): private CORE_CPPFLAGS := $(4)
OBJECTS += $$(call objects,$(2))
PLUGINS += lib/evenhand/$(3)/$(1).so
endef

include $(srcdir)/core/module.mk
include $(srcdir)/backends/module.mk
include $(srcdir)/workloads/module.mk
include $(srcdir)/plugins/probes/module.mk
include $(srcdir)/protocols/module.mk
include $(srcdir)/tests/module.mk

all: bin/evenhand $(PLUGINS) $(DATA) lib/evenhand/host-kernels/.stamp $(spirv_kernels)

obj/%.o: $(srcdir)/%.c flags
	@mkdir -p $(@D)
	$(call say,CC,$(patsubst $(srcdir)/%,%,$<))$(CC) $(ALL_CPPFLAGS) $(CORE_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
-include $(OBJECTS:.o=.d)

# Made at every install: `make install prefix=...` may name another one than configure did.
evenhand.pc: $(srcdir)/build-aux/evenhand.pc.in FORCE
	@sed -e 's|@prefix@|$(prefix)|' -e 's|@libdir@|$(libdir)|' -e 's|@includedir@|$(includedir)|' \
	     -e 's|@datadir@|$(datadir)|' -e 's|@VERSION@|$(VERSION)|' $< > $@

INSTALL = install
.PHONY: install uninstall dist deb clean lint FORCE
install: all evenhand.pc
	$(INSTALL) -d $(DESTDIR)$(bindir) $(DESTDIR)$(includedir)/evenhand $(DESTDIR)$(libdir)/pkgconfig \
		$(DESTDIR)$(mandir)/man1 $(DESTDIR)$(docdir)/skeleton \
		$(addprefix $(DESTDIR)$(pkglibdir)/,backends workloads probes host-kernels) \
		$(addprefix $(DESTDIR)$(pkgdatadir)/,protocols claims workloads)
	$(INSTALL) bin/evenhand $(DESTDIR)$(bindir)
	$(INSTALL) $(filter lib/evenhand/backends/%,$(PLUGINS)) $(DESTDIR)$(pkglibdir)/backends
	$(INSTALL) $(filter lib/evenhand/workloads/%,$(PLUGINS)) $(DESTDIR)$(pkglibdir)/workloads
	$(INSTALL) $(filter lib/evenhand/probes/%,$(PLUGINS)) $(DESTDIR)$(pkglibdir)/probes
	$(INSTALL) lib/evenhand/host-kernels/*.so $(DESTDIR)$(pkglibdir)/host-kernels
	$(INSTALL) -m 644 lib/evenhand/host-kernels/compiler $(DESTDIR)$(pkglibdir)/host-kernels
ifneq ($(spirv_kernels),)
	$(INSTALL) -d $(DESTDIR)$(pkglibdir)/spirv
	$(INSTALL) -m 644 lib/evenhand/spirv/*.spv lib/evenhand/spirv/compiler $(DESTDIR)$(pkglibdir)/spirv
endif
	$(INSTALL) -m 644 $(filter share/evenhand/protocols/%,$(DATA)) $(DESTDIR)$(pkgdatadir)/protocols
	$(INSTALL) -m 644 $(filter share/evenhand/claims/%,$(DATA)) $(DESTDIR)$(pkgdatadir)/claims
	$(INSTALL) -m 644 $(filter share/evenhand/workloads/%,$(DATA)) $(DESTDIR)$(pkgdatadir)/workloads
	$(INSTALL) -m 644 share/evenhand/owners.ini $(DESTDIR)$(pkgdatadir)
	$(INSTALL) -m 644 $(srcdir)/core/include/evenhand/*.h $(DESTDIR)$(includedir)/evenhand
	$(INSTALL) -m 644 evenhand.pc $(DESTDIR)$(libdir)/pkgconfig
	$(INSTALL) -m 644 $(srcdir)/docs/evenhand.1 $(DESTDIR)$(mandir)/man1
	$(INSTALL) $(srcdir)/build-aux/completions/completion.sh $(DESTDIR)$(pkgdatadir)
	$(INSTALL) -D -m 644 $(srcdir)/build-aux/completions/evenhand.bash $(DESTDIR)$(datadir)/bash-completion/completions/evenhand
	$(INSTALL) -D -m 644 $(srcdir)/build-aux/completions/_evenhand $(DESTDIR)$(datadir)/zsh/site-functions/_evenhand
	$(INSTALL) -D -m 644 $(srcdir)/build-aux/completions/evenhand.fish $(DESTDIR)$(datadir)/fish/vendor_completions.d/evenhand.fish
	$(INSTALL) -m 644 $(srcdir)/docs/*.md $(srcdir)/docs/*.json $(srcdir)/LICENSE $(DESTDIR)$(docdir)
	$(INSTALL) -m 644 $(srcdir)/plugins/skeleton/* $(DESTDIR)$(docdir)/skeleton
uninstall:
	rm -f $(DESTDIR)$(bindir)/evenhand $(DESTDIR)$(libdir)/pkgconfig/evenhand.pc $(DESTDIR)$(mandir)/man1/evenhand.1 \
		$(addprefix $(DESTDIR)$(datadir)/,bash-completion/completions/evenhand zsh/site-functions/_evenhand \
		fish/vendor_completions.d/evenhand.fish)
	rm -rf $(DESTDIR)$(pkglibdir) $(DESTDIR)$(pkgdatadir) $(DESTDIR)$(includedir)/evenhand $(DESTDIR)$(docdir)

dist: $(srcdir)/configure
	@sh $(srcdir)/build-aux/dist.sh $(srcdir) evenhand-$(VERSION)

deb:
	@sh $(srcdir)/build-aux/deb.sh $(srcdir) .

lint:
	@sh $(srcdir)/build-aux/lint.sh $(srcdir) $(CURDIR)

clean:
	rm -rf obj bin lib share tests flags version.h evenhand.pc deb.log evenhand*.deb

endif
