import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { addresses, ask, run } from "./load.ts";
import { RECORDED, type RecordedPage } from "./peers/bare.ts";
import { nameOf, PASSWORD } from "./peers/peer.ts";
import { check } from "./peers-check.ts";
import { type Contestant, contestants } from "./peers-contestants.ts";
import { createInstaller, type Installed, type Installer } from "./peers-install.ts";
import { type Amounts, measure, type Round } from "./peers-measure.ts";
import { keep, textOf } from "./peers-report.ts";
import type { Result } from "./peers-results.ts";
import { launch, type Place, plant } from "./peers-server.ts";
import { get } from "./peers-wire.ts";

/** The pause for background work and garbage collection after a start. */
const REST_MS = 500;
/** Enough entries to fill the list of the newest ones on the page. */
const LOG_ENTRIES = 24;

export interface PeersSize extends Amounts {
  readonly rounds: number;
  readonly starts: number;
  readonly minutes: number;
  /** Whether the figures replace those on the page. */
  readonly figures: "keep" | "show";
}

/** A contestant that is installed and has data. */
interface Entrant {
  readonly contestant: Contestant;
  readonly installed: Installed;
  readonly busy: Place;
  /** With only a few users. */
  readonly idle: Place;
  readonly cookies: readonly string[];
  readonly idleCookie: string;
  readonly addresses: Iterator<string>;
  readonly rounds: Round[];
  readonly starts: { readonly took: number; readonly memory: number }[];
}

type Show = (text: string) => void;

/**
 * Measures Latchkey and other libraries in one run. A failure of another library is reported; a
 * failure of Latchkey fails the run, and the figures on the page stay.
 */
export async function benchPeers(
  folder: string,
  size: PeersSize,
  show: Show,
  among: readonly Contestant[] = contestants,
): Promise<string> {
  show(`Takes about ${size.minutes} min: ${size.rounds} rounds over all contestants.`);
  const failures = new Map<string, string>();
  const attempt = async <T>(name: string, work: () => Promise<T>): Promise<T | undefined> => {
    if (failures.has(name)) return undefined;
    try {
      return await work();
    } catch (error) {
      failures.set(name, error instanceof Error ? error.message : String(error));
      show(`${name} failed: ${failures.get(name)}`);
      return undefined;
    }
  };

  const installer = await createInstaller(folder);
  const entrants: Entrant[] = [];
  for (const [index, contestant] of among.entries()) {
    const own = join(folder, `data-${index}`);
    const entrant = await attempt(contestant.name, () => enter(contestant, installer, own, size));
    if (entrant === undefined) continue;
    entrants.push(entrant);
    show(`${contestant.name}: installed, ${entrant.cookies.length} sessions created`);
  }
  for (const entrant of entrants) {
    await attempt(entrant.contestant.name, () => recordPages(entrant, entrants));
  }
  for (let round = 1; round <= size.rounds; round += 1) {
    const start = performance.now();
    for (const entrant of entrants) {
      await attempt(entrant.contestant.name, () => playRound(entrant, size));
    }
    show(`round ${round} of ${size.rounds}: ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  for (let start = 1; start <= size.starts; start += 1) {
    for (const entrant of entrants) {
      await attempt(entrant.contestant.name, () => playStart(entrant));
    }
  }
  const ours = among.find(({ kind, name }) => kind === "latchkey" && failures.has(name));
  if (ours !== undefined) throw new Error(`${ours.name} failed: ${failures.get(ours.name)}`);
  const report = { results: entrants.map(resultOf), failures, run: size };
  if (size.figures === "keep") await keep(report);
  return textOf(report);
}

async function enter(
  contestant: Contestant,
  installer: Installer,
  folder: string,
  { sessions }: Amounts,
): Promise<Entrant> {
  const { origin, packages } = contestant;
  const installed = await installer.install(origin, packages);
  const busy = { app: installed.folder, data: join(folder, "busy") };
  const idle = { app: installed.folder, data: join(folder, "idle") };
  await mkdir(busy.data, { recursive: true, mode: 0o700 });
  await mkdir(idle.data, { recursive: true, mode: 0o700 });
  const cookies = await plant(contestant, busy, sessions);
  const [idleCookie = ""] = await plant(contestant, idle, 1);
  return {
    contestant,
    installed,
    busy,
    idle,
    cookies,
    idleCookie,
    addresses: addresses(),
    rounds: [],
    starts: [],
  };
}

/** Records Latchkey's pages for the bare HTTP layers, after filling the log that they show. */
async function recordPages({ contestant, busy }: Entrant, all: readonly Entrant[]): Promise<void> {
  if (contestant.recorded === undefined) return;
  const from = all.find((one) => one.contestant.name === contestant.recorded);
  if (from === undefined) throw new Error(`${contestant.recorded} is not available to record`);
  const { loginPage = "", ownPage = "", guarded, signIn } = from.contestant;
  const [cookie] = from.cookies;
  const server = await launch(from.contestant, from.busy, get(guarded, cookie));
  try {
    const request = await signIn?.attempts(server.port);
    let left = LOG_ENTRIES;
    await run({
      port: server.port,
      connections: 2,
      status: signIn?.right.status ?? 0,
      next: () =>
        left-- > 0
          ? request?.(nameOf(0), PASSWORD, String(from.addresses.next().value))
          : undefined,
    });
    await setTimeout(REST_MS);
    const pages = [
      recorded("/login", await ask(server.port, get(loginPage))),
      recorded("/own", await ask(server.port, get(ownPage, cookie))),
    ];
    await writeFile(join(busy.data, RECORDED), JSON.stringify(pages));
  } finally {
    await server.stop();
  }
}

function recorded(path: string, answer: string): RecordedPage {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const headers = head
    .split("\r\n")
    .slice(1)
    .map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
  const body = Buffer.from(rest.join("\r\n\r\n"), "latin1").toString();
  return { path, headers: headers.filter(([name]) => !ofTheConnection.test(name)), body };
}

const ofTheConnection = /^(date|connection|keep-alive)$/i;

async function playRound(entrant: Entrant, amounts: Amounts): Promise<void> {
  const { contestant, busy, cookies } = entrant;
  const server = await launch(contestant, busy, get(contestant.guarded, cookies[0]));
  try {
    await check(contestant, server.port, cookies, entrant.addresses);
    entrant.rounds.push(await measure(contestant, server, cookies, entrant.addresses, amounts));
  } finally {
    await server.stop();
  }
}

async function playStart({ contestant, idle, idleCookie, starts }: Entrant): Promise<void> {
  const server = await launch(contestant, idle, get(contestant.guarded, idleCookie));
  try {
    await setTimeout(REST_MS);
    const { memory } = await server.usage();
    starts.push({ took: server.startTook, memory });
  } finally {
    await server.stop();
  }
}

function resultOf({ contestant, installed, rounds, starts }: Entrant): Result {
  return { contestant, rounds, starts, packages: installed.packages, bytes: installed.bytes };
}
