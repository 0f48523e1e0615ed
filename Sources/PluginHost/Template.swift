// Creates a new plugin as a starting point for the user. Invariant: the folder that it writes passes its own test
// unchanged.

import Archives
import Commands
import Values

extension PluginHost {
  /// Writes a folder of that name into the user's plugins folder and adds the plugin, not enabled yet.
  /// - Throws: `PluginError.badName`, `.exists`.
  @discardableResult
  public func create(_ name: String) throws -> Plugin {
    guard Manifest.isName(name), Command.isUsable(name: name) else { throw PluginError.badName(name) }
    if plugins.contains(where: { $0.name == name }) { throw PluginError.exists(name: name, what: "a plugin") }
    if registry.isKnown(name) { throw PluginError.exists(name: name, what: "a command") }
    try packages.store.add(name, PluginTemplate(name: name).files.map { PackedFile($0.name, Array($0.text.utf8)) })
    let plugin = read(name, packages.store.installed(name), isBundled: false)
    add(plugin)
    return plugin
  }
}

/// The files of a new plugin: a command, and tests that it passes.
private struct PluginTemplate {
  let name: String

  /// The files, with their names in the folder.
  var files: [(name: String, text: String)] { [("plugin.json", manifest), ("init.lua", code), ("test.lua", test)] }

  private var manifest: String {
    """
    {
      "name": "\(name)",
      "version": "0.1.0",
      "api": 1,
      "summary": "Counts the letters of words.",
      "permissions": ["shell"],
      "commands": ["\(name)"],
      "modes": []
    }

    """
  }

  private var code: String {
    """
    -- Adds the command `\(name)`. It sees Lua's safe libraries and what plugin.json asks for; `help shell` lists the module.

    ---How many letters a word has; a letter with an accent is one.
    ---@param word string
    ---@return integer
    local function letters(word)
      return utf8.len(word) or #word
    end

    shell.command {
      name = "\(name)",
      summary = "Counts the letters of words.",
      example = "\(name) perro gato",
      arguments = { "WORD...: the words" },
      run = function(args)
        local rows = {}
        for _, word in ipairs(args.word) do
          rows[#rows + 1] = { word = word, letters = letters(word) }
        end
        return rows
      end,
    }

    """
  }

  private var test: String {
    """
    -- `plugin test \(name)` runs this, with data of its own that is deleted afterwards.

    test("letters are counted, not bytes", function()
      local rows = assert(run("\(name) año pez"))
      expect(rows[1].letters):equals(3)
      expect(rows):equals { { word = "año", letters = 3 }, { word = "pez", letters = 3 } }
    end)

    test("a word is needed", function()
      local rows, problem = run("\(name)")
      expect(rows):is_nil()
      expect(problem.code):equals("missing_argument")
    end)

    """
  }
}
