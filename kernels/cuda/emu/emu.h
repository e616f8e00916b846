/* emu.h - CUDA's language and runtime for a plain C++ compiler; included by launch.h where there is no nvcc.
 *
 * One CUDA thread is one fiber on the calling OS thread. Launches are synchronous and run one at a time, blocks one
 * after the other; streams keep their order by doing nothing. What is emulated: the qualifiers, built-in variables,
 * vector types, 16-bit floats (emu_types.h, emu_half.h); barriers, warp primitives, atomics, intrinsics
 * (emu_device.h); launches and the part of the runtime that the plug-in uses (emu_runtime.h).
 *
 * Wrong programs are reported instead of run: see cemu_report in emu_runtime.h. Environment:
 *     CEMU_SCHED=fwd | rev | rand:SEED | warp:SEED
 *         the order in which ready threads run: by number, backwards, at random, or one warp far ahead of the others
 *     MOONFLOW_CUDA_EMU_DEVICES=n   number of devices, 1 to 8 (default 1)
 */
#ifndef MF_CUDA_EMU_H
#define MF_CUDA_EMU_H

#include "emu/emu_types.h"

#include "emu/emu_runtime.h"

#include "emu/emu_device.h"

#include "emu/emu_half.h"

#endif
