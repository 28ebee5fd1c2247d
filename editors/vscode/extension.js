// Starts `hlsl_tool lsp` and `hlsl_tool debug`, and shows a menu of permutations; the rest is the work of these servers.
"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function create() {
  const settings = vscode.workspace.getConfiguration("hlslTool");
  const [command, ...args] = settings.get("command");
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const initializationOptions = {
    root: settings.get("root"),
    configs: settings.get("configs"),
    arguments: settings.get("arguments"),
    allPermutations: settings.get("allPermutations"),
    permutationMenu: true,
  };
  return new LanguageClient(
    "hlslTool",
    "HLSL tool",
    { command, args, options: { cwd: folder } },
    {
      documentSelector: [{ language: "hlsl" }, { language: "yaml", pattern: "**/config/**/*.{yaml,yml}" }],
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{hlsl,hlsli,fx,fxh,h,inc,yaml,yml}") },
      initializationOptions,
    },
  );
}

async function choosePermutation(given) {
  const uri = given ?? vscode.window.activeTextEditor?.document.uri.toString();
  if (!uri || !client) {
    return;
  }
  const list = await vscode.commands.executeCommand("hlsl_tool.listPermutations", uri);
  const items = (list ?? []).map((item) => ({
    label: item.label,
    description: item.active ? `${item.source} (active)` : item.source,
    name: item.name,
  }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: "Permutation to analyse the file under" });
  if (chosen) {
    await vscode.commands.executeCommand("hlsl_tool.selectPermutation", uri, chosen.name);
  }
}

async function restart() {
  await client?.stop();
  client = create();
  await client.start();
}

// The adapter runs in the folder of the workspace, so that relative paths in a configuration mean files of the project.
const adapters = {
  createDebugAdapterDescriptor(session) {
    const settings = vscode.workspace.getConfiguration("hlslTool");
    const [command, ...args] = settings.get("debugCommand");
    const folder = session.workspaceFolder ?? vscode.workspace.workspaceFolders?.[0];
    return new vscode.DebugAdapterExecutable(command, args, { cwd: folder?.uri.fsPath });
  },
};

// Without a configuration, F5 debugs the open file as a compute shader.
const configurations = {
  resolveDebugConfiguration(folder, configuration) {
    const editor = vscode.window.activeTextEditor;
    if (configuration.type || editor?.document.languageId !== "hlsl") {
      return configuration;
    }
    const name = "Debug the compute shader";
    const program = editor.document.uri.fsPath;
    const run = { profile: "cs_6_6", groups: [1, 1, 1], seed: 1, stopOnEntry: true };
    return { type: "hlsl_tool", request: "launch", name, program, ...run };
  },
};

async function activate(context) {
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("hlsl_tool", adapters),
    vscode.debug.registerDebugConfigurationProvider("hlsl_tool", configurations),
    vscode.commands.registerCommand("hlsl_tool.choosePermutation", choosePermutation),
    vscode.commands.registerCommand("hlslTool.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("hlslTool")) {
        restart();
      }
    }),
  );
  client = create();
  await client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
