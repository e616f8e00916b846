--- `moonflow doctor`: checks this machine end to end and says for each fault what to do.

local core = require "moonflow.core"

local doctor = {}

local function gigabytes(bytes)
  if bytes <= 0 then return "unknown" end
  if bytes == math.maxinteger then return "none" end
  return ("%.1f GB"):format(bytes / 2^30)
end

local function line(state, what, text)
  print(("%-8s %-14s %s"):format(state, what, text))
end

local function check_processor()
  local info = core.machine.processor()
  line("ok", "processor", ("%s, %d cores usable, %d threads in the pool"):format(info.isa, info.cores, core.machine.get_threads()))
  if info.isa == "base" then
    line("note", "", "no AVX2 found (or MF_ISA=base): vector kernels run several times slower")
  end
end

local function check_libraries()
  local found = core.machine.libraries()
  if not found.openblas then
    line("FAULT", "OpenBLAS", "not loaded: install libopenblas0-openmp")
    return false
  end
  local flavour = ({[0] = "serial", [1] = "pthread", [2] = "OpenMP"})[found.openblas_parallel] or "unknown"
  local old = found.openblas_core == "Prescott" and core.machine.processor().isa ~= "base"
  if found.openblas_parallel == 2 and old then
    line("note", "OpenBLAS", ("%s does not know this processor and takes its oldest kernel (Prescott); set OPENBLAS_CORETYPE=%s " ..
      "before the start"):format(found.openblas:match("^OpenBLAS [%d.]+") or "it",
      core.machine.processor().isa == "avx512" and "SkylakeX" or "Haswell"))
  elseif found.openblas_parallel == 2 then
    line("ok", "OpenBLAS", ("%s, kernel %s, flavour %s"):format(found.openblas, found.openblas_core, flavour))
  else
    line("note", "OpenBLAS", ("%s, flavour %s: a copy of another flavour was loaded first; products go to other kernels. " ..
      "Install libopenblas0-openmp"):format(found.openblas, flavour))
  end
  if found.onednn then line("ok", "oneDNN", found.onednn)
  else line("note", "oneDNN", "not built in: convolutions run over OpenBLAS (install libdnnl-dev and build again)") end
  return true
end

local function check_gpu()
  local state, text = core.machine.gpu_state()
  line(state == "present" and "ok" or "note", "GPU", text)
  for i = 0, core.machine.gpu_count() - 1 do
    local info = core.machine.gpu_info("GPU", i)
    line("ok", "GPU:" .. i, ("%s, compute capability %d.%d, %s of %s free"):format(info.name, info.major, info.minor,
      gigabytes(info.free_bytes), gigabytes(info.total_bytes)))
  end
end

local function check_memory()
  local info = core.machine.processor()
  local memory = core.machine.memory("CPU", 0)
  line("ok", "memory", ("%s available, limit for tensors %s"):format(gigabytes(info.memory_available), gigabytes(memory.limit)))
end

--- A product whose result is known.
local function check_arithmetic()
  local tf = require "moonflow"
  local n = 64
  local product = tf.matmul(tf.ones{n, n}, tf.ones{n, n})
  local right = tf.reduce_all(tf.equal(product, n + 0.0)):item()
  line(right and "ok" or "FAULT", "arithmetic", right and "a matrix product is right" or "a matrix product is WRONG")
  return right
end

function doctor.main()
  line("ok", "moonflow", core.machine.version() .. ", " .. _VERSION)
  check_processor()
  local ok = check_libraries()
  check_gpu()
  check_memory()
  local ran, right = pcall(check_arithmetic)
  if not ran then line("FAULT", "arithmetic", tostring(right)) end
  ok = ok and ran and right
  print(ok and "everything that is needed works" or "something is wrong: see FAULT above")
  return ok and 0 or 1
end

return doctor
