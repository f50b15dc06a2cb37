import { type Profiler, Session } from "node:inspector";

/** What V8 saw of the code under test. */
export interface Coverage {
  /** The blocks that have run or not, and the way through each function, since the last call. */
  take(): readonly string[];
}

/** A feature of this kind says that a block was reached, so what brings one is worth keeping. */
export const isBlock = (feature: string): boolean => feature.startsWith("block ");

/**
 * Once in a process, before the code is loaded: V8 counts nothing in code that it has compiled.
 *
 * @param folder The part of a URL that the code under test has.
 */
export function startCoverage(folder: string): Coverage {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return {
    take() {
      let taken: readonly Profiler.ScriptCoverage[] = [];
      // Answers before it returns, since the session is in the same thread.
      session.post("Profiler.takePreciseCoverage", (_, { result }) => {
        taken = result;
      });
      return taken.filter(({ url }) => url.includes(folder)).flatMap(featuresOf);
    },
  };
}

function featuresOf({ url, functions }: Profiler.ScriptCoverage): readonly string[] {
  return functions.flatMap(({ ranges }) => {
    const counts = ranges.map((one) => `${one.startOffset}-${one.endOffset}:${sizeOf(one.count)}`);
    const blocks = ranges.map(
      ({ startOffset, count }) => `block ${url} ${startOffset} ${count > 0}`,
    );
    return [`${url} ${counts.join()}`, ...blocks];
  });
}

/** So that a loop of 9 and one of 10 rounds are the same. */
const sizeOf = (count: number): number => Math.ceil(Math.log2(count + 1));
