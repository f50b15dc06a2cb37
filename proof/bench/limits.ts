import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { ADMINS } from "../../src/db/records.ts";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import { pathsUnder } from "../../src/http/paths.ts";
import { eventually } from "../../test/support/eventually.ts";
import { freePort } from "../../test/support/free-port.ts";
import { quantile, table } from "./figures.ts";
import { type Installed, SMALL_NEW_SPACE } from "./install.ts";
import { ask } from "./load.ts";
import { pinned, usageOf } from "./machine.ts";
import { PASSWORD, SECRET } from "./peers/peer.ts";
import { endServer, firstAnswer } from "./servers.ts";
import { cookiesIn, form, get } from "./wire.ts";
import { answersOf, type WrkRun } from "./wrk.ts";

/** What an installed gate may cost. `npm run bench` fails beyond it. */
export const LIMITS = {
  "/forward-auth": 1.1,
  "/login": 2,
  "/apps": 8,
  account: 8,
  memory: 72,
  start: 110,
} as const;

/** Reverse proxies and visitors ask for these. */
const ENTRY_PATHS = ["/forward-auth", "/login"] as const;
const ACCOUNT_PATHS: readonly string[] = Object.values(pathsUnder("").account ?? {});
/** Users ask for these, while there are apps. */
const PAGE_PATHS: readonly string[] = ["/apps", ...ACCOUNT_PATHS];

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly limit: number;
}

export interface LimitAmounts {
  readonly rounds: number;
  readonly starts: number;
  /** How long one path is measured in a round, and the bare server before it. */
  readonly seconds: number;
}

const BARE = `require("node:http")
  .createServer((request, response) => response.end("ok"))
  .listen(Number(process.env.PORT), "127.0.0.1");`;

const OWNER = { username: "owner", password: PASSWORD };
/** V8 compiles what runs often, which takes CPU time of its own. A gate runs for weeks. */
const WARM_UP_SECONDS = 3;
/** The pause for background work and garbage collection after a start. */
const REST_MS = 2_000;
const GIVE_UP_AFTER_MS = 20_000;
const MIB = 1_048_576;

/** Measures the installed gate next to a bare `node:http`. */
export async function benchLimits(
  folder: string,
  app: Installed,
  { rounds, starts, seconds }: LimitAmounts,
): Promise<readonly Figure[]> {
  const data = join(folder, "data");
  await mkdir(data, { mode: 0o700 });
  const gate = [process.execPath, ...app.gate];
  const cookie = await signIn(gate, data);
  const withApps = join(folder, "data-with-apps");
  await cp(data, withApps, { recursive: true });
  await addApps(join(withApps, "latchkey.db"));
  const bareCommand = [process.execPath, SMALL_NEW_SPACE, "--eval", BARE];
  const ratios = new Map<string, number[]>();
  // Two processes of one program can differ by a quarter, so each round has new ones.
  for (let round = 0; round < rounds; round += 1) {
    await serve(bareCommand, data, "one core", (bare) =>
      serve(gate, data, "one core", (entry) =>
        serve([...gate, ...OF_OIDC], withApps, "one core", async (pages) => {
          const targets = [
            ...ENTRY_PATHS.map((path) => ({ server: entry, path })),
            ...PAGE_PATHS.map((path) => ({ server: pages, path })),
          ];
          for (const [path, ratio] of await compare(bare, targets, cookie, seconds)) {
            ratios.set(path, [...(ratios.get(path) ?? []), ratio]);
          }
        }),
      ),
    );
  }
  const medianOf = (path: string): number => quantile(ratios.get(path) ?? [], 0.5);
  const started: Started[] = [];
  for (let start = 0; start < starts; start += 1) {
    started.push(await serve(gate, data, "all cores", rest));
  }
  return [
    ...([...ENTRY_PATHS, "/apps"] as const).map((path) => ({
      name: `${path}, times bare`,
      value: medianOf(path),
      limit: LIMITS[path],
    })),
    slowestOf(ACCOUNT_PATHS.map((path) => [path, medianOf(path)])),
    {
      name: "idle memory, MiB",
      value: quantile(
        started.map(({ memory }) => memory / MIB),
        0.5,
      ),
      limit: LIMITS.memory,
    },
    {
      name: "start, ms",
      // Other programs only make a start slower, so the fastest one is the gate's own time.
      value: Math.min(...started.map(({ took }) => took)),
      limit: LIMITS.start,
    },
  ];
}

/** The figure of the slowest page of the account. A page that was not measured counts as slowest. */
export function slowestOf(pages: readonly (readonly [path: string, times: number])[]): Figure {
  const [[path, value] = ["", Number.NaN]] = pages.toSorted(([, one], [, other]) =>
    Number.isNaN(one) ? -1 : other - one,
  );
  return { name: `${path}, times bare`, value, limit: LIMITS.account };
}

export const isBeyond = ({ value, limit }: Figure): boolean => !(value <= limit);

/** The figures with their limits, and a last line that says how many are beyond them. */
export function tableOfLimits(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    figure.value.toFixed(figure.value < 10 ? 2 : 1),
    String(figure.limit),
    isBeyond(figure) ? "too much" : "ok",
  ]);
  const beyond = figures.filter(isBeyond).length;
  const summary =
    beyond === 0 ? "all within their limits" : `${beyond} of ${figures.length} beyond their limits`;
  return `${table([["", "measured", "limit", ""], ...rows])}\n\n${summary}`;
}

interface Running {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process to the end of the first response, in ms. */
  readonly took: number;
}

const APPS = 40;
/** Without a public URL, there is no page of the apps that a user has signed in to. */
const OF_OIDC = ["--public-url", "http://localhost"];
const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>';

/** Adds apps that the owner may open, in sections. Half of them have groups, and half have icons. */
async function addApps(file: string): Promise<void> {
  const store = await openSqlite({ file });
  try {
    for (let number = 0; number < APPS; number += 1) {
      const id = `app-${number}`;
      await store.apps.insert({
        id,
        name: `App ${number}`,
        url: `https://${id}.example.org`,
        section: `Section ${number % 5}`,
        createdAt: new Date(),
        ...(number % 2 === 0 && { groups: [ADMINS] }),
      });
      if (number % 4 < 2) {
        const body = Buffer.from(ICON).toString("base64");
        await store.apps.setIcon(id, { id: `${id}/light`, type: "image/svg+xml", body });
      }
    }
  } finally {
    await store.close();
  }
}

/** Runs a server for as long as the work takes. */
async function serve<T>(
  command: readonly string[],
  data: string,
  cores: "one core" | "all cores",
  work: (server: Running) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const [program = "", ...args] = [...(cores === "one core" ? pinned("server") : []), ...command];
  const { PATH, HOME, TMPDIR } = process.env;
  const settings = { NODE_ENV: "production", PORT: String(port), DATA_DIR: data };
  const begin = performance.now();
  const child: ChildProcess = spawn(program, args, {
    env: { PATH, HOME, TMPDIR, ...settings, AUTH_SECRET: SECRET },
    stdio: "ignore",
  });
  try {
    await once(child, "spawn");
    await firstAnswer(child, port, get("/login"), begin + GIVE_UP_AFTER_MS);
    return await work({ pid: child.pid ?? 0, port, took: performance.now() - begin });
  } finally {
    await endServer(child);
  }
}

/**
 * Creates the account and signs it in from a second device, as users do, and returns the cookie of
 * the second session once both sessions are recorded.
 */
function signIn(gate: readonly string[], data: string): Promise<string> {
  return serve(gate, data, "all cores", async ({ port }) => {
    const headers = { Origin: "http://localhost" };
    const fields = { ...OWNER, confirm: PASSWORD };
    const created = await ask(port, form("/setup", headers, fields));
    if (!created.startsWith("HTTP/1.1 303 ")) throw new Error(`no account: ${created}`);
    const cookie = cookiesIn(await ask(port, form("/login", headers, OWNER)));
    if (!cookie.startsWith("session=")) throw new Error("the owner could not sign in");
    using database = new DatabaseSync(join(data, "latchkey.db"), { readOnly: true });
    const sessions = database.prepare("SELECT * FROM latchkey_sessions");
    await eventually(() => sessions.all().length === 2 || undefined);
    return cookie;
  });
}

/** What is loaded: a path of a running server. */
interface Target {
  readonly server: Running;
  readonly path: string;
}

/**
 * Returns what each path costs as times the cost of the bare server. All servers run side by side,
 * and idle ones cost nothing: what changes the speed of the machine for longer than some seconds
 * changes both sides of a ratio.
 */
async function compare(
  bare: Running,
  targets: readonly Target[],
  cookie: string,
  seconds: number,
): Promise<ReadonlyMap<string, number>> {
  const runOf = ({ server: { port }, path }: Target, duration: number): WrkRun => {
    const session = path === "/login" ? undefined : cookie;
    return { port, path, cookie: session, seconds: duration, load: pinned("load") };
  };
  /** The CPU time of one request in µs, of all threads of the server, user and system. */
  const measure = async (target: Target): Promise<number> => {
    const { pid } = target.server;
    const before = usageOf(pid).cpu;
    const answers = await answersOf(runOf(target, seconds));
    return (usageOf(pid).cpu - before) / answers;
  };
  const root = { server: bare, path: "/" };
  for (const target of [root, ...targets]) await answersOf(runOf(target, WARM_UP_SECONDS));
  const ratios = new Map<string, number>();
  for (const target of targets) {
    const ofBare = await measure(root);
    ratios.set(target.path, (await measure(target)) / ofBare);
  }
  return ratios;
}

interface Started {
  readonly took: number;
  readonly memory: number;
}

async function rest({ pid, took }: Running): Promise<Started> {
  await setTimeout(REST_MS);
  return { took, memory: usageOf(pid).memory };
}
