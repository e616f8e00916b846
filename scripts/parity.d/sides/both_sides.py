"""What every comparison needs: the moonflow program, a folder to work in, and the closing line."""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))
# scripts/parity gives the program as the first argument.
if len(sys.argv) > 1 and os.path.isfile(sys.argv[1]) and os.access(sys.argv[1], os.X_OK):
    os.environ["MOONFLOW"] = sys.argv.pop(1)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
sys.path.insert(0, os.path.join(ROOT, "scripts", "golden.d"))


def program():
    for path in (os.environ.get("MOONFLOW"), os.path.join(ROOT, "build", "moonflow"),
                 os.path.join(ROOT, "build", "bin", "moonflow"),
                 shutil.which("moonflow")):
        if path and os.access(path, os.X_OK):
            return path
    sys.exit("parity: no moonflow program; build it first (scripts/test) or set MOONFLOW")


def moonflow(script, *words, capture=True):
    """Runs a Lua script of parity.d; returns what it printed. A failing script ends the comparison."""
    command = [program(), os.path.join(HERE, script)] + [str(w) for w in words]
    done = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE if capture else None,
                          stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit("parity: %s failed:\n%s" % (" ".join(command), done.stdout))
    return done.stdout


class Comparison:
    """Counts what was compared and what differed."""

    def __init__(self, name):
        self.name, self.compared, self.failures = name, 0, []
        self.folder = tempfile.mkdtemp(prefix="parity-")

    def path(self, name):
        return os.path.join(self.folder, name)

    def close(self, what, ours, theirs, rtol, atol):
        import numpy as np
        self.compared += 1
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            self.failures.append("%s: %s %s here, %s %s there" % (what, ours.dtype, ours.shape, theirs.dtype,
                                                                  theirs.shape))
        elif not np.allclose(ours, theirs, rtol, atol, equal_nan=True):
            self.failures.append("%s: differs by %g" % (what,
                                                        np.max(np.abs(ours.astype(float) - theirs.astype(float)))))

    def holds(self, what, condition):
        self.compared += 1
        if not condition:
            self.failures.append(what)

    def finish(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        for line in self.failures:
            print("  " + line)
        print("%d compared, %d differ" % (self.compared, len(self.failures)))
        print("parity %s %s" % (self.name, "failed" if self.failures else "ok"))
        sys.exit(1 if self.failures else 0)
