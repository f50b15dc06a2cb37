import type { Contestant } from "./peers-contestants.ts";
import type { Case } from "./peers-measure.ts";
import { addedTo, layerOf, memoryIdle, type Result, ratioOf } from "./peers-results.ts";

export interface Finding {
  readonly found: string;
  readonly met: "met" | "missed";
}

export interface Goal {
  readonly goal: string;
  /** One per Latchkey among the results; `undefined` if it was not measured. */
  readonly findings: readonly (Finding | undefined)[];
}

const TIMES_CHEAPER = 5;
const OF_HELLO = 1.15;
const OF_HTTP_LAYER = 1.3;
const IDLE_MB = 90;

/** The goals, and whether these figures meet them. */
export function goalsOf(results: readonly Result[]): readonly Goal[] {
  const ours = latchkeysIn(results);
  const peers = results.filter(({ contestant }) => contestant.kind === "peer");
  const goal = (text: string, find: (one: Result) => Finding | undefined): Goal => ({
    goal: text,
    findings: ours.map(find),
  });
  const ofLayer = (name: Case, limit: number) => (one: Result) =>
    atMost(limit, bareRatio(one, results, name), (ratio) => ratio.toFixed(2));
  return [
    goal(
      `A guarded request is at least ${TIMES_CHEAPER} times cheaper than the next peer's`,
      (one) => cheaperThan(one, peers),
    ),
    goal(
      `What the guard adds to its HTTP layer is at least ${TIMES_CHEAPER} times less than the next peer's`,
      (one) => addsLessThan(one, peers, results),
    ),
    goal(
      `A guarded request costs at most ${OF_HELLO} times bare hello on the same HTTP layer`,
      ofLayer("warm", OF_HELLO),
    ),
    goal(
      `The sign-in page costs at most ${OF_HTTP_LAYER} times the same bytes served bare`,
      ofLayer("login", OF_HTTP_LAYER),
    ),
    goal(
      `The account page costs at most ${OF_HTTP_LAYER} times the same bytes served bare`,
      ofLayer("own", OF_HTTP_LAYER),
    ),
    goal(`Less than ${IDLE_MB} MB of memory when idle`, (one) => idleBelow(one, IDLE_MB)),
    ...peers.filter(isInstalledLarge).flatMap((peer) => [
      goal(`Less to install than ${peer.contestant.name}`, (one) => ({
        found: `${megabytes(one)} against ${megabytes(peer)}`,
        met: judged(one.bytes < peer.bytes),
      })),
      goal(`Fewer packages than ${peer.contestant.name}`, (one) => ({
        found: `${one.packages} against ${peer.packages}`,
        met: judged(one.packages < peer.packages),
      })),
    ]),
  ];
}

export const latchkeysIn = (results: readonly Result[]): readonly Result[] =>
  results.filter(({ contestant }) => contestant.kind === "latchkey");

/** Without iron-session, which is only a cookie, and without variants of the same installation. */
function isInstalledLarge({ contestant }: Result, at: number, all: readonly Result[]): boolean {
  const same = (one: Contestant): boolean => one.packages.join() === contestant.packages.join();
  const first = all.findIndex((one) => same(one.contestant));
  return contestant.name !== "iron-session" && first === at;
}

const judged = (met: boolean): Finding["met"] => (met ? "met" : "missed");

const megabytes = ({ bytes }: Result): string => `${(bytes / 1e6).toFixed(1)} MB`;

function cheaperThan(one: Result, peers: readonly Result[]): Finding | undefined {
  const next = cheapest(peers, (peer) => ratioOf(peer, one, "warm"));
  if (next === undefined) return undefined;
  return {
    found: `${next.cost.toFixed(1)} times, ${next.name}`,
    met: judged(next.cost >= TIMES_CHEAPER),
  };
}

/** Without the HTTP layer, which costs the same for each library on it. */
function addsLessThan(
  one: Result,
  peers: readonly Result[],
  all: readonly Result[],
): Finding | undefined {
  const added = (result: Result): number | undefined => {
    const layer = layerOf(result, all);
    return layer && addedTo(layer, result, "warm");
  };
  const own = added(one);
  const next = cheapest(peers, added);
  if (own === undefined || next === undefined) return undefined;
  return {
    found: `${own.toFixed(1)} µs against ${next.cost.toFixed(1)} µs, ${next.name}`,
    met: judged(own * TIMES_CHEAPER <= next.cost),
  };
}

function cheapest(
  peers: readonly Result[],
  costOf: (peer: Result) => number | undefined,
): { readonly name: string; readonly cost: number } | undefined {
  const costs = peers.flatMap((peer) => {
    const cost = costOf(peer);
    return cost === undefined ? [] : [{ name: peer.contestant.name, cost }];
  });
  return costs.sort((a, b) => a.cost - b.cost)[0];
}

function bareRatio(one: Result, all: readonly Result[], name: Case): number | undefined {
  const layer = layerOf(one, all);
  return layer && ratioOf(one, layer, name);
}

function atMost(
  limit: number,
  value: number | undefined,
  show: (value: number) => string,
): Finding | undefined {
  return value === undefined ? undefined : { found: show(value), met: judged(value <= limit) };
}

function idleBelow(one: Result, limit: number): Finding | undefined {
  const memory = memoryIdle(one);
  if (memory === undefined) return undefined;
  const found = memory.median / 1e6;
  return { found: `${found.toFixed(0)} MB`, met: judged(found < limit) };
}
