#!/usr/bin/env node
// Old versions of Node must be able to parse this file, so everything else loads after the check.

const OLDEST_NODE = 24;

// On SIGUSR1 without a listener, Node.js opens its debugger on a port. Before this line, only the
// option --disable-sigusr1 prevents that. The first line omits the option, because Node.js 20
// refuses to start with it.
process.on("SIGUSR1", function ignore() {});

// The gate handles these signals once it is loaded. Until then nothing is open, so a stop signal
// ends the process. Without a terminal, SIGHUP is ignored, as it is by the gate.
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
  (process.argv[2] === "serve"
    ? import("./gate.ts").then(({ runGate }) => runGate)
    : import("./latchkey.ts").then(({ runLatchkey }) => runLatchkey)
  )
    .then((run) => run(process.argv.slice(2), process))
    .then((code) => {
      // `process.exit()` is not called here, because output to a pipe may not be written yet.
      process.exitCode = code;
      // A stopped gate has written its log, so open handles must not keep the process running.
      if (process.argv[2] === "serve" && code === 0) process.exit();
    });
}
