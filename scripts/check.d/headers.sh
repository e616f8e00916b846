#!/usr/bin/env bash
# Each header of core compiles alone as C11; those of base, and the two public ones, as C++ too.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root" || exit 1
generated=$(mktemp -d)
trap 'rm -rf "$generated"' EXIT
cmake -DSOURCE="$root" -DOUT="$generated" -P cmake/op_table.cmake >/dev/null || exit 1
wrong=0
for header in $(git ls-files 'core/*.h'); do
  gcc -std=gnu11 -D_GNU_SOURCE -Icore -I"$generated" -fsyntax-only -x c "$header" || { echo "$header: not alone as C11"; wrong=1; }
done
for header in $(git ls-files 'core/base/*.h'); do
  g++ -std=c++17 -D_GNU_SOURCE -Icore -fsyntax-only -x c++ "$header" || { echo "$header: not alone as C++"; wrong=1; }
done
exit $wrong
