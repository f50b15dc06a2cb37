import type { UserId } from "../../core/records.ts";
import type { PageData, PageHelpers, PageName } from "./page-data.ts";

type Samples = {
  readonly [Name in PageName]: readonly (readonly [helpers: PageHelpers, data: PageData[Name]])[];
};

const signedOut: PageHelpers = { NeedsSetup: false, HasError: false, CurrentUser: undefined };
const failed: PageHelpers = { ...signedOut, HasError: true };
const unconfigured: PageHelpers = { ...signedOut, NeedsSetup: true };
const signedIn: PageHelpers = {
  ...signedOut,
  CurrentUser: { id: "1" as UserId, username: "sample" },
};

const login: PageData["login"] = {
  asksCode: false,
  remembersDevices: false,
  offersPasskeys: false,
};
const returning = { returnTo: "/", returnHost: "app.example.org" };
const entered = { token: "", username: "", domain: "" };
const setup: PageData["setup"] = { ...entered, tokenExpected: false, offersDomain: false };
const asking = { ...entered, tokenExpected: true, offersDomain: true, returnTo: "/" };
const wrongToken = { message: "invalid", fields: ["token"] } as const;
const link: PageData["link"] = { purpose: "invite", username: "", isUsernameSet: false };
const none = { kind: "none" } as const;
const home: PageData["home"] = { activity: none, sessions: none, codes: none };

const time = { at: "2000-01-01T00:00:00.000Z", utc: "1 Jan 2000, 00:00 UTC" };
const session = { id: "a", device: "Firefox", address: "::1", isCurrent: true, ...time };
const others = ["b", "c", "d", "e", "f", "g"].map((id) => ({ ...session, id, isCurrent: false }));
const passkey = { id: "1", name: "sample", added: time, used: time };
const naming = { newName: "sample", maxName: 60 };
const qr = { width: 1, path: "" };
const begun = { kind: "begun", secret: "AAAA", uri: "otpauth:", qr, sealed: "sealed" } as const;

const key = { id: "1", name: "sample", hosts: "", isUsed: true, expiresAt: undefined, ...time };
const keys = { list: [key, { ...key, isUsed: false, expiresAt: "soon" }], made: "latchkey_" };

const withRows: PageData["home"] = {
  activity: { kind: "entries", entries: [{ text: "signed in", ...time }] },
  sessions: { kind: "sessions", sessions: [session, ...others], count: "7", devices: [session] },
  codes: { kind: "on", recoveryCodesLeft: 1 },
  notice: "passwordIsChanged",
  passkeys: { list: [passkey, { ...passkey, used: undefined }], canAdd: false, ...naming },
  peoplePath: "/account/people",
  keys,
};
const withoutRows: PageData["home"] = {
  activity: { kind: "entries", entries: [] },
  sessions: { kind: "sessions", sessions: [session], count: "1", devices: [] },
  codes: { kind: "off" },
  passkeys: { list: [], canAdd: true, ...naming },
  keys: { list: [], made: undefined },
};
const unreadable: PageData["home"] = {
  ...home,
  activity: { kind: "unreadable" },
  sessions: { kind: "unreadable" },
  problem: { form: "password", message: "invalid", fields: ["current_password"] },
};
const facts = { sessions: 1, codes: true, passkeys: true, signedIn: time, end: time.utc };
const person = { user: { id: "1" as UserId, username: "sample", groups: ["sample"] }, ...facts };
const people = { people: [person], search: "sample", next: "?", links: [] };
const openLink = { id: "1", purpose: "invite", name: "sample", end: time.utc } as const;
const activity = { entries: [], name: "", type: undefined, types: ["signin"], next: undefined };

const excluded = { status: 403, message: "excluded", offersSignOut: true } as const;
const wrongCode = { form: "codes", message: "invalid", fields: ["code"] } as const;

/** Templates are rendered with these at the start, so that a broken one is reported then. */
export const samples: Samples = {
  login: [
    [signedOut, login],
    [failed, { ...returning, asksCode: true, remembersDevices: true, offersPasskeys: true }],
    [unconfigured, login],
    [signedOut, { ...login, notice: "sessionNotEnded" }],
    [signedOut, { ...login, notice: "passwordIsChanged" }],
    [signedIn, { ...login, continueTo: "/" }],
    [signedIn, { ...login, continueTo: "/", confirms: true }],
    [signedIn, { ...login, continueTo: "/", confirms: true, needsFactor: true }],
  ],
  setup: [
    [unconfigured, setup],
    [unconfigured, { ...asking, problem: wrongToken }],
  ],
  link: [
    [signedOut, link],
    [signedOut, { ...link, purpose: "guest", username: "sample", isUsernameSet: true }],
    [signedOut, { ...link, purpose: "reset", username: "sample", isUsernameSet: true }],
    [signedOut, { ...link, problem: { message: "invalid", fields: ["username"] } }],
  ],
  home: [
    [signedIn, home],
    [signedIn, withRows],
    [signedIn, { ...withoutRows, lacksFactor: true }],
    [signedIn, withoutRows],
    [signedIn, unreadable],
    [signedIn, { ...home, codes: begun, problem: wrongCode }],
    [signedIn, { ...withoutRows, problem: { ...wrongCode, fields: [] } }],
    [signedIn, { ...home, codes: { kind: "turned-on", recoveryCodes: ["00000"], of: "sample" } }],
  ],
  people: [
    [signedIn, { ...people, links: [openLink] }],
    [signedIn, { ...people, problem: { message: "invalid", fields: ["groups-1"], entered: {} } }],
    [signedIn, { ...people, people: [], made: { purpose: "reset", url: "/link/a", end: "" } }],
  ],
  activity: [
    [signedIn, activity],
    [signedIn, { ...activity, entries: [{ text: "sample", detail: "::1", ...time }], next: "?" }],
  ],
  error: [
    [signedOut, { status: 500, message: "failed" }],
    [signedOut, { status: 503, message: "busy", requestId: "1" }],
    [unconfigured, { status: 404, message: "not there" }],
    [signedIn, { status: 403, message: "refused" }],
    [signedIn, excluded],
    [signedIn, { ...excluded, accountUrl: "/", host: "app.example.org" }],
    [signedOut, { status: 421, title: "sample", message: "wrong host", host: "example.org" }],
  ],
};
