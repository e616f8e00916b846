-- Lua 5.4, no globals. Tests are written for busted.
std = "lua54"
max_line_length = 140
unused_args = false
self = false
allow_defined = false
cache = false

exclude_files = {"build/**"}

-- Expected texts stand in one piece, however long.
files["tests/lua/**"] = {std = "lua54+busted", max_line_length = false}
files["tests/cuda/**"] = {std = "lua54+busted"}
files["tests/lua/run.lua"] = {globals = {"_G"}}

-- Scripts of users: `arg` and the like are theirs to read, as everywhere.
files["examples/**"] = {std = "lua54"}

-- Values that are only to be closed.
-- 581: `not (x <= y)` is meant for NaN.
ignore = {"211/resume", "581"}
