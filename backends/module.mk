# One shared object per configured backend folder, built from declarations of its own.  The code in
# backends/shared is compiled once, with hidden symbols; each backend links the part that it uses.
shared_sources := $(sort $(wildcard $(srcdir)/backends/shared/*.c))
OBJECTS += $(call objects,$(shared_sources))
$(call objects,$(shared_sources)): private CORE_CPPFLAGS := -I$(srcdir)/backends
obj/backends/shared.a: $(call objects,$(shared_sources))
	@mkdir -p $(@D)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(inputs)

$(foreach b,$(BACKENDS),$(eval $(call plugin_rule,$(b),$(sort $(wildcard $(srcdir)/backends/$(b)/*.c)),backends,-I$(srcdir)/backends,$(LIBS))))
$(BACKENDS:%=lib/evenhand/backends/%.so): obj/backends/shared.a
