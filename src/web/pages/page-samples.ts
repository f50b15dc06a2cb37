import type { User, UserId } from "../../core/store.ts";
import type { PageData, PageHelpers, PageName } from "./page-data.ts";

/** A page in one of its states. */
export type Sample = {
  readonly [Name in PageName]: {
    readonly name: Name;
    readonly helpers: PageHelpers;
    readonly data: PageData[Name];
  };
}[PageName];

const user: User = { id: "1" as UserId, username: "somebody" };
const signedOut: PageHelpers = { NeedsSetup: false, HasError: false, CurrentUser: undefined };
const unconfigured: PageHelpers = { ...signedOut, NeedsSetup: true };
const signedIn: PageHelpers = { ...signedOut, CurrentUser: user };

const emptySetup: PageData["setup"] = {
  tokenExpected: false,
  token: "",
  username: "",
  domain: "",
  offersDomain: false,
  returnTo: undefined,
  problem: undefined,
};

const emptyHome: PageData["home"] = {
  activity: { kind: "none" },
  notice: undefined,
  problem: undefined,
};

const at = "2000-01-01T00:00:00.000Z";

/** Templates are rendered with these at the start, so that a broken one is reported then. */
export const samples: readonly Sample[] = [
  { name: "login", helpers: signedOut, data: { returnTo: undefined } },
  { name: "login", helpers: { ...signedOut, HasError: true }, data: { returnTo: "/" } },
  { name: "login", helpers: unconfigured, data: { returnTo: undefined } },
  { name: "login", helpers: signedIn, data: { returnTo: undefined } },
  { name: "setup", helpers: unconfigured, data: emptySetup },
  {
    name: "setup",
    helpers: unconfigured,
    data: {
      ...emptySetup,
      tokenExpected: true,
      offersDomain: true,
      returnTo: "/",
      problem: { message: "invalid", fields: ["token"] },
    },
  },
  { name: "home", helpers: signedIn, data: emptyHome },
  {
    name: "home",
    helpers: signedIn,
    data: {
      activity: { kind: "entries", entries: [{ text: "signed in", at, utc: at }] },
      notice: "password-changed",
      problem: undefined,
    },
  },
  {
    name: "home",
    helpers: signedIn,
    data: {
      ...emptyHome,
      activity: { kind: "unreadable" },
      problem: { message: "invalid", fields: ["current_password"] },
    },
  },
  { name: "error", helpers: signedOut, data: { status: 500, message: "failed" } },
  { name: "error", helpers: signedOut, data: { status: 503, message: "busy", requestId: "1" } },
  { name: "error", helpers: unconfigured, data: { status: 404, message: "not there" } },
  { name: "error", helpers: signedIn, data: { status: 403, message: "refused" } },
];
