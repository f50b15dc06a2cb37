#!/usr/bin/env node
// Loads nothing before the check, so that older versions of Node can parse this file.

const MIN_NODE = 24;

if (Number(process.versions.node.split(".")[0]) < MIN_NODE) {
  process.stderr.write(
    `latchkey-attack needs Node ${MIN_NODE} or newer; found ${process.version}\n`,
  );
  process.exitCode = 1;
} else {
  const { runCommand } = await import("./command.ts");
  process.exitCode = await runCommand(process.argv.slice(2));
}

export {};
