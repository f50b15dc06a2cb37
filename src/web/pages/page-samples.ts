import type { UserId } from "../../core/records.ts";
import type { PageData, PageHelpers, PageName } from "./page-data.ts";

type Samples = {
  readonly [Name in PageName]: readonly (readonly [helpers: PageHelpers, data: PageData[Name]])[];
};

const signedOut: PageHelpers = { NeedsSetup: false, HasError: false, CurrentUser: undefined };
const unconfigured: PageHelpers = { ...signedOut, NeedsSetup: true };
const user = { id: "1" as UserId, username: "sample", groups: ["sample"] };
const signedIn: PageHelpers = { ...signedOut, CurrentUser: user };

const time = { at: "2000-01-01T00:00:00.000Z", utc: "1 Jan 2000, 00:00 UTC" };
const session = { id: "a", device: "Firefox", address: "::1", isCurrent: true, ...time };
const others = ["b", "c", "d", "e", "f", "g"].map((id) => ({ ...session, id, isCurrent: false }));
const passkey = { id: "1", name: "sample", added: time, used: time };
const naming = { newName: "sample", maxName: 60 };
const key = { id: "1", name: "sample", hosts: "", isUsed: true, expiresAt: "soon", ...time };
const none = { kind: "none" } as const;
const home = { activity: none, sessions: none, codes: none };
const problem = { message: "invalid", fields: ["code"] } as const;
const qr = { width: 1, path: "" };
const person = { user, sessions: 1, codes: true, passkeys: true, signedIn: time, end: time.utc };
const openLink = { id: "1", purpose: "invite", name: "sample", end: time.utc } as const;
const entered = { token: "", username: "", domain: "", tokenExpected: true, offersDomain: true };
const asking = { asksCode: true, remembersDevices: true, offersPasskeys: true };

/** Templates are rendered with these at the start, so that a broken one is reported then. */
export const samples: Samples = {
  login: [
    [unconfigured, { ...asking, asksCode: false }],
    [
      { ...signedOut, HasError: true },
      { ...asking, returnTo: "/", returnHost: "example.org" },
    ],
    [signedIn, { ...asking, continueTo: "/", notice: "sessionNotEnded" }],
    [signedIn, { ...asking, confirms: true, needsFactor: true }],
  ],
  setup: [[unconfigured, { ...entered, problem: { message: "invalid", fields: ["token"] } }]],
  link: [
    [signedOut, { purpose: "invite", username: "", isUsernameSet: false }],
    [signedOut, { purpose: "guest", username: "sample", isUsernameSet: true }],
  ],
  home: [
    [signedIn, home],
    [
      signedIn,
      {
        activity: { kind: "entries", entries: [{ text: "signed in", ...time }] },
        sessions: {
          kind: "sessions",
          sessions: [session, ...others],
          count: "7",
          devices: [session],
        },
        codes: { kind: "on", recoveryCodesLeft: 1 },
        notice: "passwordIsChanged",
        problem: { form: "password", message: "invalid", fields: ["current_password"] },
        passkeys: { list: [passkey], canAdd: true, ...naming },
        peoplePath: "/account/people",
        keys: { list: [key], made: "latchkey_" },
      },
    ],
    [signedIn, { ...home, codes: { kind: "off" }, lacksFactor: true }],
    [
      signedIn,
      {
        ...home,
        codes: { kind: "begun", secret: "AAAA", uri: "otpauth:", qr, sealed: "sealed" },
        problem: { form: "codes", ...problem },
      },
    ],
    [signedIn, { ...home, codes: { kind: "turned-on", recoveryCodes: ["00000"], of: "sample" } }],
  ],
  people: [
    [signedIn, { people: [person], search: "sample", next: "?", links: [openLink] }],
    [
      signedIn,
      { people: [], search: "", links: [], made: { purpose: "reset", url: "/", end: "" } },
    ],
  ],
  activity: [
    [
      signedIn,
      {
        entries: [{ text: "sample", detail: "::1", ...time }],
        name: "",
        type: "signin",
        types: ["signin"],
        next: "?",
      },
    ],
  ],
  error: [
    [signedOut, { status: 503, message: "busy", requestId: "1" }],
    [unconfigured, { status: 404, title: "sample", message: "not there" }],
    [
      signedIn,
      { status: 403, message: "no", offersSignOut: true, accountUrl: "/", host: "a.test" },
    ],
  ],
};
