# One shared object per folder with sources, but shared/, which every probe is linked with.  They
# are built from headers of their own alone, wherever a C compiler is.
probe_names := $(filter-out shared,$(notdir $(patsubst %/,%,$(sort $(dir $(wildcard $(srcdir)/plugins/probes/*/*.c))))))
# Sysman's types come from Level Zero's own headers; without them that probe is left out.
probe_names := $(filter-out $(if $(shell printf '\#include <level_zero/zes_api.h>\n' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && echo yes),,sysman),$(probe_names))
probe_shared := $(sort $(wildcard $(srcdir)/plugins/probes/shared/*.c))
OBJECTS += $(call objects,$(probe_shared))
$(call objects,$(probe_shared)): private CORE_CPPFLAGS :=
$(foreach p,$(probe_names),$(eval $(call plugin_rule,$(p),$(sort $(wildcard $(srcdir)/plugins/probes/$(p)/*.c)),probes,,$(LIBS))))
$(probe_names:%=lib/evenhand/probes/%.so): $(call objects,$(probe_shared))
