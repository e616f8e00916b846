#!/usr/bin/env bash
# run_emu.sh [MODE...] - the CUDA kernels in the emulator, under everything that finds mistakes in them.
#
#   plain     the default order of threads
#   orders    backwards, three random orders, three with one warp far ahead (CEMU_SCHED)
#   asan      AddressSanitizer and UndefinedBehaviorSanitizer
#   tsan      ThreadSanitizer: races inside a block
#   all       these four; the default
#
# Builds into $MF_BUILD (default build/cuda-emu beside the sources), a folder a sanitizer. The last line says what failed.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${MF_BUILD:-$root/build/cuda-emu}
[ $# -gt 0 ] || set -- all
[ "$1" != all ] || set -- plain orders asan tsan
failed=()

make_build() {  # folder, sanitizers
  local launcher=()
  if command -v ccache >/dev/null; then
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  local generator=()
  if command -v ninja >/dev/null; then generator=(-G Ninja); fi
  cmake -S "$root/tests/cuda" -B "$build/$1" "${generator[@]}" "${launcher[@]}" "-DMF_SANITIZE=$2" >"$build/$1.log"
  cmake --build "$build/$1" -j2 >>"$build/$1.log" 2>&1 || { cat "$build/$1.log"; exit 1; }
}

run() {  # title, command...
  local title=$1
  shift
  echo "== $title"
  "$@" | tail -n 12 || failed+=("$title")
}

kernels() {  # title, folder
  run "$1" "$build/$2/bin/test_cuda_kernels" "$build/$2/lib/libmoonflow_cudaemu.so"
}

mkdir -p "$build"
for mode in "$@"; do
  case $mode in
    plain)
      make_build plain ""
      run "emulator, plain" "$build/plain/bin/test_emulator"
      kernels "kernels, plain" plain
      ;;
    orders)
      make_build plain ""
      for order in rev rand:1 rand:2 rand:3 warp:1 warp:2 warp:3; do
        CEMU_SCHED=$order kernels "kernels, threads in order $order" plain
      done
      ;;
    asan)
      make_build asan address,undefined
      run "emulator, asan" "$build/asan/bin/test_emulator"
      # Stacks are switched and the plug-in keeps its table: leaks are looked for elsewhere.
      ASAN_OPTIONS=detect_leaks=0 kernels "kernels, asan and ubsan" asan
      ;;
    tsan)
      make_build tsan thread
      run "emulator, tsan" "$build/tsan/bin/test_emulator"
      TSAN_OPTIONS=halt_on_error=1 kernels "kernels, tsan" tsan
      ;;
    *)
      echo "run_emu.sh: plain, orders, asan, tsan or all expected, received $mode" >&2
      exit 2
      ;;
  esac
done
if [ ${#failed[@]} -gt 0 ]; then
  printf 'run_emu.sh: FAILED: %s\n' "${failed[*]}"
  exit 1
fi
echo "run_emu.sh: all passed"
