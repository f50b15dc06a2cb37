import { alike, type TranscriptTable } from "./transcript.ts";

export const domainTranscripts: TranscriptTable = {
  "domain add": {
    terminal: {
      args: ["domain", "add", "new.example.org"],
      shown: /^latchkey: .* HTTPS_PORT .*\nAdded domain new\.example\.org\..*\n$/,
    },
    piped: {
      args: ["domain", "add", "new.example.org"],
      stdout: /^Added domain new\.example\.org\..*\n$/,
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
      says: /but got old\.example\.org\. See/,
    },
  },
  "domain remove": {
    ...alike(
      ["domain", "remove", "old.example.org"],
      /^Removed domain old\.example\.org and its certificate\.\n$/,
    ),
    failing: { args: ["domain", "remove", "new.example.org"], code: 1, says: /there is no domain/ },
  },
};
