#!/usr/bin/env node
// Old versions of Node must be able to parse this file, so everything else loads after the check.

const OLDEST_NODE = 24;

// Without a listener, Node.js opens its debugger on a port. Before this line, only the option
// --disable-sigusr1 prevents that: the first line lacks it, because Node.js 20 refuses to start with it.
process.on("SIGUSR1", function ignore() {});

// The gate handles these signals as soon as it is loaded. Until then nothing is open: a signal to stop
// ends the process, and SIGHUP without a terminal is ignored, as the gate does.
if (process.argv[2] === "serve") {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, function early() {
      const isStop = signal !== "SIGHUP" || process.stdin.isTTY || process.stdout.isTTY;
      if (process.listenerCount(signal) === 1 && isStop) process.exit(0);
    });
  }
}

if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  process.stderr.write(
    `Latchkey needs Node.js ${OLDEST_NODE} or newer; this is ${process.version}\n`,
  );
  process.exitCode = 1;
} else {
  import("./latchkey.ts")
    .then(({ runLatchkey: latchkey }) => latchkey(process.argv.slice(2), process))
    .then((code) => {
      // Not process.exit(): what is printed to a pipe may still be on its way.
      process.exitCode = code;
      // A stopped gate has written its log: whatever is still open must not keep it running.
      if (process.argv[2] === "serve" && code === 0) process.exit();
    });
}
