--- Calls and how they are read: the data behind docs/call-grammar.md, checked by call_grammar_test.lua.
--
-- `signatures` are TensorFlow's and Keras's own (arguments that no call here uses are left out of the long ones).
-- `calls` are rows {call, reading}; a reading names the arguments whose value is not the default, in the order of the
-- signature, or is `error:` and the beginning of the error's text. In the calls, x, y, a, b, c are tensors, ds is a
-- dataset, f and g are functions, d1 and d2 are layers, opts is nil.

local nest = require "moonflow.base.nest"

local None = nest.None

local grammar = {}

grammar.signatures = {
  ["tf.reduce_sum"] = {
    {"input_tensor", "tensor"}, {"axis", "axis", default = None}, {"keepdims", "boolean", default = false},
    {"name", "string", default = None},
  },
  ["tf.reshape"] = {{"tensor", "tensor"}, {"shape", "shape"}, {"name", "string", default = None}},
  ["tf.concat"] = {{"values", "tensors"}, {"axis", "axis"}, {"name", "string", default = "concat"}},
  ["tf.stack"] = {{"values", "tensors"}, {"axis", "axis", default = 0}, {"name", "string", default = "stack"}},
  ["tf.constant"] = {
    {"value", "tensor"}, {"dtype", "dtype", default = None}, {"shape", "shape", default = None},
    {"name", "string", default = "Const"},
  },
  ["tf.transpose"] = {
    {"a", "tensor"}, {"perm", "axes", default = None}, {"conjugate", "boolean", default = false},
    {"name", "string", default = "transpose"},
  },
  ["tf.random.normal"] = {
    {"shape", "shape"}, {"mean", "number", default = 0.0}, {"stddev", "number", default = 1.0},
    {"dtype", "dtype", default = "float32"}, {"seed", "integer", default = None}, {"name", "string", default = None},
  },
  ["tf.einsum"] = {{"equation", "string"}, rest = {"inputs", "tensor"}, {"optimize", "string", default = "greedy"}},
  ["tf.print"] = {
    rest = {"inputs", "struct"}, {"output_stream", "any", default = None}, {"summarize", "integer", default = 3},
    {"sep", "string", default = " "}, {"end", "string", default = "\n"},
  },
  ["tf.while_loop"] = {
    {"cond", "function"}, {"body", "function"}, {"loop_vars", "struct"},
    {"shape_invariants", "struct", default = None},
    {"parallel_iterations", "integer", default = 10}, {"maximum_iterations", "integer", default = None},
  },
  ["tape:gradient"] = {
    {"target", "struct"}, {"sources", "struct"}, {"output_gradients", "struct", default = None},
    {"unconnected_gradients", "string", default = "none"},
  },
  ["Dataset.from_tensor_slices"] = {rest = {"tensors", "data"}, {"name", "string", default = None}},
  ["Dataset.zip"] = {rest = {"datasets", "struct"}, {"name", "string", default = None}},
  ["Checkpoint"] = {{"root", "object", default = None}, open = true},
  ["Dense"] = {
    {"units", "integer"}, {"activation", "any", default = None}, {"use_bias", "boolean", default = true},
    {"name", "string", default = None, keyword = true},
  },
  ["LSTM"] = {
    {"units", "integer"}, {"activation", "any", default = "tanh"},
    {"return_sequences", "boolean", default = false, keyword = true},
  },
  ["Conv2D"] = {
    {"filters", "integer"}, {"kernel_size", "integers"}, {"strides", "integers", default = {1, 1}},
    {"padding", "string", default = "valid"}, {"activation", "any", default = None},
  },
  ["Sequential"] = {
    {"layers", "layers", default = None}, {"trainable", "boolean", default = true}, {"name", "string", default = None},
  },
  ["Model"] = {
    {"inputs", "struct", default = None}, {"outputs", "struct", default = None}, {"name", "string", default = None},
  },
  ["model:compile"] = {
    {"optimizer", "any", default = "rmsprop"}, {"loss", "struct", default = None},
    {"loss_weights", "struct", default = None},
    {"metrics", "struct", default = None}, {"run_eagerly", "boolean", default = false},
  },
  ["model:fit"] = {
    {"x", "data", default = None}, {"y", "data", default = None}, {"batch_size", "integer", default = None},
    {"epochs", "integer", default = 1}, {"verbose", "any", default = "auto"}, {"callbacks", "struct", default = None},
    {"validation_split", "number", default = 0.0}, {"validation_data", "data", default = None},
    {"class_weight", "map", default = None},
  },
  ["layer"] = {
    rest = {"inputs", "struct"}, {"training", "boolean", default = None}, {"mask", "any", default = None},
    input_first = true,
  },
}

grammar.calls = {
  {"tf.reduce_sum(x)", "input_tensor=x"},
  {"tf.reduce_sum(x, 1, true)", "input_tensor=x, axis=1, keepdims=true"},
  {"tf.reduce_sum(x, {axis=1})", "input_tensor=x, axis=1"},
  {"tf.reduce_sum(x, {0, 1})", "input_tensor=x, axis={0, 1}"},
  {"tf.reduce_sum{x, axis=1}", "input_tensor=x, axis=1"},
  {"tf.reduce_sum{1.0, 2.0, axis=0}", "input_tensor={1.0, 2.0}, axis=0"},
  {"tf.reduce_sum({{1, 2}, {3, 4}})", "input_tensor={{1, 2}, {3, 4}}"},
  {"tf.reduce_sum{input_tensor=x, axis=-1.0}", "input_tensor=x, axis=-1.0"},
  {"tf.reduce_sum(x, {axis=1}, nil)", "input_tensor=x, axis=1"},
  {"tf.reduce_sum(x, {axes=1})", "error: unknown argument 'axes'; did you mean 'axis'?"},
  {"tf.reduce_sum(x, 1, {axis=0})", "error: argument 'axis' was given twice, by position and by name"},
  {"tf.reduce_sum(x, {1, keepdims=true})",
   "error: argument 'axis': a table is a list or a dict, received one with 1 list items and the key 'keepdims'"},
  {"tf.reshape(x, {2, 3})", "tensor=x, shape={2, 3}"},
  {"tf.reshape(x, {})", "tensor=x, shape={}"},
  {"tf.reshape(x, {2, nil, 3})", "error: argument 'shape': a list has no holes, received 2 items with keys up to 3"},
  {"tf.constant{}", "value={}"},
  {"tf.constant({{1, 2}, {3, 4}}, {dtype=\"int64\"})", "value={{1, 2}, {3, 4}}, dtype='int64'"},
  {"tf.transpose(x, {0, 2, 1})", "a=x, perm={0, 2, 1}"},
  {"tf.random.normal{784, 128, stddev=0.1}", "shape={784, 128}, stddev=0.1"},
  {"tf.random.normal({2, 2}, {seed=7.0})", "shape={2, 2}, seed=7"},
  {"tf.concat({a, b}, 1)", "values={a, b}, axis=1"},
  {"tf.concat{a, b, axis=1}", "values={a, b}, axis=1"},
  {"tf.concat({a, {1.0, 2.0}}, 0)", "values={a, {1.0, 2.0}}, axis=0"},
  {"tf.concat{{a, b}, axis=1}",
   "error: argument 'values': expected a list of tensors, item 1 is a table that holds tensors"},
  {"tf.stack({a, b})", "values={a, b}"},
  {"tf.einsum(\"ij,jk->ik\", a, b, {optimize=\"auto\"})", "equation='ij,jk->ik', inputs={a, b}, optimize='auto'"},
  {"tf.einsum{\"ij,jk->ik\", a, b}", "equation='ij,jk->ik', inputs={a, b}"},
  {"tf.print(x, {1, 2}, nil, 3, {sep=\"; \"})", "inputs={x, {1, 2}, None, 3}, sep='; '"},
  {"tf.print({loss=x})", "inputs={{loss=x}}"},
  {"tf.while_loop(f, g, {0, 0}, {maximum_iterations=9})", "cond=f, body=g, loop_vars={0, 0}, maximum_iterations=9"},
  {"tf.while_loop(f, g, {i=0})", "cond=f, body=g, loop_vars={i=0}"},
  {"tape:gradient(x, {w=a, b=b}, {unconnected_gradients=\"zero\"})",
   "target=x, sources={b=b, w=a}, unconnected_gradients='zero'"},
  {"tape:gradient(x, {sources=a, unconnected_gradients=\"zero\"})",
   "target=x, sources=a, unconnected_gradients='zero'"},
  {"tape:gradient(x, {unconnected_gradients=\"zero\"})", "target=x, sources={unconnected_gradients='zero'}"},
  {"Dataset.from_tensor_slices(x, y)", "tensors={x, y}"},
  {"Dataset.from_tensor_slices{1, 2, 3}", "tensors={{1, 2, 3}}"},
  {"Dataset.from_tensor_slices({image=x, label=y})", "tensors={{image=x, label=y}}"},
  {"Dataset.zip(ds, ds, {name=\"pairs\"})", "datasets={ds, ds}, name='pairs'"},
  {"Checkpoint{model=d1, optimizer=d2}", "kwargs={model=d1, optimizer=d2}"},
  {"Dense(128, {activation=\"relu\"})", "units=128, activation='relu'"},
  {"Dense{units=128, activation=\"relu\"}", "units=128, activation='relu'"},
  {"Dense{128, activation=\"relu\"}", "units=128, activation='relu'"},
  {"Dense(14.0, opts)", "units=14"},
  {"Dense(14.5)", "error: argument 'units': expected an integer, received 14.5"},
  {"Dense{}", "error: missing required argument 'units'"},
  {"Dense(8, nil, false, \"d\")", "error: takes at most 3 arguments by position, received 4"},
  {"LSTM(8, {activation=None})", "units=8, activation=None"},
  {"Conv2D(32, 3, {activation=\"relu\"})", "filters=32, kernel_size=3, activation='relu'"},
  {"Conv2D{32, {3, 3}, padding=\"same\"}", "filters=32, kernel_size={3, 3}, padding='same'"},
  {"Sequential{d1, d2, name=\"m\"}", "layers={d1, d2}, name='m'"},
  {"Sequential{}", "layers={}"},
  {"Model{inputs={a, b}, outputs=c}", "inputs={a, b}, outputs=c"},
  {"Model({image=a, text=b}, c)", "inputs={image=a, text=b}, outputs=c"},
  {"model:compile{optimizer=\"adam\", loss=\"mse\", metrics={\"accuracy\"}}",
   "optimizer='adam', loss='mse', metrics={'accuracy'}"},
  {"model:fit(ds, {epochs=3, validation_data=ds})", "x=ds, epochs=3, validation_data=ds"},
  {"model:fit(ds, opts or {})", "x=ds"},
  {"model:fit{x=x, y=y, epochs=3}", "x=x, y=y, epochs=3"},
  {"model:fit({image=x}, {score=y})", "x={image=x}, y={score=y}"},
  {"model:fit({image=x}, {score=y}, {epochs=3})", "x={image=x}, y={score=y}, epochs=3"},
  {"model:fit(x, tf.dict{y=y})", "x=x, y={y=y}"},
  {"model:fit(ds, {epoch=3})",
   "error: unknown argument 'epoch'; did you mean 'epochs'? (if the last table is meant as the value of 'y'," ..
   " write tf.dict{...}"},
  {"model:fit(ds, {epochs=3, callback={f}})", "error: unknown argument 'callback'; did you mean 'callbacks'?"},
  {"model:fit(ds, tf.kw{epochs=3})", "x=ds, epochs=3"},
  {"model:fit(x, y, {class_weight={[0]=1.0, [1]=5.0}})", "x=x, y=y, class_weight={[0]=1.0, [1]=5.0}"},
  {"layer(x, {training=true})", "inputs={x}, training=true"},
  {"layer{a, b}", "inputs={{a, b}}"},
  {"layer{image=a, training=b}", "inputs={{image=a, training=b}}"},
  {"layer(a, b)", "inputs={a, b}"},
}

return grammar
