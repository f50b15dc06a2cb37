import { type Profiler, Session } from "node:inspector";

/** V8's coverage of the code under test. */
export interface Coverage {
  /** The blocks that have run or not, and the path through each function, since the last call. */
  take(): readonly string[];
}

/** Whether the feature is a block that was reached: an input that reaches a new one is kept. */
export const isBlock = (feature: string): boolean => feature.startsWith("block ");

/**
 * Call once in a process, before the code is loaded: V8 does not count in code already compiled.
 *
 * @param folder A part of the URLs of the code under test.
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

/** Rounded, so that loops of 9 and of 10 rounds count as the same. */
const sizeOf = (count: number): number => Math.ceil(Math.log2(count + 1));
