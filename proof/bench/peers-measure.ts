import { quantile } from "./figures.ts";
import { run } from "./load.ts";
import { nameOf, PASSWORD } from "./peers/peer.ts";
import type { Contestant } from "./peers-contestants.ts";
import type { Server } from "./peers-server.ts";
import { get, type SignIn } from "./peers-wire.ts";

const CONNECTIONS = 8;

export type Case = "warm" | "many" | "right" | "wrong" | "login" | "own";

export interface Amounts {
  readonly sessions: number;
  readonly requests: number;
  readonly signIns: number;
}

/** The figures of one case in one round. */
export interface Sample {
  /** µs per request. */
  readonly cpu: number;
  /** Requests per second. */
  readonly rate: number;
  /** In ms. */
  readonly p50: number;
  readonly p99: number;
}

export interface Round {
  readonly samples: ReadonlyMap<Case, Sample>;
  /** Bytes of memory after all sessions were used. */
  readonly memory: number;
}

interface Work {
  readonly name: Case;
  readonly count: number;
  /** Requests before the measurement, to warm up V8. */
  readonly warmUp: number;
  readonly status: number;
  readonly text?: string;
  request(index: number): string;
}

/** One round of one contestant, in a new process. */
export async function measure(
  contestant: Contestant,
  server: Server,
  cookies: readonly string[],
  addresses: Iterator<string>,
  amounts: Amounts,
): Promise<Round> {
  const works = [
    ...guardedWorks(contestant, cookies, amounts),
    ...(await signInWorks(contestant.signIn, server.port, addresses, amounts)),
    ...pageWorks(contestant, cookies, amounts),
  ];
  const samples = new Map<Case, Sample>();
  let memory = Number.NaN;
  for (const work of works) {
    await sampled(server, work, work.warmUp);
    if (work.name === "many") memory = (await server.usage()).memory;
    samples.set(work.name, await sampled(server, work, work.count));
  }
  return { samples, memory };
}

function guardedWorks(
  { kind, guarded }: Contestant,
  cookies: readonly string[],
  { requests, sessions }: Amounts,
): readonly Work[] {
  const warm = pages("warm", guarded, cookies, requests);
  // The same warm-up as the other cases.
  if (kind === "bare") return [{ ...warm, warmUp: 2 * sessions + warm.warmUp }];
  const each = cookies.map((cookie) => get(guarded, cookie));
  const many = { ...warm, name: "many", count: each.length, warmUp: each.length } as const;
  return [{ ...many, request: (index) => each[index] ?? "" }, warm];
}

async function signInWorks(
  signIn: SignIn | undefined,
  port: number,
  addresses: Iterator<string>,
  { signIns }: Amounts,
): Promise<readonly Work[]> {
  if (signIn === undefined) return [];
  const attempt = await signIn.attempts(port);
  const tries = (name: "right" | "wrong", password: string): Work => ({
    name,
    count: signIns,
    warmUp: Math.min(CONNECTIONS, signIns),
    ...signIn[name],
    request: () => attempt(nameOf(0), password, String(addresses.next().value)),
  });
  return [tries("right", PASSWORD), tries("wrong", "wrong horse")];
}

function pageWorks(
  { loginPage, ownPage }: Contestant,
  cookies: readonly string[],
  { requests }: Amounts,
): readonly Work[] {
  return [
    ...(loginPage === undefined ? [] : [pages("login", loginPage, [], requests)]),
    ...(ownPage === undefined ? [] : [pages("own", ownPage, cookies, requests)]),
  ];
}

function pages(name: Case, path: string, cookies: readonly string[], count: number): Work {
  const request = get(path, cookies[0]);
  return { name, count, warmUp: Math.ceil(count / 2), status: 200, request: () => request };
}

async function sampled(server: Server, work: Work, count: number): Promise<Sample> {
  let asked = 0;
  const { cpu: before } = await server.usage();
  const start = performance.now();
  const latencies = await run({
    port: server.port,
    connections: Math.min(CONNECTIONS, count),
    status: work.status,
    text: work.text ?? "",
    next: () => (asked < count ? work.request(asked++) : undefined),
  });
  const took = performance.now() - start;
  const { cpu } = await server.usage();
  return {
    cpu: (cpu - before) / count,
    rate: (count / took) * 1000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}
