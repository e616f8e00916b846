--- The Lua in docs/python-to-lua.md runs.

local function blocks(path)
  local file <close> = assert(io.open(path))
  local list = {}
  for code in file:read("a"):gmatch("```lua\n(.-)```") do list[#list + 1] = code end
  return list
end

describe("docs/python-to-lua.md", function()
  for i, code in ipairs(blocks("docs/python-to-lua.md")) do
    it("block " .. i .. " runs", function()
      assert(load(code, "=block " .. i))()
    end)
  end

  it("has its blocks", function()
    assert.are.equal(3, #blocks("docs/python-to-lua.md"))
  end)
end)
