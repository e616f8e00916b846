--- tf.io.gfile: files and folders.

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local files = core.files
local gfile = {}

local function signature(name, parameter)
  return args.signature{name = "tf.io.gfile." .. name, {parameter, "any"}}
end

local read_listdir, read_glob = signature("listdir", "path"), signature("glob", "pattern")
local read_exists, read_isdir = signature("exists", "path"), signature("isdir", "path")

--- Names in a folder, sorted, without "." and "..".
function gfile.listdir(...)
  return files.listdir((read_listdir(...)))
end

--- Paths that match a shell pattern, or any of a list of patterns, sorted within each.
function gfile.glob(...)
  local pattern = read_glob(...)
  if type(pattern) == "string" then return files.glob(pattern) end
  local all = {}
  for i = 1, #pattern do
    local found = files.glob(pattern[i])
    table.move(found, 1, #found, #all + 1, all)
  end
  return all
end

--- True when there is a file or folder of that name.
function gfile.exists(...)
  return files.exists((read_exists(...)))
end

--- True when the path is a folder.
function gfile.isdir(...)
  return files.isdir((read_isdir(...)))
end

return errors.strict("tf.io.gfile", gfile)
