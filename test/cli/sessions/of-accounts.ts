import { ENTER } from "../user/terminal.ts";
import {
  alike,
  askingForPassword,
  ID,
  NO_DATABASE,
  NOTHING,
  type SessionTable,
} from "./session.ts";

export const accountSessions: SessionTable = {
  "user list": {
    ...alike(["user", "list"], new RegExp(`^(${ID}  (owner|guest)\n){2}$`)),
    failing: { args: ["user", "list", "--data-dir", "@/none"], code: 1, says: NO_DATABASE },
  },
  "user add": {
    ...askingForPassword(["user", "add", "visitor"], `${ID}\n`),
    failing: { args: ["user", "add", "guest"], code: 1, says: /is an account guest already$/ },
  },
  "user password": {
    ...askingForPassword(["user", "password", "owner"], ""),
    failing: { args: ["user", "password", "nobody"], code: 1, says: /no account nobody$/ },
  },
  "user rename": {
    ...alike(["user", "rename", "guest", "visitor"], NOTHING),
    failing: {
      args: ["user", "rename", "guest", "owner"],
      code: 1,
      says: /account owner already$/,
    },
  },
  "user remove": {
    terminal: {
      args: ["user", "remove", "guest"],
      answers: [["Remove the account guest? [y/N] ", `y${ENTER}`]],
      shown: /^Remove the account guest\? \[y\/N\] y\n$/,
    },
    piped: { args: ["user", "remove", "guest", "--yes"], stdout: NOTHING },
    failing: { args: ["user", "remove", "nobody"], code: 1, says: /no account nobody$/ },
  },
  "user sign-out": {
    ...alike(["user", "sign-out", "--all"], /^2 accounts\n$/),
    failing: { args: ["user", "sign-out", "nobody"], code: 1, says: /no account nobody$/ },
  },
};
