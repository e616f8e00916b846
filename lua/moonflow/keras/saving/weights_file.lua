--- .weights.h5 files: what model:save_weights writes and model:load_weights reads, as Keras 3 does. Every object has a group
-- `vars` with an attribute `name` and the datasets 0, 1, ...: trainable variables first, in the order they were made.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local objects = require "moonflow.keras.saving.objects"
local properties = require "moonflow.keras.layers.properties"

local weights_file = {}

local read, assign = core.variable.read, core.variable.assign
local cast = core.op.get("Cast")

--- The variables that an object keeps in files; nil when it keeps none.
local function variables_of(object)
  if object.is_optimizer then return object.variables end
  if object.is_layer then return properties.own_variables(object) end
end

local function check(model, path, op)
  if not model.built then
    errors.raise("FAILED_PRECONDITION", op, "%s: model '%s' has not been built yet; build it by calling it on some data, or " ..
      "with model:build(input_shape)", op, model.name)
  end
  if path:sub(-11) ~= ".weights.h5" then
    errors.invalid(op, "the filename must end in `.weights.h5`, received '%s'", path)
  end
end

-- ---- writing

local function add_group(items, made, path)
  if path == "" or made[path] then return end
  local parent = path:match("^(.*)/[^/]*$")
  if parent then add_group(items, made, parent) end
  made[path] = true
  items[#items + 1] = {kind = "group", path = path}
end

--- Writes the weights of a model, and the state of its optimizer.
function weights_file.save(model, path, overwrite)
  check(model, path, "save_weights")
  if not overwrite and core.files.exists(path) then
    errors.raise("ALREADY_EXISTS", "save_weights", "save_weights: '%s' exists already; pass overwrite=true", path)
  end
  local items, made = {}, {}
  for _, entry in ipairs(objects.of(model)) do
    local list = variables_of(entry.object)
    if list then
      local group = entry.path == "" and "vars" or entry.path .. "/vars"
      add_group(items, made, group)
      items[#items + 1] = {kind = "text", path = group, attribute = "name", text = entry.object.name}
      for i, variable in ipairs(list) do
        items[#items + 1] = {kind = "dataset", path = group .. "/" .. (i - 1), tensor = read(variable)}
      end
    end
  end
  core.h5.write(path, items)
end

-- ---- reading

--- Datasets by group: "layers/dense" -> {count, ["0"] = tensor, ...}.
local function index(path)
  local stores = {}
  for _, item in ipairs(core.h5.read(path)) do
    local group, name = item.path:match("^(.-)/?vars/([^/]*)$")
    if item.kind == "dataset" and group then
      group = group:gsub("_layer_checkpoint_dependencies", "layers")
      local store = stores[group] or {count = 0}
      stores[group] = store
      store.count = store.count + 1
      store[name] = item.tensor
    end
  end
  return stores
end

local function names_of(list)
  local names = {}
  for i, variable in ipairs(list) do names[i] = variable.name end
  return "{" .. table.concat(names, ", ") .. "}"
end

--- What is wrong with the values for a layer, or nil and a list of {variable, value}.
local function match(layer, list, store)
  local count = store and store.count or 0
  if count ~= #list then
    if #list == 0 and not layer.built then
      return ("layer '%s' was never built and thus it doesn't have any variables; the weights file lists %d variables for it")
        :format(layer.name, count)
    end
    return ("layer '%s' expected %d variables, but received %d variables during loading. Expected: %s"):format(layer.name,
      #list, count, names_of(list))
  end
  local updates = {}
  for i, variable in ipairs(list) do
    local value = store[tostring(i - 1)]
    if not value then return ("layer '%s': the weights file has no dataset '%d' for it"):format(layer.name, i - 1) end
    if value.shape ~= variable.shape then
      return ("layer '%s': variable '%s' has the shape %s, the value in the weights file has the shape %s"):format(layer.name,
        variable.path or variable.name, tostring(variable.shape), tostring(value.shape))
    end
    updates[i] = {variable, value.dtype == variable.dtype and value or cast(value, variable.dtype)}
  end
  return nil, updates
end

local function add_all(updates, more)
  for _, update in ipairs(more) do updates[#updates + 1] = update end
end

--- The optimizer's state is left as it is where the file has another number of variables, as Keras does.
local function match_optimizer(optimizer, list, store, updates)
  local count = store and store.count or 0
  local problem, more
  if count == #list then problem, more = match(optimizer, list, store) end
  if more then
    add_all(updates, more)
    return
  end
  io.stderr:write(("warning: skipping variable loading for optimizer '%s', because %s\n"):format(optimizer.name,
    problem or ("it has %d variables whereas the saved optimizer has %d variables"):format(#list, count)))
end

local function report(problems, path, skip_mismatch)
  if #problems == 0 then return end
  local text = ("a total of %d objects could not be loaded from '%s': %s"):format(#problems, path,
    table.concat(problems, "; "))
  if skip_mismatch then
    io.stderr:write("warning: ", text, "\n")
  else
    errors.invalid("load_weights", text:gsub("%%", "%%%%"))
  end
end

--- Loads the weights of a model, and the state of its optimizer if both have it. Nothing is changed when something does not
-- fit, unless skip_mismatch: then what fits is loaded.
function weights_file.load(model, path, skip_mismatch)
  check(model, path, "load_weights")
  local stores = index(path)
  local updates, problems = {}, {}
  for _, entry in ipairs(objects.of(model)) do
    local list = variables_of(entry.object)
    if list and entry.object.is_optimizer then
      if stores[entry.path] then match_optimizer(entry.object, list, stores[entry.path], updates) end
    elseif list then
      local problem, more = match(entry.object, list, stores[entry.path])
      if problem then problems[#problems + 1] = problem else add_all(updates, more) end
    end
  end
  report(problems, path, skip_mismatch)
  for _, update in ipairs(updates) do assign(update[1], update[2]) end
end

return weights_file
