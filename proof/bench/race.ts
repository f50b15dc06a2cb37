import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Case, type CaseWork, casesOf } from "./cases.ts";
import { check } from "./check.ts";
import type { Contestant } from "./contestants.ts";
import { checkWork, type Entrant, enter, recordPages } from "./entrants.ts";
import type { Installer } from "./install.ts";
import { ask } from "./load.ts";
import { type Generators, type Sample, startGenerators, type Work } from "./measure.ts";
import type { Report, Result, Round } from "./results.ts";
import { launch, type Server } from "./servers.ts";
import { get } from "./wire.ts";

/** The pause for background work and garbage collection after a start. */
const REST_MS = 500;
/** How many times as long as planned a warm-up may take. */
const MAX_WAIT = 3;

export interface Amounts {
  readonly rounds: number;
  readonly starts: number;
  readonly sessions: number;
  /** How long one case is measured in one round. */
  readonly forMs: number;
  /** How long the first case runs before: V8 compiles an HTTP server for about a second. */
  readonly warmUpMs: number;
}

export interface Race {
  readonly among: readonly Contestant[];
  readonly cases: readonly Case[];
  readonly amounts: Amounts;
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
      enter(contestant, installer, own, amounts.sessions),
    );
    if (entrant !== undefined) entrants.push(entrant);
  }
  if (cases.includes("own")) await recordPages(entrants);
  const generators = await startGenerators();
  try {
    for (let round = 1; round <= amounts.rounds; round += 1) {
      for (const entrant of entrants) {
        await attempt(entrant.contestant.name, () => play(entrant, cases, amounts, generators));
      }
      checkWork(entrants);
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

async function play(
  entrant: Entrant,
  cases: readonly Case[],
  amounts: Amounts,
  generators: Generators,
): Promise<void> {
  const { contestant, busy, cookies, addresses, rounds } = entrant;
  const request = get(contestant.guarded, cookies[0]);
  const server = await launch(contestant, busy, request, "own");
  try {
    await check(contestant, server.port, cookies, addresses);
    entrant.exchange ??= { request, response: await ask(server.port, request) };
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
    await warm(server, warmUp(), at === 0 ? warmUpMs : warmUpMs / 3, sample);
    samples.set(name, await quietSample(server, work, forMs));
    if (name === "many") memory = (await server.usage()).memory;
  }
  return { samples, memory };
}

/** By the server's own CPU time, because other programs may use its core. */
async function warm(
  server: Server,
  work: Work,
  forMs: number,
  sample: Generators["sample"],
): Promise<void> {
  const end = performance.now() + MAX_WAIT * forMs;
  for (let had = 0; had < forMs && performance.now() < end; ) {
    const begin = performance.now();
    const { busy } = await sample(server, work, forMs / 2);
    had += busy * (performance.now() - begin);
    if (work.repeat === "once") return;
  }
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
