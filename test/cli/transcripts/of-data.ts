import { alike, shownWithBar, type TranscriptTable } from "./transcript.ts";

export const dataTranscripts: TranscriptTable = {
  copy: {
    ...shownWithBar(
      ["copy", "--from", "sqlite:@/data/latchkey.db", "--to", "sqlite:@/copy.db"],
      "Copied 2 users and 1 log entry from \\S+ to \\S+; both are the same",
    ),
    failing: {
      args: ["copy", "--from", "sqlite:@/none.db", "--to", "sqlite:@/copy.db"],
      code: 1,
      says: /the file does not exist$/,
    },
  },
  import: {
    ...shownWithBar(["import", "@/new.csv"], "Imported 1 user and 0 log entries"),
    failing: {
      args: ["import", "@/none.csv"],
      code: 1,
      says: /cannot read \S+none\.csv: no such file or folder$/,
    },
  },
  export: {
    ...alike(["export"], /^(\{"id":".*"\}\n){2}$/),
    failing: { args: ["export", "--to", "@/new.csv"], code: 1, says: /--force overwrites it$/ },
  },
  backup: {
    ...shownWithBar(["backup", "@/copy.db"], "Backed up 2 users and 1 log entry to \\S+"),
    failing: { args: ["backup", "@/backup.db"], code: 1, says: /--force overwrites it$/ },
  },
  restore: {
    ...shownWithBar(
      ["restore", "@/backup.db", "--data-dir", "@/none"],
      "Restored 1 user and 1 log entry to \\S+",
    ),
    failing: { args: ["restore", "@/backup.db"], code: 1, says: /--force replaces it$/ },
  },
};
