--- Rows: dtypes, printing, scopes, grouping, facts about this build.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local nest = require "moonflow.base.nest"
local scopes = require "moonflow.scopes"

local to, None = core.tensor.to, core.args.None

local function as_dtype(value)
  local found = core.dtype.get(value)
  if not found then errors.invalid("as_dtype", "cannot convert %s to a dtype", errors.describe(value)) end
  return found
end

local function print_values(inputs, options)
  local text = require "moonflow.tensor_text"
  local parts, summarize = {}, options.summarize or 3
  for i = 1, #inputs do
    local value = inputs[i]
    parts[i] = rawequal(value, None) and "None" or text.of_value(value, summarize)
  end
  local line = table.concat(parts, options.sep or " ") .. (options["end"] or "\n")
  local stream = options.output_stream or io.stderr
  if type(stream) == "string" then
    local path = stream:match("^file://(.*)$")
    if not path then
      errors.invalid("print", "argument 'output_stream': expected a file, or 'file://PATH', received %s", errors.describe(stream))
    end
    local file <close> = assert(io.open(path, "a"))
    file:write(line)
  else
    stream:write(line)
  end
end

local function get_static_value(tensor)
  if not core.args.is_tensor(tensor) then return tensor end
  if core.tensor.is_symbolic(tensor) then return nil end
  return to(tensor):totable()
end

local function tuple(tensors)
  local copy = {}
  for i = 1, #tensors do copy[i] = tensors[i] end
  return copy
end

local function nothing() end

local function gradients()
  errors.raise("FAILED_PRECONDITION", "gradients",
    "gradients: tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.")
end

local rows = {
  {"tf.as_dtype tf.dtypes.as_dtype", "type_value:any", as_dtype, "The dtype that a name or object means."},
  {"tf.print", "*inputs:any, **kwargs", print_values, "Prints values as TensorFlow does, to stderr unless told otherwise."},
  {"tf.device", "device_name:any", scopes.device, "Ops in the block run on this device."},
  {"tf.name_scope", "name", scopes.name_scope, "Names in the block start with this."},
  {"tf.get_current_name_scope", "", scopes.current_name, "The name scope now."},
  {"tf.control_dependencies", "control_inputs:struct", scopes.plain, "Order of ops: eager ops run in program order."},
  {"tf.init_scope", "", scopes.plain, "Lifts ops out of a function; does nothing outside of one."},
  {"tf.executing_eagerly", "", function() return not core.machine.is_tracing() end, "Do ops run at once?"},
  {"tf.inside_function", "", core.machine.is_tracing, "Is a function being traced?"},
  {"tf.is_symbolic_tensor", "tensor:any", core.tensor.is_symbolic, "Does the tensor stand for a value to come?"},
  {"tf.get_static_value", "tensor:any, partial=False", get_static_value, "The value, where it is known now."},
  {"tf.tuple", "tensors:list, control_inputs:any=None, name=None", tuple, "The same tensors, all computed."},
  {"tf.group", "*inputs:any, **kwargs", nothing, "Runs all inputs; eager ops have run already."},
  {"tf.no_op", "name=None", nothing, "Does nothing."},
  {"tf.timestamp", "name=None", function() return to(core.machine.now(), "float64") end, "Seconds since 1970."},
  {"tf.gradients", "ys:struct, xs:struct, grad_ys:any=None, name:string='gradients', gate_gradients=False, aggregation_method:any=None, " ..
    "stop_gradients:any=None, unconnected_gradients:any='none'", gradients, "Not in eager execution: see tf.GradientTape."},
  {"tf.test.is_built_with_cuda tf.test.is_built_with_gpu_support", "", function()
    return core.machine.gpu_state() ~= "no_library"
  end, "Is there a GPU plug-in?"},
  {"tf.test.is_gpu_available", "cuda_only=False, min_cuda_compute_capability:any=None", function()
    return core.machine.gpu_count() > 0
  end, "Is there a GPU?"},
  {"tf.test.gpu_device_name", "", function() return core.machine.gpu_count() > 0 and "/device:GPU:0" or "" end, "The first GPU's name."},
  {"tf.nest.flatten", "structure:struct, expand_composites=False", function(structure, expand)
    return nest.flatten(structure, {expand_composites = expand})
  end, "The leaves of a structure."},
}

-- Values.
for names, value in next, {
  ["tf.version.VERSION"] = core.machine.version(), ["tf.version.GIT_VERSION"] = "v" .. core.machine.version(),
  ["tf.version.COMPILER_VERSION"] = "C11", ["tf.version.GRAPH_DEF_VERSION"] = 2000, ["tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER"] = 0,
  ["tf.version.GRAPH_DEF_VERSION_MIN_PRODUCER"] = 0, ["tf.__version__"] = core.machine.version(),
} do rows[#rows + 1] = {names, "", value = value} end
rows[#rows + 1] = {"tf.UnconnectedGradients", "", value = {NONE = "none", ZERO = "zero"}}
for name, object in next, core.dtype do
  if core.args.kind(object) == "dtype" then rows[#rows + 1] = {"tf.dtypes." .. name, "", value = object} end
end

return rows
