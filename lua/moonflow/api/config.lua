--- Rows: tf.config: devices, memory, threads.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"

local machine = core.machine
local settings = {intra = 0, inter = 0, soft_placement = true, run_eagerly = false, growth = {}, tf32 = true, jit = ""}

local device_meta = {__mf_kind = "object", __name = "PhysicalDevice"}
function device_meta.__tostring(device)
  return ("%s(name='%s', device_type='%s')"):format(device.kind, device.name, device.device_type)
end
device_meta.__eq = function(a, b) return a.name == b.name and a.kind == b.kind end

local function device(kind, prefix, device_type, index)
  return setmetatable({kind = kind, name = ("%s%s:%d"):format(prefix, device_type, index), device_type = device_type}, device_meta)
end

local function list(kind, prefix)
  return function(device_type)
    local found = {}
    if device_type == nil or device_type == "CPU" then found[1] = device(kind, prefix, "CPU", 0) end
    if device_type == nil or device_type == "GPU" then
      for i = 0, machine.gpu_count() - 1 do found[#found + 1] = device(kind, prefix, "GPU", i) end
    end
    return found
  end
end

local physical, logical = list("PhysicalDevice", "/physical_device:"), list("LogicalDevice", "/device:")

--- A device object, or a name such as "GPU:0": type and index.
local function parse(value, op)
  local name = type(value) == "string" and value or type(value) == "table" and rawget(value, "name")
  if not name then errors.invalid(op, "argument 'device': expected a device or its name, received %s", errors.describe(value)) end
  return require "moonflow.scopes".parse_device(name)
end

local function get_memory_info(name)
  local kind, index = parse(name, "get_memory_info")
  local info = machine.memory(kind, index)
  return {current = info.current, peak = info.peak}
end

local function reset_memory_stats(name)
  machine.reset_peak(parse(name, "reset_memory_stats"))
end

local function set_intra(num_threads)
  local n = math.tointeger(num_threads)
  if not n or n < 0 then
    errors.invalid("set_intra_op_parallelism_threads", "argument 'num_threads': expected an integer of at least 0, received %s",
      errors.describe(num_threads))
  end
  settings.intra = n
  machine.set_threads(n)
end

local function get_device_details(value)
  local kind, index = parse(value, "get_device_details")
  if kind == "CPU" then return {} end
  local info = machine.gpu_info(kind, index)
  return {device_name = info.name, compute_capability = {info.major, info.minor}}
end

--- memory_limit in megabytes, as in TensorFlow.
local function set_logical_device_configuration(value, configurations)
  local kind, index = parse(value, "set_logical_device_configuration")
  local first = configurations[1]
  if #configurations > 1 then
    errors.unimplemented("set_logical_device_configuration", "one logical device a physical one, received %d", #configurations)
  end
  if first and first.memory_limit then machine.set_memory_limit(kind, index, math.tointeger(first.memory_limit * 1024 * 1024)) end
  settings["logical" .. kind .. index] = configurations
end

local function get_logical_device_configuration(value)
  local kind, index = parse(value, "get_logical_device_configuration")
  return settings["logical" .. kind .. index]
end

local function nothing() end
local function getter(name) return function() return settings[name] end end
local function setter(name) return function(value) settings[name] = value end end

return {
  {"tf.config.list_physical_devices tf.config.experimental.list_physical_devices", "device_type:string=None", physical,
    "The devices of this machine."},
  {"tf.config.list_logical_devices tf.config.experimental.list_logical_devices", "device_type:string=None", logical, "The devices in use."},
  {"tf.config.get_visible_devices tf.config.experimental.get_visible_devices", "device_type:string=None", physical, "The visible devices."},
  {"tf.config.set_visible_devices tf.config.experimental.set_visible_devices", "devices:any, device_type:string=None",
    nothing, "Accepted: devices are chosen with tf.device."},
  {"tf.config.experimental.get_memory_info", "device:any", get_memory_info, "Bytes in use now and at most."},
  {"tf.config.experimental.get_memory_usage", "device:any", function(name) return get_memory_info(name).current end, "Bytes in use now."},
  {"tf.config.experimental.reset_memory_stats", "device:any", reset_memory_stats, "Starts the peak anew."},
  {"tf.config.experimental.get_device_details", "device:any", get_device_details, "Name and compute capability of a GPU."},
  {"tf.config.experimental.set_memory_growth", "device:any, enable:boolean", function(value, enable)
    local kind, index = parse(value, "set_memory_growth")
    settings.growth[kind .. index] = enable
  end, "Memory always grows as it is needed."},
  {"tf.config.experimental.get_memory_growth", "device:any", function(value)
    local kind, index = parse(value, "get_memory_growth")
    return settings.growth[kind .. index] or false
  end, "What was set."},
  {"tf.config.LogicalDeviceConfiguration tf.config.experimental.VirtualDeviceConfiguration",
   "memory_limit:any=None, experimental_priority:any=None, experimental_device_ordinal:any=None", function(limit)
     return {memory_limit = limit}
   end, "A memory limit in megabytes."},
  {"tf.config.set_logical_device_configuration tf.config.experimental.set_virtual_device_configuration",
   "device:any, logical_devices:list", set_logical_device_configuration, "Limits the memory of a device."},
  {"tf.config.get_logical_device_configuration tf.config.experimental.get_virtual_device_configuration", "device:any",
   get_logical_device_configuration, "What was set."},
  {"tf.config.threading.set_intra_op_parallelism_threads", "num_threads:any", set_intra, "Threads of the pool; 0: the cores."},
  {"tf.config.threading.get_intra_op_parallelism_threads", "", getter("intra"), "What was set."},
  {"tf.config.threading.set_inter_op_parallelism_threads", "num_threads:integer", setter("inter"),
    "Accepted: ops run one after the other."},
  {"tf.config.threading.get_inter_op_parallelism_threads", "", getter("inter"), "What was set."},
  {"tf.config.set_soft_device_placement", "enabled:boolean", setter("soft_placement"), "Accepted: placement is always soft."},
  {"tf.config.get_soft_device_placement", "", getter("soft_placement"), "What was set."},
  {"tf.config.run_functions_eagerly tf.config.experimental_run_functions_eagerly", "run_eagerly:boolean", setter("run_eagerly"),
   "Functions run op by op."},
  {"tf.config.functions_run_eagerly tf.config.experimental_functions_run_eagerly", "", getter("run_eagerly"), "What was set."},
  {"tf.config.experimental.enable_op_determinism", "", nothing, "Ops are always deterministic."},
  {"tf.config.experimental.enable_tensor_float_32_execution", "enabled:boolean", setter("tf32"), "Allows TF32 on GPUs."},
  {"tf.config.experimental.tensor_float_32_execution_enabled", "", getter("tf32"), "What was set."},
  {"tf.config.experimental.set_synchronous_execution", "enable:any", nothing, "Accepted: CPU ops finish before they return."},
  {"tf.config.experimental.get_synchronous_execution", "", function() return true end, "CPU ops finish before they return."},
  {"tf.config.optimizer.set_jit", "enabled:any", setter("jit"), "Accepted."},
  {"tf.config.optimizer.get_jit", "", getter("jit"), "What was set."},
}
