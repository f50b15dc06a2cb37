import { testStore } from "../../src/testing/index.ts";
import { flaws, memoryStore } from "./memory-store.ts";

/** Run by a test as a process: the suite against a store with a flaw. */
const flaw = Object.values(flaws).find((one) => one === process.argv[2]);

testStore("flawed", async () => {
  const store = memoryStore(flaw);
  return { connect: async () => store };
});
