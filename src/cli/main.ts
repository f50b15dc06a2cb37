#!/usr/bin/env -S node --
// Old versions of Node have to be able to read this file, and nothing is loaded before it has looked.

const OLDEST_NODE = 24;

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  process.stderr.write(`Latchkey needs Node ${OLDEST_NODE} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
} else {
  const { latchkey } = await import("./latchkey.ts");
  await latchkey(process.argv.slice(2));
}

export {};
