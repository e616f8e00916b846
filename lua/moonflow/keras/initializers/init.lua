--- tf.keras.initializers.

local core = require "moonflow.core"
local errors = require "moonflow.base.errors"
local registry = require "moonflow.keras.saving.registry"

local classes = {Initializer = "initializer", Orthogonal = "orthogonal"}
for _, name in ipairs{"Constant", "Identity", "Ones", "Zeros"} do classes[name] = {"constant", name} end
for _, name in ipairs{"RandomNormal", "RandomUniform", "TruncatedNormal"} do classes[name] = {"random", name} end
for _, name in ipairs{"GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "LecunNormal", "LecunUniform",
  "VarianceScaling"} do
  classes[name] = {"variance_scaling", name}
end

local initializers = registry.new{
  what = "initializer", module = "keras.initializers", folder = "moonflow.keras.initializers",
  classes = classes, functions = {},
  aliases = {
    IdentityInitializer = "Identity", OrthogonalInitializer = "Orthogonal", normal = "RandomNormal", one = "Ones",
    uniform = "RandomUniform", zero = "Zeros", constant = "Constant", identity = "Identity", ones = "Ones",
    zeros = "Zeros",
    orthogonal = "Orthogonal", random_normal = "RandomNormal", random_uniform = "RandomUniform",
    truncated_normal = "TruncatedNormal", variance_scaling = "VarianceScaling", glorot_normal = "GlorotNormal",
    glorot_uniform = "GlorotUniform", he_normal = "HeNormal", he_uniform = "HeUniform", lecun_normal = "LecunNormal",
    lecun_uniform = "LecunUniform",
  },
}

local get = initializers.get

--- A tensor gives an initializer of that tensor: it fits its own shape only.
local function of_tensor(value)
  return function(shape, options)
    if core.shape.new(shape) ~= value.shape then
      errors.invalid("initializers.get", "expected the shape %s of the tensor given as initializer, received %s",
        tostring(value.shape), tostring(shape))
    end
    local dtype = options and options.dtype or value.dtype
    return value.dtype == core.dtype.get(dtype) and value or core.op.get("Cast")(value, dtype)
  end
end

--- The initializer that a name, a config, a class, a tensor or an initializer means; nil for None.
rawset(initializers, "get", function(identifier)
  local kind = core.args.kind(identifier)
  if kind == "variable" then identifier, kind = core.variable.read(identifier), "tensor" end
  if kind == "tensor" then return of_tensor(identifier) end
  return get(identifier)
end)

return initializers
