// Starts `hlsl_tool lsp` and shows a menu of permutations; everything else is the work of the server.
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

async function activate(context) {
  context.subscriptions.push(
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
