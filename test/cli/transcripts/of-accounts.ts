import { ENTER } from "../user/terminal.ts";
import {
  alike,
  askingForPassword,
  ID,
  listed,
  NO_DATABASE,
  type TranscriptTable,
} from "./transcript.ts";

export const accountTranscripts: TranscriptTable = {
  "user list": {
    ...listed(["user", "list"], "ID +NAME", `(${ID}  (owner|guest)\n){2}`),
    failing: { args: ["user", "list", "--data-dir", "@/none"], code: 1, says: NO_DATABASE },
  },
  "user add": {
    ...askingForPassword(["user", "add", "visitor"], 'Created user "visitor".\n'),
    failing: { args: ["user", "add", "guest"], code: 1, says: /there is already a user "guest"$/ },
  },
  "user password": {
    ...askingForPassword(["user", "password", "owner"], 'Set a new password for user "owner".\n'),
    failing: { args: ["user", "password", "nobody"], code: 1, says: /there is no user "nobody"$/ },
  },
  "user rename": {
    ...alike(["user", "rename", "guest", "visitor"], /^Renamed user "guest" to "visitor"\.\n$/),
    failing: {
      args: ["user", "rename", "guest", "owner"],
      code: 1,
      says: /there is already a user "owner"$/,
    },
  },
  "user remove": {
    terminal: {
      args: ["user", "remove", "guest"],
      answers: [['Remove user "guest"? [y/N] ', `y${ENTER}`]],
      shown: /^Remove user "guest"\? \[y\/N\] y\nRemoved user "guest"\.\n$/,
    },
    piped: { args: ["user", "remove", "guest", "--yes"], stdout: /^Removed user "guest"\.\n$/ },
    failing: { args: ["user", "remove", "nobody"], code: 1, says: /there is no user "nobody"$/ },
  },
  "user sign-out": {
    ...alike(["user", "sign-out", "--all"], /^Ended all sessions of 2 users\.\n$/),
    failing: { args: ["user", "sign-out", "nobody"], code: 1, says: /there is no user "nobody"$/ },
  },
  "user codes off": {
    ...alike(
      ["user", "codes", "off", "guest"],
      /^Turned off the one-time codes of user "guest"\.\n$/,
    ),
    failing: {
      args: ["user", "codes", "off", "nobody"],
      code: 1,
      says: /there is no user "nobody"$/,
    },
  },
  "session list": {
    ...listed(
      ["session", "list", "guest"],
      "ID +LAST USE +ADDRESS +USER  DEVICE",
      "session-of-guest +1970-01-01T00:00:00\\.000Z  192\\.0\\.2\\.1 +guest  curl\n",
    ),
    failing: { args: ["session", "list", "nobody"], code: 1, says: /there is no user "nobody"$/ },
  },
  "session end": {
    ...alike(["session", "end", "session-of-guest"], /^Ended a session of user "guest"\.\n$/),
    failing: { args: ["session", "end", "none"], code: 1, says: /there is no session "none"$/ },
  },
};
