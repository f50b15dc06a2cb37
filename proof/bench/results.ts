import type { Case } from "./cases.ts";
import { type Contestant, isBelow } from "./contestants.ts";
import { type Spread, spreadOf } from "./figures.ts";
import { isDisturbed, type Sample } from "./measure.ts";

/** The share of a figure's measurements that may be disturbed before it is marked. */
const MAX_DISTURBED = 0.25;

export interface Round {
  readonly samples: ReadonlyMap<Case, Sample>;
  /** Bytes of memory after all sessions were used. */
  readonly memory: number;
}

export interface Result {
  readonly contestant: Contestant;
  readonly rounds: readonly Round[];
  /** In ms and bytes. */
  readonly starts: readonly { readonly took: number; readonly memory: number }[];
  readonly packages: number;
  readonly bytes: number;
}

export interface Report {
  readonly results: readonly Result[];
  /** By contestant name. */
  readonly failures: ReadonlyMap<string, string>;
  readonly cases: readonly Case[];
  readonly amounts: {
    readonly rounds: number;
    readonly sessions: number;
    readonly starts: number;
    readonly forMs: number;
  };
}

const samplesOf = ({ rounds }: Result, name: Case): readonly Sample[] =>
  rounds.map(({ samples }) => samples.get(name)).filter((sample) => sample !== undefined);

/** Over all rounds; `undefined` if the case does not exist or was not measured. */
export const figureOf = (result: Result, name: Case, what: keyof Sample): Spread | undefined =>
  spreadIfAny(samplesOf(result, name).map((sample) => sample[what]));

/** Whether other processes used so much of the machine that the figure is not the server's alone. */
export function isDoubtful(result: Result, name: Case): boolean {
  const samples = samplesOf(result, name);
  return samples.filter(isDisturbed).length > samples.length * MAX_DISTURBED;
}

export const doubtfulIn = ({ results, cases }: Report): readonly string[] =>
  cases.flatMap((name) =>
    results
      .filter((result) => isDoubtful(result, name))
      .map(({ contestant }) => `${contestant.name}, ${name}`),
  );

export const memoryAfter = ({ rounds }: Result): Spread | undefined =>
  spreadIfAny(rounds.map(({ memory }) => memory).filter((memory) => !Number.isNaN(memory)));

export const memoryIdle = ({ starts }: Result): Spread | undefined =>
  spreadIfAny(starts.map(({ memory }) => memory));

export const startTime = ({ starts }: Result): Spread | undefined =>
  spreadIfAny(starts.map(({ took }) => took));

/**
 * How many times the CPU of the bare HTTP layer below it. Computed per round, so that a slow moment
 * of the machine affects both sides.
 */
export function timesBare(result: Result, all: readonly Result[], name: Case): Spread | undefined {
  const layer = all.find(({ contestant }) => isBelow(contestant, result.contestant));
  if (layer === undefined || layer === result) return undefined;
  const ratios = result.rounds.map(({ samples }, round) => {
    const below = layer.rounds[round]?.samples.get(name);
    return (samples.get(name)?.cpu ?? Number.NaN) / (below?.cpu ?? Number.NaN);
  });
  return spreadIfAny(ratios.filter((one) => !Number.isNaN(one)));
}

const spreadIfAny = (values: readonly number[]): Spread | undefined =>
  values.length === 0 ? undefined : spreadOf(values);
