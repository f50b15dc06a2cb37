import {
  type Open,
  testAccounts,
  testLogReader,
  testSessions,
  testStore,
} from "../../src/testing/index.ts";
import { type Either, stores } from "./either.ts";

for (const [name, fresh] of Object.entries(stores)) {
  const open: Open<Either> = async (t) => ({ connect: await fresh(t) });
  testStore(name, open);
  testLogReader(name, open);
  testSessions(name, open);
  testAccounts(name, open);
}
