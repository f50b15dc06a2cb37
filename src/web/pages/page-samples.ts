import type { UserId } from "../../core/store.ts";
import type { PageData, PageHelpers, PageName } from "./page-data.ts";

type Samples = {
  readonly [Name in PageName]: readonly (readonly [helpers: PageHelpers, data: PageData[Name]])[];
};

const signedOut: PageHelpers = { NeedsSetup: false, HasError: false, CurrentUser: undefined };
const unconfigured: PageHelpers = { ...signedOut, NeedsSetup: true };
const signedIn: PageHelpers = {
  ...signedOut,
  CurrentUser: { id: "1" as UserId, username: "sample" },
};

const emptyLogin: PageData["login"] = {
  returnTo: undefined,
  continueTo: undefined,
  asksCode: false,
  offersPasskeys: false,
  notice: undefined,
};
const emptySetup: PageData["setup"] = {
  tokenExpected: false,
  token: "",
  username: "",
  domain: "",
  offersDomain: false,
  returnTo: undefined,
  problem: undefined,
};
const fullSetup: PageData["setup"] = {
  ...emptySetup,
  tokenExpected: true,
  offersDomain: true,
  returnTo: "/",
  problem: { message: "invalid", fields: ["token"] },
};

const at = "2000-01-01T00:00:00.000Z";
const entries = [{ text: "signed in", at, utc: at }];
const session = { id: "a", device: "Firefox", address: "::1", isCurrent: true, at, utc: at };
const other = { ...session, id: "b", isCurrent: false };
const oneSession = { kind: "sessions", sessions: [session] } as const;
const twoSessions = { kind: "sessions", sessions: [session, other] } as const;
const wrongPassword = {
  form: "password",
  message: "invalid",
  fields: ["current_password"],
} as const;
const wrongCode = { form: "codes", message: "invalid", fields: ["code"] } as const;
const home: PageData["home"] = {
  activity: { kind: "none" },
  sessions: { kind: "none" },
  codes: { kind: "none" },
  passkeys: undefined,
  notice: undefined,
  problem: undefined,
};
const begun = {
  kind: "begun",
  secret: "AAAA",
  uri: "otpauth://totp/",
  qr: { width: 1, path: "" },
  sealed: "sealed",
} as const;
const passkeys: PageData["home"]["passkeys"] = {
  list: [
    { id: "1", name: "sample", isUsed: true, at, utc: at },
    { id: "2", name: "sample", isUsed: false, at, utc: at },
  ],
  canAdd: false,
};

/** Templates are rendered with these at the start, so that a broken one is reported then. */
export const samples: Samples = {
  login: [
    [signedOut, emptyLogin],
    [
      { ...signedOut, HasError: true },
      { ...emptyLogin, returnTo: "/", asksCode: true, offersPasskeys: true },
    ],
    [unconfigured, emptyLogin],
    [signedOut, { ...emptyLogin, notice: "session-not-ended" }],
    [signedIn, { ...emptyLogin, continueTo: "/" }],
  ],
  setup: [
    [unconfigured, emptySetup],
    [unconfigured, fullSetup],
  ],
  home: [
    [signedIn, home],
    [
      signedIn,
      {
        ...home,
        activity: { kind: "entries", entries },
        sessions: twoSessions,
        notice: "password-changed",
        passkeys,
      },
    ],
    [
      signedIn,
      {
        ...home,
        activity: { kind: "entries", entries: [] },
        sessions: oneSession,
        codes: { kind: "off" },
        passkeys: { list: [], canAdd: true },
      },
    ],
    [
      signedIn,
      {
        ...home,
        activity: { kind: "unreadable" },
        sessions: { kind: "unreadable" },
        problem: wrongPassword,
      },
    ],
    [signedIn, { ...home, codes: begun, problem: wrongCode }],
    [signedIn, { ...home, codes: { kind: "turned-on", recoveryCodes: ["00000"] } }],
    [signedIn, { ...home, codes: { kind: "on", recoveryCodesLeft: 1 } }],
  ],
  error: [
    [signedOut, { status: 500, message: "failed" }],
    [signedOut, { status: 503, message: "busy", requestId: "1" }],
    [unconfigured, { status: 404, message: "not there" }],
    [signedIn, { status: 403, message: "refused" }],
    [signedIn, { status: 403, message: "excluded", offersSignOut: true }],
  ],
};
