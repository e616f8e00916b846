"""Writes tests/golden/ops/<Op>.json for the ops that the ops_*.py files registered."""
import glob
import importlib
import os
import sys

import encode
from case import REGISTRY
from main import GOLDEN, HERE


def load():
    for path in sorted(glob.glob(os.path.join(HERE, "ops_*.py"))):
        importlib.import_module(os.path.basename(path)[:-3])


def rows_of(op):
    from run_case import NoKernel, run
    rows, seen = [], set()
    for function in REGISTRY[op]:
        for case in function(op):
            if case.name in seen:
                raise SystemExit("%s: two cases are named %s" % (op, case.name))
            seen.add(case.name)
            try:
                rows.append(run(op, case))
            except NoKernel:
                pass
    if not rows:
        raise SystemExit("%s: no case left" % op)
    return rows


def write(names):
    import tensorflow as tf
    load()
    unknown = [n for n in names if n not in REGISTRY]
    if unknown:
        sys.exit("golden: no cases for: " + ", ".join(unknown))
    folder = os.environ.get("MF_GOLDEN_OPS") or os.path.join(GOLDEN, "ops")
    os.makedirs(folder, exist_ok=True)
    total = count = 0
    for op in sorted(names or REGISTRY):
        rows = rows_of(op)
        path = os.path.join(folder, op + ".json")
        encode.write_lines(path, {"op": op, "tensorflow": tf.__version__}, "cases", rows)
        total, count = total + os.path.getsize(path), count + len(rows)
    print("golden: %d ops, %d cases, %.1f KB" % (len(names or REGISTRY), count, total / 1024))
