"""What the scripts that measure have in common: a Thrum that is built, and where figures come from."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def build_thrum():
    """The path of the program, after a build of the release."""
    subprocess.run(["scripts/setup", "build"], cwd=ROOT, check=True)
    configure = ["cmake", "--preset", "release", "--log-level=WARNING"]
    subprocess.run(configure, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    targets = ["--target", "thrum", "thrum_runtime"]
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
