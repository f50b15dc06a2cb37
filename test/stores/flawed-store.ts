import { testStore } from "../../src/testing/index.ts";
import { flaws, memoryStore } from "./memory-store.ts";

/** Run by a test as a process: the suite against a store with each of the flaws. */
for (const flaw of Object.values(flaws)) {
  testStore(flaw, async () => {
    const store = memoryStore(flaw);
    return { connect: async () => store };
  });
}
