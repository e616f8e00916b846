--- tf.data.Dataset: pipelines of elements. The engine is C (core.data); here elements get their structure, functions are traced
-- and arguments are checked. A dataset is immutable: every transformation gives a new one.
--
--     local ds = tf.data.Dataset.from_tensor_slices(images, labels):shuffle(1000):batch(64):prefetch(tf.data.AUTOTUNE)
--     for x, y in ds:iter() do ... end

local args = require "moonflow.base.args"
local class = require "moonflow.base.class"
local core = require "moonflow.core"
local element = require "moonflow.data.element"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local row = require "moonflow.api.row"
local trace = require "moonflow.base.trace"

local data = core.data
local AUTOTUNE = -1

local Dataset = class.Object:extend("Dataset", {kind = "dataset", getters = {
  element_spec = function(self) return self:element_specs() end,
}})

local function signature(name, text)
  return args.signature(row.read_signature("Dataset." .. name, text))
end

local read = {
  slices = signature("from_tensor_slices", "*tensors:data, name=None"),
  tensors = signature("from_tensors", "*tensors:data, name=None"),
  range = signature("range", "*args:any, output_type:dtype=None, name=None"),
  list_files = signature("list_files", "file_pattern:any, shuffle:any=None, seed:any=None, name=None"),
  map = signature("map", "map_func:function, num_parallel_calls:any=None, deterministic:any=None, synchronous:any=None, "
    .. "use_unbounded_threadpool=False, name=None"),
  batch = signature("batch", "batch_size:integer, drop_remainder=False, num_parallel_calls:any=None, deterministic:any=None, "
    .. "name=None"),
  shuffle = signature("shuffle", "buffer_size:any, seed:any=None, reshuffle_each_iteration=True, name=None"),
  repeat_ = signature("repeat_", "count:any=None, name=None"),
  take = signature("take", "count:integer, name=None"),
  skip = signature("skip", "count:integer, name=None"),
  prefetch = signature("prefetch", "buffer_size:any, name=None"),
  zip = signature("zip", "*datasets:any, name=None"),
}

--- A Dataset around a core dataset and the parts of its elements.
local function wrap(raw, parts)
  local self = class.construct(Dataset)
  self._raw, self._parts = raw, parts
  return self
end

--- `for x in dataset do`, which Lua reads as a call.
function Dataset:__call()
  errors.invalid("Dataset", "a dataset is walked over by its iterator: for x, y in dataset:iter() do ... end")
end

local function to_tensor(value)
  return require "moonflow".convert_to_tensor(value)
end

--- An integer argument that may be a scalar tensor, as in TensorFlow.
local function integer(op, name, value)
  if core.args.kind(value) == "tensor" then value = value:item() end
  local whole = math.tointeger(value)
  if not whole then errors.invalid(op, "argument '%s': expected an integer, received %s", name, errors.describe(value)) end
  return whole
end

-- ---- sources

--- Elements are the rows of the given tensors (or structures of tensors): tf.data.Dataset.from_tensor_slices(images, labels).
function Dataset.from_tensor_slices(...)
  local tensors = read.slices(...)
  tensors.n = #tensors
  local parts, flat = element.pack(tensors, to_tensor, "from_tensor_slices")
  return wrap(data.slices(flat), parts)
end

--- One element: the given tensors as they are.
function Dataset.from_tensors(...)
  local tensors = read.tensors(...)
  tensors.n = #tensors
  local tf = require "moonflow"
  local parts, flat = element.pack(tensors, function(leaf) return tf.expand_dims(to_tensor(leaf), 0) end, "from_tensors")
  return wrap(data.slices(flat), parts)
end

--- int64 scalars: range(stop), range(start, stop), range(start, stop, step).
function Dataset.range(...)
  local bounds, output_type = read.range(...)
  local n = #bounds
  if n < 1 or n > 3 then errors.invalid("Dataset.range", "expected 1 to 3 integers, received %d values", n) end
  for i = 1, n do bounds[i] = integer("Dataset.range", "args", bounds[i]) end
  local raw = n == 1 and data.range(0, bounds[1], 1) or data.range(bounds[1], bounds[2], bounds[3] or 1)
  local ds = wrap(raw, {1})
  if not output_type or output_type == core.dtype.int64 then return ds end
  local tf = require "moonflow"
  return ds:map(function(x) return tf.cast(x, output_type) end)
end

--- Paths that match one shell pattern or any of a list of them, as strings. Shuffled unless shuffle is false.
function Dataset.list_files(...)
  local patterns, shuffle, seed = read.list_files(...)
  local names = {}
  if core.args.kind(patterns) == "tensor" then patterns = patterns:totable() end
  if type(patterns) == "string" then patterns = {patterns} end
  for i = 1, #patterns do
    local found = core.files.glob(patterns[i])
    table.move(found, 1, #found, #names + 1, names)
  end
  if #names == 0 then
    errors.raise("INVALID_ARGUMENT", "list_files", "list_files: no files matched pattern: %s", table.concat(patterns, ", "))
  end
  local ds = wrap(data.slices{require "moonflow".constant(names)}, {1})
  if shuffle == false then return ds end
  return ds:shuffle(#names, {seed = seed})
end

--- Elements of several datasets side by side: zip(a, b) or zip{a, b}.
function Dataset.zip(...)
  local datasets = read.zip(...)
  if #datasets == 1 and nest.is_list(datasets[1]) then datasets = datasets[1] end
  local raws, parts, offset = {}, {}, 0
  for i = 1, #datasets do
    if core.args.kind(datasets[i]) ~= "dataset" then
      errors.invalid("Dataset.zip", "argument 'datasets': expected datasets, received %s", errors.describe(datasets[i]))
    end
    raws[i] = datasets[i]._raw
    local moved = element.shift(datasets[i]._parts, offset)
    parts[i] = #moved == 1 and moved[1] or moved
    offset = offset + #(data.spec(raws[i]))
  end
  return wrap(data.zip(raws), parts)
end

-- ---- transformations

local function parallel_calls(value)
  if value == nil then return 1 end
  local n = integer("Dataset.map", "num_parallel_calls", value)
  if n == AUTOTUNE then return math.max(2, core.machine.get_threads()) end
  if n < 1 then errors.invalid("Dataset.map", "argument 'num_parallel_calls': expected a positive number or AUTOTUNE, received %d", n) end
  return n
end

--- The seed of stateful random ops inside a pipeline's function.
local function pipeline_seed()
  local seed, seed2 = core.machine.op_seeds()
  if seed == 0 and seed2 == 0 then return math.random(0) end
  return seed * 2147483647 + seed2
end

--- Applies a function to every element. It is traced once into a graph, which C threads run; what it returns is the new element.
function Dataset:map(...)
  local f, num_parallel_calls = read.map(...)
  local specs, dtypes, shapes = {}, data.spec(self._raw)
  for i = 1, #dtypes do specs[i] = {dtypes[i], shapes[i], "element_" .. i} end
  local calls, seed = parallel_calls(num_parallel_calls), pipeline_seed()
  local graph, parts = trace.run(specs, function(inputs)
    local results = table.pack(f(element.unpack(self._parts, inputs)))
    if results.n == 0 or results[1] == nil then
      errors.invalid("Dataset.map", "argument 'map_func': the function must return at least one tensor, received nothing")
    end
    for i = 1, results.n do
      if results[i] == nil then
        errors.invalid("Dataset.map", "argument 'map_func': value %d of %d that the function returned is nil", i, results.n)
      end
    end
    local packed, flat = element.pack(results, to_tensor, "Dataset.map: result of map_func")
    return flat, packed
  end)
  return wrap(data.map(self._raw, graph, calls, seed), parts)
end

--- Stacks batch_size elements along a new first axis; the last batch may be short unless drop_remainder.
function Dataset:batch(...)
  local size, drop = read.batch(...)
  return wrap(data.batch(self._raw, size, drop), self._parts)
end

--- Draws from a buffer of buffer_size elements at random: the same order as TensorFlow for the same seeds.
function Dataset:shuffle(...)
  local size, seed, reshuffle = read.shuffle(...)
  size = integer("Dataset.shuffle", "buffer_size", size)
  if seed ~= nil then seed = integer("Dataset.shuffle", "seed", seed) end
  return wrap(data.shuffle(self._raw, size, seed, reshuffle ~= false), self._parts)
end

--- Passes through all elements count times; without count, or with -1, for ever. (`repeat` is a word of Lua.)
function Dataset:repeat_(...)
  local count = read.repeat_(...)
  return wrap(data.repeat_(self._raw, count == nil and -1 or integer("Dataset.repeat_", "count", count)), self._parts)
end

--- The first count elements; -1: all.
function Dataset:take(...)
  return wrap(data.take(self._raw, (read.take(...))), self._parts)
end

--- All but the first count elements; -1: none.
function Dataset:skip(...)
  return wrap(data.skip(self._raw, (read.skip(...))), self._parts)
end

--- Keeps up to buffer_size elements ready, made by a thread of its own while the consumer works.
function Dataset:prefetch(...)
  local size = integer("Dataset.prefetch", "buffer_size", (read.prefetch(...)))
  if size < AUTOTUNE then
    errors.invalid("Dataset.prefetch", "argument 'buffer_size': expected at least 0 or AUTOTUNE, received %d", size)
  end
  if size == 0 then return self end
  return wrap(data.prefetch(self._raw, size == AUTOTUNE and 2 or size), self._parts)
end

-- ---- asking

--- Number of elements as a Lua integer; -1: infinite, -2: unknown.
function Dataset:cardinality()
  return data.cardinality(self._raw)
end

function Dataset:__len()
  local n = data.cardinality(self._raw)
  if n >= 0 then return n end
  errors.raise("FAILED_PRECONDITION", "Dataset", n == -1 and "Dataset: the dataset is infinite and has no length"
    or "Dataset: the length of the dataset is unknown")
end

--- TensorSpecs in the structure of an element; one value for one part, a list for several.
function Dataset:element_specs()
  local dtypes, shapes = data.spec(self._raw)
  local specs = {}
  for i = 1, #self._parts do
    specs[i] = nest.map_structure(function(index)
      return {dtype = dtypes[index], shape = shapes[index]}
    end, self._parts[i])
  end
  return specs
end

local function spec_text(parts, dtypes, shapes)
  if type(parts) == "number" then
    return ("TensorSpec(shape=%s, dtype=%s)"):format(tostring(shapes[parts]), dtypes[parts].name)
  end
  local texts = {}
  if nest.is_dict(parts) then
    for key, value in nest.entries(parts) do texts[#texts + 1] = ("%s = %s"):format(key, spec_text(value, dtypes, shapes)) end
  else
    for i = 1, #parts do texts[i] = spec_text(parts[i], dtypes, shapes) end
  end
  return "{" .. table.concat(texts, ", ") .. "}"
end

function Dataset:__tostring()
  local dtypes, shapes = data.spec(self._raw)
  local texts = {}
  for i = 1, #self._parts do texts[i] = spec_text(self._parts[i], dtypes, shapes) end
  return ("<%sDataset element_spec=(%s)>"):format(data.name(self._raw), table.concat(texts, ", "))
end

-- ---- iterating

--- `for x, y in ds:iter() do`: the parts of each element as values. The iterator is closed when the loop ends, however it ends.
function Dataset:iter()
  local it, next_element, parts = data.iterate(self._raw), data.next, self._parts
  if element.is_flat(parts) then
    return function() return next_element(it) end, nil, nil, it
  end
  local function next_packed()
    local components = table.pack(next_element(it))
    if components.n == 0 then return nil end
    return element.unpack(parts, components)
  end
  return next_packed, nil, nil, it
end

return Dataset
