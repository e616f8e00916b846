--- Folders that files are written to are made when they are missing.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local folders = {}

--- Makes the folder of the file `path`, and those above it.
function folders.make_parent(path)
  local parent = path:match("^(.*)/[^/]*$")
  if not parent or parent == "" or core.files.isdir(parent) then return end
  folders.make_parent(parent)
  local ok, message = core.h5.make_folder(parent)
  if not ok then errors.raise("PERMISSION_DENIED", "mkdir", "cannot make the folder '%s': %s", parent, message) end
end

return folders
