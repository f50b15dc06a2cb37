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
  readonly script: readonly string[];
  /** The arguments of the script, unless others are given. */
  readonly args?: readonly string[];
  /** With `--long`, instead of `args`. */
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
  podman: "podman",
  runc: "runc",
  skopeo: "skopeo",
  "docker-registry": "docker-registry",
  "qemu-aarch64-static": "qemu-user-static",
} as const;

const CHAOS = { strace: "strace", nginx: "nginx-light", pebble: "pebble" } as const;

/** In the order in which they run: what finds most in the least time first. */
const PROOFS: Readonly<Record<string, Proof>> = {
  tests: {
    about:
      "scanners of other authors, apps of npm, a real mail server, PostgreSQL under Patroni, the container image, sign-in times, mistakes that the simulation must find",
    script: ["test/run.ts", "proof"],
    needs: TOOLS,
  },
  simulation: {
    about: "gates with all faults in simulated time",
    script: ["proof/simulation/main.ts"],
    args: ["--seeds", "10000"],
  },
  attack: {
    about: "known attacks on fresh gates",
    script: ["packages/attack/gates/main.ts"],
    args: ["300"],
  },
  chaos: {
    about: "kill -9, full disks, floods; --long writes docs/chaos.md",
    script: ["proof/chaos/main.ts"],
    args: ["--short"],
    long: [],
    needs: CHAOS,
  },
  fuzz: {
    about: "mutated inputs for the parsers of untrusted input",
    script: ["proof/fuzz/main.ts"],
    args: ["--seconds", "5"],
    long: ["--seconds", "60"],
  },
  frameworks: {
    about: "every app in examples, built and run with the packed library",
    script: ["test/frameworks/matrix.ts"],
  },
  peers: {
    about: "the comparison with other libraries, in short: that each still runs",
    script: ["proof/bench/main.ts", "peers"],
    args: ["--short"],
    needs: { nginx: "nginx-light" },
  },
  mutants: {
    about: "whether the tests notice changed code; only with --long or by name: 90 minutes",
    script: ["proof/mutation/main.ts"],
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

const given = process.argv.slice(2);
const isKnown = (word: string): boolean => word === "--long" || Object.hasOwn(PROOFS, word);
const end = given.findIndex((word) => !isKnown(word));
/** The words before the first that is neither a proof nor `--long`, and those from there on. */
const [words, rest] = end === -1 ? [given, []] : [given.slice(0, end), given.slice(end)];
const isLong = words.includes("--long");
const names = words.filter((word) => word !== "--long");
const [name = ""] = names;

if (given[0] === "--help") print(HELP);
else if (rest.length === 0) await run(names.length > 0 ? names : listAll());
else if (names.length === 1) process.exitCode = await runScript([...scriptOf(name), ...rest]);
else {
  const list = Object.keys(PROOFS).join(", ");
  process.stderr.write(`proof: unknown proof "${rest[0]}"; the proofs are ${list}\n`);
  process.exitCode = 2;
}

function listAll(): readonly string[] {
  return Object.keys(PROOFS).filter((one) => isLong || !ONLY_LONG.includes(one));
}

function scriptOf(one: string): readonly string[] {
  return PROOFS[one]?.script ?? [];
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

async function runProof({ script, args = [], long = args }: Proof): Promise<Outcome> {
  return (await runScript([...script, ...(isLong ? long : args)])) === 0 ? "passed" : "failed";
}

/** Resolves to the exit code. */
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
