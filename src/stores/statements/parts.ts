import type { Store } from "../../core/store.ts";
import { codesOn, devicesOn } from "./codes.ts";
import { keysOn } from "./keys.ts";
import { linksOn } from "./links.ts";
import { logOn } from "./log.ts";
import { passkeysOn } from "./passkeys.ts";
import { sessionsOn } from "./sessions.ts";
import type { StatementPorts } from "./sql.ts";
import { peopleOn, usersOn } from "./users.ts";

/** The parts of a store that are the same in both databases. */
export const partsOn = (ports: StatementPorts): Required<Omit<Store, "attempts" | "changes">> => ({
  users: usersOn(ports),
  log: logOn(ports),
  sessions: sessionsOn(ports),
  passkeys: passkeysOn(ports),
  codes: codesOn(ports),
  devices: devicesOn(ports),
  people: peopleOn(ports),
  links: linksOn(ports),
  keys: keysOn(ports),
});
