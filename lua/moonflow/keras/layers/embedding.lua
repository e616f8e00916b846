--- Embedding: class numbers become rows of a table. The table's gradient is IndexedSlices: the rows that were used.

local Layer = require "moonflow.keras.layers.layer"
local arguments = require "moonflow.keras.layers.arguments"
local constants = require "moonflow.keras.losses.constants"
local core = require "moonflow.core"
local dicts = require "moonflow.base.dict"

local None = dicts.None

local Embedding = Layer:extend("Embedding", {
  args = {
    {"input_dim", "integer", min = 1, doc = "Number of rows: the greatest class number + 1."},
    {"output_dim", "integer", min = 1, doc = "Size of a row."},
    {"embeddings_initializer", "initializer", default = "uniform"},
    {"embeddings_regularizer", "regularizer", default = None}, {"embeddings_constraint", "constraint", default = None},
    {"mask_zero", "boolean", default = false, doc = "Whether 0 stands for nothing and is masked."},
    {"weights", "any", default = None, config = false, doc = "First values of the table."},
    {"lora_rank", "integer", default = None, config = false}, {"lora_alpha", "number", default = None, config = false},
    {"quantization_config", "any", default = None},
    {"activity_regularizer", "regularizer", default = None, keyword = true},
    {"input_length", "integer", default = None, keyword = true, config = false},
  },
})

local get = core.op.get
local gather, cast, not_equal = get("ResourceGather"), get("Cast"), get("NotEqual")
local less, add, select_op = get("Less"), get("AddV2"), get("SelectV2")
local int32, int64 = core.dtype.int32, core.dtype.int64

function Embedding:init(a)
  arguments.refuse(self, a, {"lora_rank", "lora_alpha", "quantization_config"})
  self:super_init(a)
  arguments.take(self, a, {"input_dim", "output_dim", "embeddings_initializer", "embeddings_regularizer",
    "embeddings_constraint", "mask_zero"})
  self.supports_masking = a.mask_zero
  self.autocast = false
  if a.weights ~= nil then
    self:build()
    local list = type(a.weights) == "table" and #a.weights == 1 and core.args.is_tensor(a.weights[1])
    self:set_weights(list and a.weights or {a.weights})
  end
end

function Embedding:build()
  if self.embeddings ~= nil then return end
  self.embeddings = self:add_weight{shape = {self.input_dim, self.output_dim}, name = "embeddings",
    initializer = self.embeddings_initializer, regularizer = self.embeddings_regularizer,
    constraint = self.embeddings_constraint}
end

function Embedding:call(x)
  local dtype = x.dtype
  if dtype ~= int32 and dtype ~= int64 then
    x, dtype = cast(x, int32), int32
  end
  -- negative numbers count from the end
  local negative = less(x, constants.scalar(0, dtype))
  x = select_op(negative, add(x, constants.scalar(self.input_dim, dtype)), x)
  local table_dtype = self.embeddings.dtype
  local rows = gather(self.embeddings, x, table_dtype)
  local wanted = self.dtype_policy.compute_object
  return table_dtype == wanted and rows or cast(rows, wanted)
end

function Embedding:compute_mask(x)
  if not self.mask_zero then return nil end
  return not_equal(x, constants.scalar(0, x.dtype))
end

function Embedding:compute_output_shape(input_shape)
  local shape = core.shape.new(input_shape):as_list()
  shape[#shape + 1] = self.output_dim
  return shape
end

return Embedding
