# SPDX-License-Identifier: Apache-2.0
"""Compiles kernel texts for GPUs and looks at the code.  Prints TAP.

usage: kernel_code.py TEXTS WORK
Environment: NVRTC_PTX (the caller of NVRTC), HIP_CLANG, SPIRV_PAIR ("CLANG TRANSLATOR" or empty)
"""
import os
import re
import shutil
import subprocess
import sys

TEXTS, WORK = sys.argv[1:3]
NVRTC_PTX, HIP_CLANG = os.environ["NVRTC_PTX"], os.environ["HIP_CLANG"]
SPIRV_PAIR = os.environ["SPIRV_PAIR"].split()
NVIDIA, AMD = (75, 80, 90, 100, 120), ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1200")
SPANS = {"F32": 4, "F64": 2, "F16": 8, "BF16": 8}
tests = 0


def say(name, problems=(), skip=None):
    global tests
    tests += 1
    print("%s %d - %s%s" % ("not ok" if problems else "ok", tests, name, " # SKIP " + skip if skip else ""))
    for line in problems:
        print("#   " + line)
    sys.stdout.flush()


def call(argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def load(prefix):
    """[(path, {define: value})] of the texts whose defines begin with the prefix."""
    found = []
    for name in sorted(os.listdir(TEXTS)):
        path = os.path.join(TEXTS, name)
        with open(path) as f:
            head = f.read().split("#line", 1)[0]
        defines = dict(re.findall(r"#define (\S+) (.*)", head))
        if any(key.startswith(prefix) for key in defines):
            found.append((path, defines))
    return found


# ---- the code for one GPU ---------------------------------------------------------------------------

def ptx(path, compute):
    """(PTX, what ptxas says); the second is empty without ptxas.  Raises ValueError with a reason."""
    done = call([NVRTC_PTX, path, "compute_%d" % compute])
    if done.returncode != 0:
        raise ValueError(done.stdout.strip()[:300])
    out = os.path.join(WORK, "k.ptx")
    with open(out, "w") as f:
        f.write(done.stdout)
    if shutil.which("ptxas") is None:
        return done.stdout, ""
    used = call(["ptxas", "-v", "-arch=sm_%d" % compute, "-o", os.path.join(WORK, "k.cubin"), out])
    if used.returncode != 0:
        raise ValueError(used.stdout.strip()[:300])
    return done.stdout, used.stdout


def amd(path, target):
    """Assembly.  Raises ValueError with a reason."""
    out, source = os.path.join(WORK, "k.s"), os.path.join(WORK, "k.hip")
    shutil.copyfile(path, source)
    done = call([HIP_CLANG, "-x", "hip", "--offload-arch=" + target, "--cuda-device-only", "-nogpuinc",
                 "-nogpulib", "-O3", "-S", "-o", out, source])
    if done.returncode != 0:
        raise ValueError(done.stdout.strip()[:300])
    with open(out) as f:
        return f.read()


def spirv(path):
    """Assembly of the module.  Raises ValueError with a reason."""
    clang, translator = SPIRV_PAIR
    bitcode, module = os.path.join(WORK, "k.bc"), os.path.join(WORK, "k.spv")
    for argv in ([clang, "-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header",
                  "-ffp-contract=off", "-O1", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-c", path,
                  "-o", bitcode],
                 [translator, "--spirv-max-version=1.0", "--spirv-fp-contract=fast", bitcode, "-o", module],
                 ["spirv-dis", module]):
        done = call(argv)
        if done.returncode != 0:
            raise ValueError(done.stdout.strip()[:300])
    return done.stdout


def kernel_of(code, name):
    """The part of PTX or AMD assembly that is this kernel's."""
    begin = re.search(r"\.entry %s\(|^%s:" % (name, name), code, re.M)
    end = re.compile(r"^\}|^\s*s_endpgm", re.M).search(code, begin.end())
    return code[begin.start():end.end()]


def spills(used):
    return [] if not used or not re.search(r"[1-9]\d* bytes spill", used) else ["it spills: " + used.strip()]


def scratch(code):
    return [] if not re.search(r"ScratchSize: [1-9]", code) else ["it uses scratch memory"]


def on_nvidia(what, texts, look):
    """look(PTX, what ptxas says, defines): the problems of one text."""
    if call([NVRTC_PTX]).returncode == 77:
        return say("NVIDIA: " + what, skip="NVRTC is not installed: sh build-aux/nvidia-compilers.sh DIR, then "
                                           "CUDA_HOME=DIR")
    for compute in NVIDIA:
        problems = []
        for path, defines in texts:
            try:
                problems += look(*ptx(path, compute), defines)
            except ValueError as why:
                problems.append("%s: %s" % (defines, why))
        say("sm_%d: %s" % (compute, what), problems)
    if shutil.which("ptxas") is None:
        say("NVIDIA: registers and spills, " + what, skip="ptxas is not installed: sh build-aux/"
            "nvidia-compilers.sh DIR, then CUDA_HOME=DIR")


def on_amd(what, texts, look):
    """look(assembly, defines, target): the problems of one text."""
    probe = os.path.join(WORK, "probe.c")
    with open(probe, "w") as f:
        f.write("__attribute__((global)) void k(int *a) { *a = 1; }\n")
    for target in AMD:
        try:
            amd(probe, target)
        except (ValueError, OSError):
            say("%s: %s" % (target, what), skip="%s does not know it (a newer package clang)" %
                (HIP_CLANG or "no clang"))
            continue
        problems = []
        for path, defines in texts:
            try:
                problems += look(amd(path, target), defines, target)
            except ValueError as why:
                problems.append("%s: %s" % (defines, why))
        say("%s: %s" % (target, what), problems)


# ---- stream -------------------------------------------------------------------------------------------

def accesses(defines):
    """How many wide loads and stores the kernel has."""
    operation = int(defines["EH_S_OPERATION"])
    steps = int(defines["EH_S_ITEMS"]) / SPANS[defines["EH_S_PRECISION"]]
    return [1, 1, 2, 2, 2, 1, 0][operation] * steps, 0 if operation in (4, 5) else steps


def compare(defines, found, narrow):
    """The problems, from the counts of wide loads and stores, and all the narrow ones."""
    wanted = accesses(defines)
    # One partial sum is stored.
    allowed = 1 if wanted[1] == 0 else 0
    if found == wanted and len(narrow) <= allowed:
        return []
    return ["operation %s, %s: %d loads and %d stores of 16 bytes, not %d and %d; narrow: %s" %
            ((defines["EH_S_OPERATION"], defines["EH_S_PRECISION"]) + found + wanted + (narrow[:4],))]


def split(words, wide):
    """(loads, stores) of those that match `wide`, and the others."""
    matching = [w for w in words if re.search(wide, w)]
    loads = len([w for w in matching if "ld" in w or "load" in w])
    return (loads, len(matching) - loads), [w for w in words if w not in matching]


def stream_nvidia(code, used, defines):
    words = re.findall(r"\b(?:ld|st)\.global[\w.]*", kernel_of(code, "eh_stream"))
    return compare(defines, *split(words, r"\.v4\.[bfu]32$|\.v2\.[bfu]64$")) + spills(used)


def stream_amd(code, defines, _):
    words = re.findall(r"\b(?:global|flat|scratch)_(?:load|store)\w*", kernel_of(code, "eh_stream"))
    return compare(defines, *split(words, r"^global_\w+_(dwordx4|b128)$")) + scratch(code)


def stream_spirv(code, defines):
    """Loops and calls stand in SPIR-V as in the text, so each access of it is there once."""
    precision = defines["EH_S_PRECISION"]
    # The second kernel, behind a function of the same name, adds up the partial sums.
    second = re.findall(r'(?:OpEntryPoint Kernel|OpName) (%\w+) "eh_stream_sum"', code)
    for name in second:
        code = re.sub(r"(?ms)^\s*%s = OpFunction .*?OpFunctionEnd" % name, "", code)
    pointers = dict(re.findall(r"(%\w+) = Op\w+ %_ptr_CrossWorkgroup_(\w+) ", code))
    moved = [(pointers[p], int(align)) for p, align in
             re.findall(r"= OpLoad %\w+ (%\w+) Aligned (\d+)", code) +
             re.findall(r"OpStore (%\w+) %\w+ Aligned (\d+)", code) if p in pointers]
    halves = len(re.findall(r"OpExtInst .* (?:vloada_halfn|vstorea_halfn_r) ", code))
    wide = [m for m in moved if m in (("v4float", 16), ("v2double", 16), ("v4uint", 16))]
    narrow = [m for m in moved if m not in wide]
    # One partial sum is stored.
    if len(narrow) > (1 if second else 0) or (halves if precision == "F16" else len(wide)) == 0:
        return ["operation %s, %s: %d wide accesses, %d of halves, and %s" %
                (defines["EH_S_OPERATION"], precision, len(wide), halves, narrow)]
    return []


# ---- fma ----------------------------------------------------------------------------------------------

def multiply_adds(defines):
    """Of one round of both steps, in the loop."""
    width = int(re.search(r"x(\d+)$", defines["EH_F_VECTOR"]).group(1))
    return 2 * width * int(defines["EH_F_CHAINS"])


def fma_nvidia(code, used, defines):
    kind = {"double": "f64", "float": "f32", "eh_half": "f16"}[defines["EH_F_REAL"]]
    # Pairs: halves on every GPU, floats fused by name from Blackwell on.
    pairs = len(re.findall(r"\bfma\.rn\.%sx2" % kind, code))
    fused = len(re.findall(r"\bfma\.rn\.%s\b" % kind, code)) + 2 * pairs
    apart = len(re.findall(r"\bmul\.(?:rn\.)?%s" % kind, code))
    problems = spills(used)
    if fused < multiply_adds(defines) or apart > 0:
        problems.append("%s: %d fused multiply-adds of %d, %d products apart" %
                        (defines, fused, multiply_adds(defines), apart))
    target = int(re.search(r"\.target sm_(\d+)", code).group(1))
    paired = kind == "f16" or (kind == "f32" and "EH_F_ACCUMULATE" in defines and target >= 100)
    if paired != (2 * pairs >= multiply_adds(defines)) or (pairs > 0) != paired:
        problems.append("%s: %d multiply-adds of pairs" % (defines, pairs))
    return problems


def fma_amd(code, defines, target):
    """An eighth of the multiply-adds may be left over by the pairing."""
    body = kernel_of(code, "eh_fma")
    packed, dual = len(re.findall(r"v_pk_fma_f(?:16|32)", body)), len(re.findall(r"v_dual_fmac_f32", body))
    single = len(re.findall(r"v_(?:fma|fmac)_f(?:16|32|64)", body))
    apart = len(re.findall(r"v_(?:pk_|dual_)?mul_f(?:16|32|64)", body))
    single_precision = defines["EH_F_REAL"] == "float"
    wanted, problems = multiply_adds(defines), scratch(code)
    if 2 * packed + dual + single < wanted or apart > 0:
        problems.append("%s: %d packed, %d dual, %d single of %d, %d products apart" %
                        (defines, packed, dual, single, wanted, apart))
    if defines["EH_F_REAL"] == "eh_half" and 2 * packed < wanted:
        problems.append("%s: only %d packed multiply-adds of %d" % (defines, packed, wanted / 2))
    if single_precision and target.startswith("gfx9") and 2 * packed < wanted * 7 / 8:
        problems.append("%s: only %d packed multiply-adds of %d" % (defines, packed, wanted / 2))
    if single_precision and target.startswith("gfx1") and \
            "EH_F_ACCUMULATE" in defines and dual < wanted * 7 / 8:
        problems.append("%s: only %d of %d multiply-adds are issued in pairs" % (defines, dual, wanted))
    return problems


def gemm_nvidia(code, used, _):
    """Tiles of any size: all of a group's memory is what the launch asks for."""
    shared = re.findall(r"\.shared .*\b(?:b8|f32|f64) (\w+)\[\d*\]", code)
    smem = re.findall(r"\d+ bytes smem", used)
    return [] if shared == ["eh_local_"] and not smem else ["shared memory: %s %s" % (shared, smem)]


def linear_nvidia(code, _, defines):
    """Additions and multiply-adds are twice as fast as what works on bits, so decoding does little of that."""
    most = {"E4M3": 4, "E2M1": 4, "I8": 2, "I4": 2}[defines["EH_W_FORMAT"]]
    weights = int(defines["EH_W_ROWS"]) * int(defines["EH_W_K"]) / int(defines["EH_W_ITEMS"])
    words = re.findall(r"\b(?:and|or|xor|not|shl|shr|lop3|prmt|selp|setp|add|sub)\.(?:pred|[a-z]*\.?[bsu](?:16|32))\b",
                       kernel_of(code, "eh_linear"))
    return [] if len(words) <= most * weights else \
        ["%s: %d operations on bits for %d weights, not %d a weight" %
         (defines["EH_W_FORMAT"], len(words), weights, most)]


def fma_spirv(code, defines):
    """Unrolling is the driver's, so each multiply-add of a round's two steps stands once."""
    kind = {"double": "double", "float": "float", "eh_half": "half"}[defines["EH_F_REAL"]]
    if "EH_F_ACCUMULATE" in defines:
        found = len(re.findall(r"= OpExtInst %%v2%s %%\d+ fma " % kind, code))
    else:
        found = len(re.findall(r"= OpFMul %%v2%s " % kind, code))
    return [] if found == 2 else ["%s: %d multiply-adds of vectors, not 2" % (defines, found)]


def on_intel(what, texts, look):
    """look(SPIR-V assembly, defines): the problems of one text."""
    if len(SPIRV_PAIR) != 2 or shutil.which("spirv-dis") is None:
        return say("SPIR-V: " + what, skip="clang, llvm-spirv of the same LLVM or spirv-dis is missing "
                                           "(packages clang-15, llvm-spirv-15, spirv-tools)")
    problems = []
    for path, defines in texts:
        try:
            problems += look(spirv(path), defines)
        except ValueError as why:
            problems.append("%s: %s" % (defines, why))
    say("SPIR-V: " + what, problems)


if __name__ == "__main__":
    # Small arrays of released protocols have items of less than 16 bytes.
    streams = [text for text in load("EH_S_")
               if int(text[1]["EH_S_ITEMS"]) % SPANS[text[1]["EH_S_PRECISION"]] == 0]
    say("the protocol has the texts of stream", [] if len(streams) >= 28 else ["%d" % len(streams)])
    on_nvidia("stream moves 16 bytes at a time", streams, stream_nvidia)
    on_amd("stream moves 16 bytes at a time", streams, stream_amd)
    on_intel("stream moves 16 bytes at a time", streams, stream_spirv)
    rounds = [text for text in load("EH_F_") if text[1]["EH_F_VECTOR"].endswith("x2")]
    say("the protocol has the texts of fma", [] if len(rounds) == 6 else ["%d" % len(rounds)])
    on_nvidia("fma fuses all and spills nothing", rounds, fma_nvidia)
    on_amd("fma is packed or issued in pairs", rounds, fma_amd)
    on_intel("fma has vectors in every precision", rounds, fma_spirv)
    layers = [text for text in load("EH_W_") if int(text[1]["EH_W_BITS"]) <= 8 and
              (text[1]["EH_W_TOKENS"], text[1]["EH_W_K"]) == ("1", "4096")]
    formats = {text[1]["EH_W_FORMAT"] for text in layers}
    say("the protocol has the texts of linear", [] if len(formats) == 4 else ["%s" % formats])
    on_nvidia("linear decodes small formats in few operations on bits", layers, linear_nvidia)
    tiles = [text for text in load("EH_G_") if text[1]["EH_G_DEPTH"] == "32"]
    say("the protocol has the texts of gemm", [] if len(tiles) == 2 else ["%d" % len(tiles)])
    on_nvidia("gemm asks for its local memory at launch", tiles, gemm_nvidia)
    print("1..%d" % tests)
