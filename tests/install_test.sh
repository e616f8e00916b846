#!/usr/bin/env bash
# Installs a build into a folder of its own and uses it from outside, as its users do: the program, a stock lua5.4, C hosts that find it
# by pkg-config and by CMake. usage: tests/install_test.sh BUILD
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix/moonflow"
expect() { # what, expected, received
  [ "$2" = "$3" ] && { echo "ok $1"; return; }
  printf 'FAILED %s\nexpected: %s\nreceived: %s\n' "$1" "$2" "$3"
  exit 1
}

cmake --install "$build" --prefix "$prefix" > "$work/log"
cd "$work"
unset LUA_PATH LUA_CPATH LD_LIBRARY_PATH
code='local tf = require "moonflow"
local model = tf.keras.Sequential{tf.keras.Input{shape = {3}}, tf.keras.layers.Dense(2)}
model:save_weights("w.weights.h5")
model:load_weights("w.weights.h5")
print(tf.add(1, 2):item(), tf.keras.layers.Dense(2).units)'

echo "$code" > use.lua
expect "the program" "3	2" "$("$prefix/bin/moonflow" use.lua)"
ln -s "$prefix/bin/moonflow" moonflow
expect "the program through a link" "3	2" "$(./moonflow use.lua)"
expect "a stock lua5.4" "3	2" "$(LUA_PATH="$prefix/share/lua/5.4/?.lua;$prefix/share/lua/5.4/?/init.lua" \
  LUA_CPATH="$prefix/lib/lua/5.4/?.so" lua5.4 use.lua)"

cp "$root/examples/embed_host.c" host.c
cat > engine.c <<'C'
#include <moonflow.h>
#include <stdio.h>
int main(void) {
  const float values[2] = {1.0f, 2.0f};
  mf_shape shape = mf_shape_2d(1, 2);
  mf_tensor *t;
  mf_status early = mf_tensor_from_bytes(MF_FLOAT32, &shape, values, sizeof values, &t);
  printf("%s\n", mf_code_name(mf_status_code(early)));
  mf_status_release(early);
  mf_status status = mf_init();
  if (!status) status = mf_tensor_from_bytes(MF_FLOAT32, &shape, values, sizeof values, &t);
  printf("%s%d\n", mf_status_message(status), status ? 0 : t->shape.rank);
  mf_tensor_release(t);
  mf_status_release(status);
  mf_close();
  return 0;
}
C
export PKG_CONFIG_PATH="$(dirname "$(find "$prefix" -name moonflow.pc)")"
flags() { eval "printf '%s\n' $(pkg-config "$1" moonflow)"; }
mapfile -t cflags < <(flags --cflags)
mapfile -t libs < <(flags --libs)
for name in host engine; do
  cc -std=c11 "${cflags[@]}" "$name.c" "${libs[@]}" -Wl,-rpath,"$(dirname "$(find "$prefix" -name libmoonflow.so)")" -o "$name"
done
expect "an engine host by pkg-config" "FAILED_PRECONDITION
2" "$(./engine)"
by_pkg_config=$(./host || echo "exit $?")
case "$by_pkg_config" in
  "loss 0."*) echo "ok a host by pkg-config" ;;
  *) expect "a host by pkg-config" "a line with its loss" "$by_pkg_config" ;;
esac

cat > CMakeLists.txt <<'C'
cmake_minimum_required(VERSION 3.16)
project(outside C)
find_package(moonflow 0.1 REQUIRED)
add_executable(by_cmake host.c)
target_link_libraries(by_cmake PRIVATE moonflow::lua)
add_executable(engine_by_cmake engine.c)
target_link_libraries(engine_by_cmake PRIVATE moonflow::moonflow)
C
cmake -S . -B out -DCMAKE_PREFIX_PATH="$prefix" >> log 2>&1 || { cat log; exit 1; }
cmake --build out >> log 2>&1 || { cat log; exit 1; }
expect "a host by CMake" "$by_pkg_config" "$(out/by_cmake)"
expect "an engine host by CMake" "FAILED_PRECONDITION
2" "$(out/engine_by_cmake)"

expect "no path of the build is installed" "" "$(grep -rlF -e "$build" -e "$root/core" "$prefix" || true)"
echo "installed: $(du -sk "$prefix" | cut -f1) kB"
