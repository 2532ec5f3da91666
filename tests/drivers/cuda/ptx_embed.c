/* SPDX-License-Identifier: Apache-2.0 */
/* The text that stands in front of every translated module, as it is in its two files. */
#ifndef PTX_FOLDER
#error "PTX_FOLDER is the folder of ptx_block.h"
#endif

#include "ptx_inside.h"

__asm__(".section .rodata\n"
        ".global ptx_prelude_text\n"
        ".hidden ptx_prelude_text\n"
        ".type ptx_prelude_text, @object\n"
        "ptx_prelude_text:\n"
        ".incbin \"" PTX_FOLDER "/ptx_block.h\"\n"
        ".incbin \"" PTX_FOLDER "/ptx_prelude.h\"\n"
        ".byte 0\n"
        ".size ptx_prelude_text, . - ptx_prelude_text\n"
        ".previous\n");
