import { alike, NOTHING, type SessionTable } from "./session.ts";

export const domainSessions: SessionTable = {
  "domain add": {
    terminal: {
      args: ["domain", "add", "new.example.org"],
      shown: /^latchkey: .* HTTPS_PORT .*\nnew\.example\.org is noted.*\n$/,
    },
    piped: {
      args: ["domain", "add", "new.example.org"],
      stdout: /^new\.example\.org is noted.*\n$/,
      stderr: /^latchkey: .* HTTPS_PORT .*\n$/,
    },
    failing: {
      args: ["domain", "add", "new.example.org", "--data-dir", "@/none"],
      code: 1,
      says: /there is no data folder/,
    },
  },
  "domain status": {
    ...alike(["domain", "status"], /^old\.example\.org\n( {2}\S.*\n){3}$/),
    failing: {
      args: ["domain", "status", "old.example.org"],
      code: 2,
      says: /such as old\.example\.org\. See/,
    },
  },
  "domain remove": {
    ...alike(["domain", "remove", "old.example.org"], NOTHING),
    failing: { args: ["domain", "remove", "new.example.org"], code: 1, says: /there is no domain/ },
  },
};
