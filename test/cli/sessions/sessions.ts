import { accountSessions } from "./of-accounts.ts";
import { dataSessions } from "./of-data.ts";
import { domainSessions } from "./of-domains.ts";
import { gateSessions } from "./of-gate.ts";
import type { SessionTable } from "./session.ts";

export const sessions: SessionTable = {
  ...gateSessions,
  ...accountSessions,
  ...dataSessions,
  ...domainSessions,
};
