import type { TestEvent } from "node:test/reporters";

/** One test that fails is enough. */
export default async function* firstFailure(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  for await (const { type } of events) {
    if (type === "test:fail") process.exit(1);
    yield "";
  }
}
