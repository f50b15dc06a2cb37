import type { Store } from "../../core/store.ts";
import { codesOn, devicesOn } from "./codes.ts";
import { keysOn } from "./keys.ts";
import { linksOn } from "./links.ts";
import { logOn } from "./log.ts";
import { passkeysOn } from "./passkeys.ts";
import { sessionsOn } from "./sessions.ts";
import type { Database } from "./sql.ts";
import { peopleOn, usersOn } from "./users.ts";

/** The parts of a store that are the same in both databases. */
export const partsOn = (database: Database): Required<Omit<Store, "attempts" | "changes">> => ({
  users: usersOn(database),
  log: logOn(database),
  sessions: sessionsOn(database),
  passkeys: passkeysOn(database),
  codes: codesOn(database),
  devices: devicesOn(database),
  people: peopleOn(database),
  links: linksOn(database),
  keys: keysOn(database),
});
