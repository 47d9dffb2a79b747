#!/usr/bin/env bash
# tests/frameworks/build.sh THRUM SOURCES TARGET: builds the test binaries of SOURCES for checking, into TARGET,
# as a user would, with every warning an error. The tests of tests/frameworks/ run them.
set -euo pipefail

thrum=$1 sources=$2 target=$3
flags=(-std=c++20 -O1 -g -Wall -Wextra -Wpedantic -Werror)
mkdir -p "$target"

"$thrum" c++ "${flags[@]}" "$sources"/googletest/*.cpp -o "$target/googletest" -lgmock_main -lgmock -lgtest

# Catch2 itself takes long to compile, and is not what is tested; once with each compiler.
"$thrum" c++ "${flags[@]}" -O0 -c "$sources/catch2/main.cpp" -o "$target/main.o"
"$thrum" c++ "${flags[@]}" "$sources/catch2/stack_test.cpp" "$target/main.o" -o "$target/catch2"
bitcode=()
[ -x "$(dirname "$thrum")/../lib/thrum/thrum-vm" ] && bitcode=(--bitcode)
THRUM_CXX=clang++-19 "$thrum" c++ "${bitcode[@]}" -std=c++14 "${flags[@]:1}" -O0 "$sources/catch_alone.cpp" -o "$target/catch_alone"

# The oldest standard that GoogleTest takes, the other compiler, and a main of its own.
THRUM_CXX=clang++-19 "$thrum" c++ -std=c++14 "${flags[@]:1}" "$sources/own_main.cpp" -o "$target/own_main" -lgtest

# Closures need no framework, and no Thrum but its header.
"$thrum" c++ "${flags[@]}" "$sources/closures.cpp" -o "$target/closures"
THRUM_CXX=clang++-19 "$thrum" c++ "${flags[@]}" "$sources/closures.cpp" -o "$target/closures_clang"
g++ "${flags[@]}" -pthread -I"$(dirname "$thrum")/../include" "$sources/closures.cpp" -o "$target/closures_plain"
"$thrum" c++ "${flags[@]}" "$sources/both.cpp" -o "$target/both" -lgtest
