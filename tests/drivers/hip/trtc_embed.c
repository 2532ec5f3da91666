/* SPDX-License-Identifier: Apache-2.0 */
/* The text that stands in front of every kernel, as it is in its two files. */
#ifndef EMU_FOLDER
#error "EMU_FOLDER is the folder of emu.h"
#endif

#include "trtc_state.h"

__asm__(".section .rodata\n"
        ".global trtc_prelude\n"
        ".hidden trtc_prelude\n"
        ".type trtc_prelude, @object\n"
        "trtc_prelude:\n"
        ".incbin \"" EMU_FOLDER "/emu_block.h\"\n"
        ".incbin \"" EMU_FOLDER "/emu.h\"\n"
        ".byte 0\n"
        ".size trtc_prelude, . - trtc_prelude\n"
        ".previous\n");
