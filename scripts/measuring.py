"""What the scripts that measure have in common: a Thrum that is built, and where figures come from."""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILE = ["-std=c++20", "-O2", "-g"]


def build_thrum(*more):
    """The path of the program, after a build of the release. more: what else is to be built."""
    subprocess.run(["scripts/setup", "build"], cwd=ROOT, check=True)
    configure = ["cmake", "--preset", "release", "--log-level=WARNING"]
    subprocess.run(configure, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    targets = ["--target", "thrum", "thrum_runtime", *more]
    subprocess.run(["cmake", "--build", "--preset", "release", *targets, "--", "--quiet"], cwd=ROOT, check=True)
    return ROOT / "build" / "release" / "bin" / "thrum"


def environment():
    def first_line(command):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.partition("\n")[0]

    model = re.search(r"model name\s*: (.+)", Path("/proc/cpuinfo").read_text())
    changed = first_line(["git", "status", "--porcelain", "--untracked-files=no"]) != ""
    return {
        "commit": first_line(["git", "rev-parse", "--short", "HEAD"]) + (" with changes" if changed else ""),
        "compiler": first_line([os.environ.get("THRUM_CXX", "c++"), "--version"]),
        "cores": os.cpu_count(),
        "processor": model[1] if model else "unknown",
    }


def bare_instructions(source, folder, flags=COMPILE):
    """Of one execution's bodies, called without threads (-DBARE), as callgrind counts them; nothing where there is no
    valgrind."""
    if shutil.which("valgrind") is None:
        return None
    counts = []
    for rounds in (1000, 2000):
        program = folder / f"bare-{rounds}"
        subprocess.run(["c++", *flags, f"-DBARE={rounds}", source, "-o", program], check=True)
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program],
                              capture_output=True, text=True, check=False)
        counts.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    return (counts[1] - counts[0]) / 1000
