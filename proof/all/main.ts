/** `npm run proof` runs the proofs that take too long for each change, one after the other. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PYTHON = "/usr/bin/python3";

interface Proof {
  readonly about: string;
  readonly command: readonly string[];
  /** With `--long`, instead of `command`. */
  readonly long?: readonly string[];
  /** The Debian package of each program, and of each Python module after `python3-`. */
  readonly needs?: Readonly<Record<string, string>>;
}

const TOOLS = {
  hydra: "hydra",
  sqlmap: "sqlmap",
  wapiti: "wapiti",
  slowhttptest: "slowhttptest",
  testssl: "testssl.sh",
  postfix: "postfix",
  dovecot: "dovecot-imapd",
  "python3-jwt": "python3-jwt",
  patroni: "patroni",
  "python3-pysyncobj": "python3-pysyncobj",
} as const;

const CHAOS = { strace: "strace", nginx: "nginx-light", pebble: "pebble" } as const;

/** In the order in which they run: what finds most in the least time first. */
const PROOFS: Readonly<Record<string, Proof>> = {
  tests: {
    about:
      "scanners of other authors, apps of npm, a real mail server, PostgreSQL under Patroni, sign-in times, mistakes that the simulation must find",
    command: ["test/run.ts", "proof"],
    needs: TOOLS,
  },
  simulation: {
    about: "gates with all faults in simulated time",
    command: ["proof/simulation/main.ts", "--seeds", "10000"],
  },
  attack: {
    about: "known attacks on fresh gates",
    command: ["packages/attack/gates/main.ts", "300"],
  },
  chaos: {
    about: "kill -9, full disks, floods; --long writes docs/chaos.md",
    command: ["proof/chaos/main.ts", "--short"],
    long: ["proof/chaos/main.ts"],
    needs: CHAOS,
  },
  fuzz: {
    about: "mutated inputs for the parsers of untrusted input",
    command: ["proof/fuzz/main.ts", "--seconds", "5"],
    long: ["proof/fuzz/main.ts", "--seconds", "60"],
  },
  frameworks: {
    about: "every app in examples, built and run with the packed library",
    command: ["test/frameworks/matrix.ts"],
  },
  peers: {
    about: "the comparison with other libraries, in short: that each still runs",
    command: ["proof/bench/main.ts", "peers", "--short"],
    needs: { nginx: "nginx-light" },
  },
  mutants: {
    about: "whether the tests notice changed code; only with --long or by name: 90 minutes",
    command: ["proof/mutation/main.ts"],
  },
};
const ONLY_LONG: readonly string[] = ["mutants"];

const HELP = `Usage: npm run proof [-- NAME… [--long]]
       npm run proof -- NAME ARGUMENTS

Runs the long proofs in order, or those that are named, and prints a summary. The exit code is 1
if one failed, or could not run because a program is missing. About half an hour on two cores.
Arguments after the name are for that one: \`npm run proof -- simulation --seed 17\`.

${Object.entries(PROOFS)
  .map(([name, { about }]) => `  ${name.padEnd(12)}${about}`)
  .join("\n")}

Options:
  --long  the longest form of each, before a release: about four hours
  --help  shows this

\`npm run bench\`, which needs a quiet machine, is not among them.`;

type Outcome = "passed" | "failed" | "not run";

const { names, isLong, rest } = readArguments(process.argv.slice(2));
const [first = ""] = names;
if (first === "--help") print(HELP);
else if (rest.length > 0) process.exitCode = await runOne(first, rest);
else await run(names.length > 0 ? names : namesOf(isLong));

interface Arguments {
  readonly names: readonly string[];
  readonly isLong: boolean;
  /** What follows the names. */
  readonly rest: readonly string[];
}

function readArguments(args: readonly string[]): Arguments {
  if (args[0] === "--help") return { names: args, isLong: false, rest: [] };
  const known = (word: string): boolean => word === "--long" || Object.hasOwn(PROOFS, word);
  const end = args.findIndex((word) => !known(word));
  const words = end === -1 ? args : args.slice(0, end);
  const rest = end === -1 ? [] : args.slice(end);
  const names = words.filter((word) => word !== "--long");
  const [unknown] = rest;
  if (unknown !== undefined && names.length !== 1) {
    const list = Object.keys(PROOFS).join(", ");
    process.stderr.write(`proof: unknown proof "${unknown}"; the proofs are ${list}\n`);
    process.exit(2);
  }
  return { names, isLong: words.includes("--long"), rest };
}

function namesOf(isLong: boolean): readonly string[] {
  return Object.keys(PROOFS).filter((name) => isLong || !ONLY_LONG.includes(name));
}

/** Runs one proof with arguments of its own. Returns its exit code. */
async function runOne(name: string, args: readonly string[]): Promise<number> {
  const [script = ""] = PROOFS[name]?.command ?? [];
  return runScript(name === "tests" ? [script, "proof", ...args] : [script, ...args]);
}

async function run(names: readonly string[]): Promise<void> {
  const lines: string[] = [];
  let interrupted = false;
  // Ctrl-C in a terminal also reaches the running proof, which then ends; the others do not start.
  process.on("SIGINT", () => {
    interrupted = true;
  });
  for (const [at, name] of names.entries()) {
    const proof = PROOFS[name];
    if (proof === undefined) continue;
    print(`\n[${at + 1} of ${names.length}] ${name}: ${proof.about}`);
    const startedAt = performance.now();
    const missing = missingFor(proof);
    let outcome: Outcome = "not run";
    if (missing.length > 0) print(`missing, install it with: apt-get install ${missing.join(" ")}`);
    else if (!interrupted) outcome = await runProof(proof);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const reason = missing.length > 0 ? `  needs ${missing.join(", ")}` : "";
    const line = `${outcome.padEnd(8)} ${name.padEnd(12)} ${String(seconds).padStart(5)} s${reason}`;
    print(line);
    lines.push(line);
    if (outcome !== "passed") process.exitCode = 1;
  }
  print(`\nSummary\n${lines.join("\n")}`);
}

async function runProof({ command, long }: Proof): Promise<Outcome> {
  const args = isLong ? (long ?? command) : command;
  return (await runScript(args)) === 0 ? "passed" : "failed";
}

async function runScript(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "close");
  return code ?? 1;
}

/** The packages whose programs this machine lacks. */
function missingFor({ needs = {} }: Proof): readonly string[] {
  return Object.entries(needs)
    .filter(([program]) => !isInstalled(program))
    .map(([, name]) => name);
}

function isInstalled(program: string): boolean {
  const module = /^python3-(.+)$/.exec(program)?.[1];
  if (module !== undefined) return spawnSync(PYTHON, ["-c", `import ${module}`]).status === 0;
  const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
