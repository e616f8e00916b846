"""Names of a raw op's parameters: some differ from the OpDef (reduction_indices is called axis)."""
import inspect

import tensorflow as tf

_cache = {}


def renames(op, definition):
    """OpDef name -> parameter name of tf.raw_ops, only where they differ."""
    if op not in _cache:
        have = [p for p in inspect.signature(getattr(tf.raw_ops, op)).parameters if p != "name"]
        derived = {n for a in definition.input_arg for n in (a.type_attr, a.number_attr, a.type_list_attr) if n}
        want = [a.name for a in definition.input_arg]
        want += [a.name for a in definition.attr if a.name not in derived]
        lost = [n for n in want if n not in have]
        new = [n for n in have if n not in want]
        _cache[op] = dict(zip(lost, new))
    return _cache[op]
