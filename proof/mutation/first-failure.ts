import type { TestEvent } from "node:test/reporters";

/** A test reporter that ends the process at the first failure. */
export default async function* firstFailure(
  events: AsyncIterable<TestEvent>,
): AsyncGenerator<string> {
  for await (const { type } of events) {
    if (type === "test:fail") process.exit(1);
    yield "";
  }
}
