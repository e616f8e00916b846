--- The functions of tf.keras.utils.

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"
local errors = require "moonflow.base.errors"
local naming = require "moonflow.keras.backend.naming"
local seeds = require "moonflow.keras.random.seeds"

local None = dicts.None
local get = core.op.get
local to_tensor = core.tensor.to

local functions = {}

--- Seeds everything: default seeds of layers and initializers (Python's random), and TensorFlow's.
function functions.set_random_seed(seed)
  if math.type(seed) ~= "integer" then
    errors.invalid("set_random_seed", "expected an integer, received %s", errors.describe(seed))
  end
  seeds.seed_python(seed)
  core.machine.set_seed(seed)
  seeds.reset()
end

--- Names of layers count from the beginning again; the global seed generator is made anew.
function functions.clear_session()
  naming.reset()
  seeds.reset()
end

--- x, y, sample_weight of the data that train_step gets.
function functions.unpack_x_y_sample_weight(data)
  return require "moonflow.keras.training.steps".unpack(data)
end

--- The inverse.
function functions.pack_x_y_sample_weight(x, y, sample_weight)
  return {x, y == nil and false or y, sample_weight == nil and false or sample_weight}
end

local read_categorical = args.signature{name = "to_categorical", {"x", "tensor"}, {"num_classes", "integer", default = None}}

--- Class numbers as one-hot rows of float32.
function functions.to_categorical(...)
  local x, num_classes = read_categorical(...)
  x = to_tensor(x, nil, "to_categorical", "x")
  local shape = x.shape
  if shape.rank > 1 and shape[-1] == 1 then x = get("Squeeze")(x, {squeeze_dims = {-1}}) end
  if x.dtype.is_floating then x = get("Cast")(x, "int32") end
  if num_classes == nil then
    local axes = require "moonflow.keras.losses.reduction".axes_of(x.shape.rank)
    num_classes = get("Max")(x, axes):item() + 1
  end
  return get("OneHot")(x, to_tensor(num_classes, "int32"), to_tensor(1.0), to_tensor(0.0))
end

local read_normalize = args.signature{name = "normalize", {"x", "tensor"}, {"axis", "integer", default = -1},
  {"order", "integer", default = 2}}

--- x divided by its norm along an axis.
function functions.normalize(...)
  local x, axis, order = read_normalize(...)
  x = to_tensor(x, nil, "normalize", "x")
  if not x.dtype.is_floating then x = get("Cast")(x, "float32") end
  local power = to_tensor(order + 0.0, x.dtype)
  local total = get("Sum")(get("Pow")(get("Abs")(x), power), to_tensor({axis}, "int32"), {keep_dims = true})
  local norm = get("Pow")(total, to_tensor(1.0 / order, x.dtype))
  local one = to_tensor(1.0, x.dtype)
  norm = get("SelectV2")(get("Equal")(norm, to_tensor(0.0, x.dtype)), one, norm)
  return get("RealDiv")(x, norm)
end

return functions
