import { type Either, parts, stores } from "./either.ts";
import type { Open } from "./suite/database.ts";
import { testStore } from "./suite/store-suite.ts";

for (const [name, fresh] of Object.entries(stores)) {
  const open: Open<Either> = async (t) => ({ connect: await fresh(t) });
  testStore(name, open, name === "PostgreSQL" ? [...parts, "attempts"] : parts);
}
