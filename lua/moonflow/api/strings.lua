--- Rows: strings.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local raw = require "moonflow.raw_ops"

local to = core.tensor.to

local function format(template, inputs, placeholder, summarize)
  local text = require "moonflow.tensor_text"
  if core.args.is_tensor(inputs) or type(inputs) ~= "table" then inputs = {inputs} end
  local parts, at, used = {}, 1, 0
  while true do
    local from, till = template:find(placeholder, at, true)
    if not from then break end
    used = used + 1
    if used > #inputs then break end
    parts[#parts + 1] = template:sub(at, from - 1)
    parts[#parts + 1] = text.of_tensor(inputs[used], summarize)
    at = till + 1
  end
  if used ~= #inputs then
    errors.invalid("strings.format", "%d placeholder(s) in template does not match %d tensor(s) provided as input", used, #inputs)
  end
  parts[#parts + 1] = template:sub(at)
  return to(table.concat(parts))
end

local rows = {
  {"tf.strings.format", "template:string, inputs:struct, placeholder:string='{}', summarize=3, name=None", format,
   "Text with tensors in the places of {}."},
  {"tf.strings.as_string tf.as_string", "input, precision=-1, scientific=False, shortest=False, width=-1, fill='', name=None",
   "AsString", "Numbers as text."},
  {"tf.strings.join", "inputs:tensors, separator='', name=None", "StringJoin", "Joins strings element by element."},
  {"tf.strings.length", "input, unit='BYTE', name=None", "StringLength", "Lengths."},
  {"tf.strings.lower", "input, encoding='', name=None", "StringLower", "Lower case."},
  {"tf.strings.upper", "input, encoding='', name=None", "StringUpper", "Upper case."},
  {"tf.strings.strip", "input, name=None", "StringStrip", "Without blanks at both ends."},
  {"tf.strings.substr", "input, pos, len, unit='BYTE', name=None", "Substr", "Parts of strings."},
  {"tf.strings.to_number", "input, out_type=tf.float32, name=None", "StringToNumber input=string_tensor", "Text as numbers."},
  {"tf.strings.regex_replace", "input, pattern:string, rewrite:string, replace_global=True, name=None", "StaticRegexReplace",
   "Replaces what a pattern matches."},
  {"tf.strings.regex_full_match", "input, pattern:string, name=None", "StaticRegexFullMatch", "Does a pattern match the whole?"},
  {"tf.strings.to_hash_bucket_fast", "input, num_buckets:integer, name=None", "StringToHashBucketFast", "Hash buckets."},
  {"tf.io.decode_base64", "input, name=None", "DecodeBase64", "Decodes web-safe base64."},
  {"tf.io.encode_base64", "input, pad=False, name=None", "EncodeBase64", "Encodes as web-safe base64."},
}

local function reduce_join(inputs, axis, keepdims, separator)
  inputs = to(inputs, nil, "strings.reduce_join", "inputs")
  if axis == nil then
    axis = {}
    for i = inputs.shape.rank - 1, 0, -1 do axis[#axis + 1] = i end
  end
  return raw.ReduceJoin{inputs = inputs, reduction_indices = core.tensor.integers(axis, "strings.reduce_join", "axis"),
    keep_dims = keepdims, separator = separator}
end
if core.op.has("ReduceJoin") then
  rows[#rows + 1] = {"tf.strings.reduce_join", "inputs, axis=None, keepdims=False, separator='', name=None", reduce_join,
    "Joins all strings of some axes."}
end

return rows
