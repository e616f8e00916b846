--- The public loss functions: f(y_true, y_pred, {from_logits = true}) gives one value a sample, without reducing them.

local args = require "moonflow.base.args"
local core = require "moonflow.core"
local crossentropy = require "moonflow.keras.losses.crossentropy"
local dicts = require "moonflow.base.dict"
local focal = require "moonflow.keras.losses.focal"
local regression = require "moonflow.keras.losses.regression"

local None = dicts.None
local is_tensor, to_tensor = core.tensor.is, core.tensor.to

local from_logits = {"from_logits", "boolean", default = false}
local smoothing = {"label_smoothing", "number", default = 0.0}
local axis = {"axis", "integer", default = -1}
local alpha, gamma = {"alpha", "number", default = 0.25}, {"gamma", "number", default = 2.0}

-- name -> body(y_true, y_pred, kwargs), then the rows of its keywords
local table_of = {
  mean_squared_error = {regression.mean_squared_error}, mean_absolute_error = {regression.mean_absolute_error},
  mean_absolute_percentage_error = {regression.mean_absolute_percentage_error},
  mean_squared_logarithmic_error = {regression.mean_squared_logarithmic_error},
  huber = {regression.huber, {"delta", "number", default = 1.0}}, log_cosh = {regression.log_cosh},
  cosine_similarity = {regression.cosine_similarity, axis}, hinge = {regression.hinge},
  squared_hinge = {regression.squared_hinge}, categorical_hinge = {regression.categorical_hinge},
  kl_divergence = {regression.kl_divergence}, poisson = {regression.poisson},
  binary_crossentropy = {crossentropy.binary, from_logits, smoothing, axis},
  categorical_crossentropy = {crossentropy.categorical, from_logits, smoothing, axis},
  sparse_categorical_crossentropy = {crossentropy.sparse_categorical, from_logits,
    {"ignore_class", "integer", default = None}, axis},
  binary_focal_crossentropy = {focal.binary, {"apply_class_balancing", "boolean", default = false}, alpha, gamma,
    from_logits, smoothing, axis},
  categorical_focal_crossentropy = {focal.categorical, alpha, gamma, from_logits, smoothing, axis},
  dice = {focal.dice, {"axis", "axis", default = None}},
  tversky = {focal.tversky, {"alpha", "number", default = 0.5}, {"beta", "number", default = 0.5},
    {"axis", "axis", default = None}},
}

local functions, bodies = {}, setmetatable({}, {__mode = "k"})

local function tensor(value, argument)
  if is_tensor(value) then return value end
  return to_tensor(value, nil, "losses", argument)
end

local function define(name, definition)
  local body = definition[1]
  local spec = {name = "tf.keras.losses." .. name, {"y_true", "tensor"}, {"y_pred", "tensor"}}
  for i = 2, #definition do spec[#spec + 1] = definition[i] end
  local read = args.signature(spec)
  local function public(...)
    local a = read:read_table(...)
    return body(tensor(a.y_true, "y_true"), tensor(a.y_pred, "y_pred"), a)
  end
  bodies[public] = body
  functions[name] = public
end

for name, definition in next, table_of do define(name, definition) end

--- What loss objects call in place of a public function: body(y_true, y_pred, kwargs) on tensors.
function functions.body(f)
  return bodies[f] or f
end

--- Rows of the keywords of the function called `name`, and its body.
function functions.parts(name)
  local definition = table_of[name]
  return table.move(definition, 2, #definition, 1, {}), definition[1]
end

return functions
