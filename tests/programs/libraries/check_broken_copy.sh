#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# check_broken_copy.sh RUN_PROGRAM THRUM FILE INCLUDE_DIR
#
# Checks FILE against a copy of the headers of a library in INCLUDE_DIR. FILE's line `// copy: <library>` names their
# folder, and the header in it that is changed, and `// edit: <sed command>` says how. The edit must change exactly one
# line.
set -euo pipefail

run_program=$1
thrum=$2
file=$3
include_dir=$4

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
library=$(sed -n 's,^// copy: ,,p' "$file")
header=$library/$library.h
cp -r "$include_dir/$library" "$copy/"

edit=$(sed -n 's,^// edit: ,,p' "$file")
sed -i "$edit" "$copy/$header"
changed=$(diff "$include_dir/$header" "$copy/$header" | grep -c '^>' || true)
if [ "$changed" != 1 ]; then
  echo "$file: the edit changed $changed lines of the header, not 1: $edit" >&2
  exit 1
fi

"$run_program" "$thrum" "$file" --flags "-I$copy"
