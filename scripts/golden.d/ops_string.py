"""Ops on strings."""
import numpy as np

from case import COMPLEX, REAL, Case, cases, f32, f64, i32, of, strings, values

TEXT = ["", "abc", "Straße", "λx.x", "  two words ", "ÀÉ", "tab\there"]


@cases("AsString")
def as_string(op):
    for dtype in REAL + COMPLEX + ("bool",):
        yield Case(dtype, [values(dtype, (4,))], dtype=dtype, grad=False)
    floats = [0.0, -0.0, 1.0, -1.5, 1e-7, 123456.78, 1e20, np.inf, -np.inf, np.nan]
    yield Case("floats", [f32(floats)], grad=False)
    yield Case("doubles", [f64(floats)], grad=False)
    yield Case("precision", [f32(floats)], {"precision": 2}, grad=False)
    yield Case("scientific", [f32(floats)], {"scientific": True}, grad=False)
    yield Case("scientific_precision", [f32(floats)], {"scientific": True, "precision": 3}, grad=False)
    yield Case("shortest", [f32(floats)], {"shortest": True}, grad=False)
    yield Case("shortest_precision", [f64(floats)], {"shortest": True, "precision": 4}, grad=False)
    yield Case("width", [i32([1, -20, 300000])], {"width": 5})
    yield Case("width_zeros", [i32([1, -20, 300000])], {"width": 5, "fill": "0"})
    yield Case("width_left", [f32([1, -2.5])], {"width": 10, "fill": "-", "precision": 1}, grad=False)
    yield Case("width_plus", [f32([1, -2.5])], {"width": 8, "fill": "+", "precision": 1}, grad=False)
    yield Case("integers_limits", [of("int64", [2 ** 63 - 1, -2 ** 63])])
    yield Case("empty", [i32([])])
    yield Case("scalar", [np.array(True)])
    yield Case("precision_of_an_integer", [i32([1])], {"precision": 2}, fails=True)
    yield Case("both_formats", [f32([1])], {"scientific": True, "shortest": True}, fails=True)
    yield Case("wrong_fill", [f32([1])], {"width": 4, "fill": "x"}, fails=True)


@cases("StringJoin")
def join(op):
    a, b = strings(["a", "", "λ"]), strings(["x", "yy", ""])
    yield Case("two", [[a, b]])
    yield Case("separator", [[a, b, a]], {"separator": ", "})
    yield Case("scalar_spreads", [[strings("pre"), b]], {"separator": "-"})
    yield Case("one", [[a]], {"separator": "-"})
    yield Case("matrix", [[strings([["a"], ["b"]]), strings([["c"], ["d"]])]])
    yield Case("empty", [[strings([]), strings([])]])
    yield Case("shapes_differ", [[a, strings(["x"])]], fails=True)


@cases("StringLength")
def length(op):
    for unit in ("BYTE", "UTF8_CHAR"):
        yield Case(unit, [strings(TEXT)], {"unit": unit})
    yield Case("scalar", [strings("abc")])
    yield Case("empty", [strings([])])
    yield Case("bytes", [strings([b"\x00\xff\x80", b""])])


@cases("StringUpper", "StringLower")
def upper_lower(op):
    yield Case("ascii", [strings(TEXT)])
    yield Case("utf8", [strings(TEXT)], {"encoding": "utf-8"})
    yield Case("scalar", [strings("aBc")])
    yield Case("matrix", [strings([["aB"], ["cD"]])])
    yield Case("bytes", [strings([b"a\xffB"])])
    yield Case("unknown_encoding", [strings("a")], {"encoding": "latin-1"}, fails=True)


@cases("StringFormat")
def string_format(op):
    yield Case("two", [[i32([1, 2, 3]), strings("x")]], {"template": "a %s b %s"})
    yield Case("placeholder", [[f32(1.5)]], {"template": "v={} %s", "placeholder": "{}"})
    yield Case("long_vector", [[i32(np.arange(10))]], {"template": "%s"})
    yield Case("summarize", [[i32(np.arange(10))]], {"template": "%s", "summarize": 2})
    yield Case("summarize_all", [[i32(np.arange(10))]], {"template": "%s", "summarize": -1})
    yield Case("matrix", [[f32([[1, 2.5], [3, 4]])]], {"template": "m: %s."}, grad=False)
    yield Case("strings", [[strings(["a", "b c"])]], {"template": "%s"})
    yield Case("bool", [[np.array([True, False])]], {"template": "%s"})
    yield Case("rank3", [[i32(np.arange(12).reshape(3, 2, 2))]], {"template": "%s", "summarize": 1})
    yield Case("floats", [[f32([1e-7, 123456.78, np.nan, np.inf, 0.1])]], {"template": "%s", "summarize": 9},
               grad=False)
    yield Case("empty", [[f32([])]], {"template": "%s"}, grad=False)
    yield Case("counts_differ", [[i32(1)]], {"template": "%s %s"}, fails=True)


@cases("StringToNumber")
def to_number(op):
    text = ["1", "-2.5", "1e3", " 7 ", "+4", "0", "-0.0", "inf", "nan", ".5"]
    yield Case("float32", [strings(text)], grad=False)
    yield Case("float64", [strings(text)], {"out_type": "float64"}, grad=False)
    yield Case("int32", [strings(["1", "-7", " 12 ", "2147483647"])], {"out_type": "int32"})
    yield Case("int64", [strings(["1", "-7", "9223372036854775807"])], {"out_type": "int64"})
    yield Case("scalar", [strings("3.25")], grad=False)
    yield Case("empty", [strings([])], grad=False)
    yield Case("not_a_number", [strings(["1", "x"])], fails=True)
    yield Case("nothing", [strings("")], fails=True)
    yield Case("fraction_as_integer", [strings("1.5")], {"out_type": "int32"}, fails=True)
    yield Case("too_big_for_int32", [strings("2147483648")], {"out_type": "int32"}, fails=True)


@cases("StringSplitV2")
def split(op):
    yield Case("spaces", [strings(["a b  c", " lead", "", "one"]), strings("")])
    yield Case("comma", [strings(["a,b,,c", ",", "x"]), strings(",")])
    yield Case("long_separator", [strings(["a<>b<><>c"]), strings("<>")])
    yield Case("maxsplit", [strings(["a,b,c", "d"]), strings(",")], {"maxsplit": 1})
    yield Case("maxsplit_spaces", [strings(["a b c", " d e"]), strings("")], {"maxsplit": 1})
    yield Case("utf8", [strings(["αxβ", "ß"]), strings("x")])
    yield Case("empty", [strings([]), strings(",")])
    yield Case("scalar", [strings("a b"), strings("")], fails=True)


@cases("Substr")
def substr(op):
    words = strings(["abcdef", "Straße", "λx.xyz"])
    for unit in ("BYTE", "UTF8_CHAR"):
        yield Case(unit, [words, i32(1), i32(3)], {"unit": unit})
        yield Case(unit + "_each", [words, i32([0, 2, 4]), i32([2, 3, 9])], {"unit": unit})
        yield Case(unit + "_from_the_end", [words, i32(-3), i32(2)], {"unit": unit})
        yield Case(unit + "_too_far", [words, i32(9), i32(1)], {"unit": unit}, fails=True)
    yield Case("broadcast", [strings([["abc"], ["defg"]]), i32([0, 1]), i32([1, 2])])
    yield Case("scalar", [strings("moon"), i32(0), i32(2)])
    yield Case("empty", [strings([]), i32([]), i32([])])
    yield Case("at_the_end", [strings("moon"), i32(4), i32(2)])
