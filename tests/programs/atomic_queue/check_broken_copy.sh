#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_broken_copy.sh RUN_PROGRAM THRUM FILE INCLUDE_DIR
#
# Checks FILE against a copy of the atomic_queue headers in INCLUDE_DIR, to which the sed command of its line
# `// edit:` was applied. The edit must change exactly one line.
set -euo pipefail

run_program=$1
thrum=$2
file=$3
include_dir=$4

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$include_dir/atomic_queue" "$copy/"

edit=$(sed -n 's,^// edit: ,,p' "$file")
header=$copy/atomic_queue/atomic_queue.h
sed -i "$edit" "$header"
changed=$(diff "$include_dir/atomic_queue/atomic_queue.h" "$header" | grep -c '^>' || true)
if [ "$changed" != 1 ]; then
  echo "$file: the edit changed $changed lines of the header, not 1: $edit" >&2
  exit 1
fi

"$run_program" "$thrum" "$file" --flags "-I$copy"
