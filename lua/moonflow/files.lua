--- tf.files: arrays in files for which TensorFlow has no function: idx (MNIST's format), NumPy's npy and npz, CSV tables.
-- Saving goes to a temporary file that is renamed when it is whole: an interrupted save leaves the old file as it was.

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"

local files = {}

local function signature(name, rows)
  rows.name = "tf.files." .. name
  return args.signature(rows)
end

local read = {
  load_idx = signature("load_idx", {{"path", "string"}}),
  load_npy = signature("load_npy", {{"path", "string"}}),
  save_npy = signature("save_npy", {{"path", "string"}, {"tensor", "tensor"}}),
  load_npz = signature("load_npz", {{"path", "string"}}),
  save_npz = signature("save_npz", {{"path", "string"}, {"tensors", "data"}, {"compressed", "boolean", default = false}}),
  load_csv = signature("load_csv", {{"path", "string"}, {"header", "boolean", default = false},
    {"delimiter", "string", default = ","}}),
}

--- The tensor in an idx file, plain or gzip: uint8, int8, int16, int32, float32 or float64.
function files.load_idx(...)
  return core.files.load_idx((read.load_idx(...)))
end

--- The tensor in an npy file.
function files.load_npy(...)
  return core.files.load_npy((read.load_npy(...)))
end

--- Writes a tensor as npy.
function files.save_npy(...)
  local path, tensor = read.save_npy(...)
  core.files.save_npy(path, require "moonflow".convert_to_tensor(tensor))
end

--- The arrays of an npz archive: a table name -> tensor, and the list of names in the order of the archive.
function files.load_npz(...)
  return core.files.load_npz((read.load_npz(...)))
end

--- Writes a table name -> tensor as an npz archive (names in bytewise order); compressed = true deflates.
function files.save_npz(...)
  local path, tensors, compressed = read.save_npz(...)
  if not nest.is_dict(tensors) then
    errors.invalid("save_npz", "argument 'tensors': expected a table name -> tensor, received %s", errors.describe(tensors))
  end
  local names, values = {}, {}
  for name, value in nest.entries(tensors) do
    names[#names + 1], values[#values + 1] = name, value
  end
  core.files.save_npz(path, names, values, compressed)
end

--- The columns of a CSV table: a table name -> vector, and the list of names in the order of the file. With header = true the first
-- row names the columns, otherwise they are "0", "1", ... A column is int64, float64 (empty fields are NaN) or string.
function files.load_csv(...)
  local path, header, delimiter = read.load_csv(...)
  return core.files.load_csv(path, header, delimiter)
end

return errors.strict("tf.files", files)
