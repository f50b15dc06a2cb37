import type { TestEvent } from "node:test/reporters";

/** What a run of tests has come to. */
export interface Counts {
  readonly tests: number;
  readonly skipped: number;
  readonly failed: number;
  /** Programs that tests need and this machine lacks. */
  readonly missing: readonly string[];
}

/** The title of the test that `whereInstalled` registers. */
const MISSING = /^(.+) is not installed: its tests were skipped$/;

/** A reporter that writes only the counts, as JSON. */
export default async function* counts(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const missing: string[] = [];
  for await (const { type, data } of events) {
    if (type === "test:pass") missing.push(...(MISSING.exec(data.name)?.slice(1) ?? []));
    if (type !== "test:summary" || data.file !== undefined) continue;
    const { tests, passed, skipped, todo } = data.counts;
    yield JSON.stringify({
      tests,
      skipped,
      failed: tests - passed - skipped - todo,
      missing,
    } satisfies Counts);
  }
}
