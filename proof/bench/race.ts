import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Case, type CaseWork, casesOf } from "./cases.ts";
import { check, checkSameWork, type Exchange } from "./check.ts";
import { type Contestant, isBelow, isLatchkeyApp } from "./contestants.ts";
import type { Installed, Installer } from "./install.ts";
import { addresses, ask, run } from "./load.ts";
import { type Generators, type Sample, startGenerators } from "./measure.ts";
import { RECORDED, type RecordedPage } from "./peers/bare.ts";
import { nameOf, PASSWORD } from "./peers/peer.ts";
import type { Report, Result, Round } from "./results.ts";
import { launch, type Place, plant, type Server } from "./servers.ts";
import { get } from "./wire.ts";

/** The pause for background work and garbage collection after a start. */
const REST_MS = 500;
/** Enough entries to fill the list of the newest ones on the page. */
const LOG_ENTRIES = 24;

export interface Amounts {
  readonly rounds: number;
  readonly starts: number;
  readonly sessions: number;
  /** How long one case is measured in one round. */
  readonly forMs: number;
  /** How long the first case runs before: V8 compiles an HTTP server for one to two seconds. */
  readonly warmUpMs: number;
}

export interface Race {
  readonly among: readonly Contestant[];
  readonly cases: readonly Case[];
  readonly amounts: Amounts;
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
 * Measures all contestants in turn, round by round, each in a new process. A failure of another
 * library, or of nginx, is reported; a failure of Latchkey fails the run.
 */
export async function race(
  folder: string,
  { among, cases, amounts }: Race,
  installer: Installer,
  show: Show,
): Promise<Report> {
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
  const entrants: Entrant[] = [];
  for (const [index, contestant] of among.entries()) {
    const own = join(folder, `data-${index}`);
    const entrant = await attempt(contestant.name, () =>
      enter(contestant, installer, own, amounts),
    );
    if (entrant !== undefined) entrants.push(entrant);
  }
  if (cases.includes("own")) {
    for (const entrant of entrants) {
      await attempt(entrant.contestant.name, () => recordPages(entrant, entrants));
    }
  }
  await checkWork(entrants);
  const generators = await startGenerators();
  try {
    for (let round = 1; round <= amounts.rounds; round += 1) {
      for (const entrant of entrants) {
        await attempt(entrant.contestant.name, () => play(entrant, cases, amounts, generators));
      }
      show(`round ${round} of ${amounts.rounds}`);
    }
  } finally {
    await generators.stop();
  }
  for (let start = 1; start <= amounts.starts; start += 1) {
    for (const entrant of entrants.filter(({ contestant }) => contestant.on !== "nginx")) {
      await attempt(entrant.contestant.name, () => playStart(entrant));
    }
  }
  const isOurs = ({ kind, on }: Contestant): boolean => kind === "latchkey" && on !== "nginx";
  const ours = among.find((one) => isOurs(one) && failures.has(one.name));
  if (ours !== undefined) throw new Error(`${ours.name} failed: ${failures.get(ours.name)}`);
  return { results: entrants.map(resultOf), failures, cases, amounts };
}

async function enter(
  contestant: Contestant,
  installer: Installer,
  folder: string,
  { sessions }: Amounts,
): Promise<Entrant> {
  const { origin, packages } = contestant;
  const installed = await installer.install(origin, packages);
  const busy = { app: installed, data: join(folder, "busy") };
  const idle = { app: installed, data: join(folder, "idle") };
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

/** The gate and nginx answer with other headers than a page, so only apps are compared. */
async function checkWork(entrants: readonly Entrant[]): Promise<void> {
  for (const entrant of entrants.filter(({ contestant }) => isLatchkeyApp(contestant))) {
    const layer = entrants.find(({ contestant }) => isBelow(contestant, entrant.contestant));
    if (layer !== undefined) checkSameWork(await exchange(entrant), await exchange(layer));
  }
}

async function exchange({ contestant, idle, idleCookie }: Entrant): Promise<Exchange> {
  const request = get(contestant.guarded, idleCookie);
  const server = await launch(contestant, idle, request, "all");
  try {
    return { request, response: await ask(server.port, request) };
  } finally {
    await server.stop();
  }
}

/** Records Latchkey's pages for the bare HTTP layers, after filling the log that they show. */
async function recordPages({ contestant, busy }: Entrant, all: readonly Entrant[]): Promise<void> {
  if (contestant.kind !== "bare" || contestant.ownPage === undefined) return;
  const from = all.find(
    (one) => isLatchkeyApp(one.contestant) && isBelow(contestant, one.contestant),
  );
  if (from === undefined) throw new Error("no app with Latchkey to record the pages of");
  const { loginPage = "", ownPage = "", guarded, signIn } = from.contestant;
  const [cookie] = from.cookies;
  const server = await launch(from.contestant, from.busy, get(guarded, cookie), "all");
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

async function play(
  { contestant, busy, cookies, addresses, rounds }: Entrant,
  cases: readonly Case[],
  amounts: Amounts,
  generators: Generators,
): Promise<void> {
  const server = await launch(contestant, busy, get(contestant.guarded, cookies[0]), "own");
  try {
    await check(contestant, server.port, cookies, addresses);
    const works = await casesOf(contestant, server.port, cookies, addresses);
    const wanted = works.filter(({ name }) => cases.includes(name));
    rounds.push(await measure(server, wanted, amounts, generators));
  } finally {
    await server.stop();
  }
}

async function measure(
  server: Server,
  works: readonly CaseWork[],
  { forMs, warmUpMs }: Amounts,
  { sample, quietSample }: Generators,
): Promise<Round> {
  const samples = new Map<Case, Sample>();
  let memory = Number.NaN;
  for (const [at, { name, work, warmUp }] of works.entries()) {
    await sample(server, warmUp(), at === 0 ? warmUpMs : warmUpMs / 3);
    samples.set(name, await quietSample(server, work, forMs));
    if (name === "many") memory = (await server.usage()).memory;
  }
  return { samples, memory };
}

async function playStart({ contestant, idle, idleCookie, starts }: Entrant): Promise<void> {
  const server = await launch(contestant, idle, get(contestant.guarded, idleCookie), "all");
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
