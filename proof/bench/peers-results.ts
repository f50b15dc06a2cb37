import { type Spread, spreadOf } from "./figures.ts";
import type { Contestant } from "./peers-contestants.ts";
import type { Case, Round, Sample } from "./peers-measure.ts";

export interface Result {
  readonly contestant: Contestant;
  readonly rounds: readonly Round[];
  /** In ms and bytes. */
  readonly starts: readonly { readonly took: number; readonly memory: number }[];
  readonly packages: number;
  readonly bytes: number;
}

/** Over all rounds; `undefined` if the case does not exist or was not measured. */
export function figureOf(result: Result, name: Case, what: keyof Sample): Spread | undefined {
  return spreadIfAny(
    result.rounds
      .map(({ samples }) => samples.get(name)?.[what])
      .filter((one) => one !== undefined),
  );
}

export const memoryAfter = ({ rounds }: Result): Spread | undefined =>
  spreadIfAny(rounds.map(({ memory }) => memory).filter((memory) => !Number.isNaN(memory)));

export const memoryIdle = ({ starts }: Result): Spread | undefined =>
  spreadIfAny(starts.map(({ memory }) => memory));

export const startTime = ({ starts }: Result): Spread | undefined =>
  spreadIfAny(starts.map(({ took }) => took));

export const ratioOf = (above: Result, below: Result, name: Case): number | undefined =>
  compared(above, below, name, (one, other) => one / other);

/** The added cost of a request, in µs. */
export const addedTo = (below: Result, above: Result, name: Case): number | undefined =>
  compared(above, below, name, (one, other) => one - other);

/** Computed per round, so that a slow moment of the machine affects both sides. */
function compared(
  above: Result,
  below: Result,
  name: Case,
  compare: (one: number, other: number) => number,
): number | undefined {
  const found = above.rounds.map(({ samples }, round) => {
    const other = below.rounds[round]?.samples.get(name);
    return compare(samples.get(name)?.cpu ?? Number.NaN, other?.cpu ?? Number.NaN);
  });
  return spreadIfAny(found.filter((one) => !Number.isNaN(one)))?.median;
}

/** The bare HTTP layer below a contestant. */
export function layerOf(result: Result, all: readonly Result[]): Result | undefined {
  return all.find(({ contestant: { kind, on } }) => kind === "bare" && on === result.contestant.on);
}

const spreadIfAny = (values: readonly number[]): Spread | undefined =>
  values.length === 0 ? undefined : spreadOf(values);
