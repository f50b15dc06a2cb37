import { type Open, testStore } from "../../src/testing/index.ts";
import { type Either, parts, stores } from "./either.ts";

for (const [name, fresh] of Object.entries(stores)) {
  const open: Open<Either> = async (t) => ({ connect: await fresh(t) });
  testStore(name, open, name === "PostgreSQL" ? [...parts, "attempts"] : parts);
}
