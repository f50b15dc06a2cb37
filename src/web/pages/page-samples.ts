import type { UserId } from "../../core/records.ts";
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

const login: PageData["login"] = { asksCode: false, offersPasskeys: false };
const setup: PageData["setup"] = {
  tokenExpected: false,
  token: "",
  username: "",
  domain: "",
  offersDomain: false,
};
const home: PageData["home"] = {
  activity: { kind: "none" },
  sessions: { kind: "none" },
  codes: { kind: "none" },
};

const time = { at: "2000-01-01T00:00:00.000Z", utc: "1 Jan 2000, 00:00 UTC" };
const session = { id: "a", device: "Firefox", address: "::1", isCurrent: true, ...time };
const others = ["b", "c", "d", "e", "f", "g"].map((id) => ({ ...session, id, isCurrent: false }));
const passkey = { id: "1", name: "sample", added: time, used: time };
const naming = { newName: "sample", maxName: 60 };
const begun = {
  kind: "begun",
  secret: "AAAA",
  uri: "otpauth://totp/",
  qr: { width: 1, path: "" },
  sealed: "sealed",
} as const;

const withRows: PageData["home"] = {
  activity: { kind: "entries", entries: [{ text: "signed in", ...time }] },
  sessions: { kind: "sessions", sessions: [session, ...others], count: "7" },
  codes: { kind: "on", recoveryCodesLeft: 1 },
  notice: "passwordIsChanged",
  passkeys: { list: [passkey, { ...passkey, used: undefined }], canAdd: false, ...naming },
};
const withoutRows: PageData["home"] = {
  activity: { kind: "entries", entries: [] },
  sessions: { kind: "sessions", sessions: [session], count: "1" },
  codes: { kind: "off" },
  passkeys: { list: [], canAdd: true, ...naming },
};
const unreadable: PageData["home"] = {
  ...home,
  activity: { kind: "unreadable" },
  sessions: { kind: "unreadable" },
  problem: { form: "password", message: "invalid", fields: ["current_password"] },
};
const excluded = { status: 403, message: "excluded", offersSignOut: true } as const;
const wrongCode = { form: "codes", message: "invalid", fields: ["code"] } as const;

/** Templates are rendered with these at the start, so that a broken one is reported then. */
export const samples: Samples = {
  login: [
    [signedOut, login],
    [
      { ...signedOut, HasError: true },
      { returnTo: "/", returnHost: "app.example.org", asksCode: true, offersPasskeys: true },
    ],
    [unconfigured, login],
    [signedOut, { ...login, notice: "sessionNotEnded" }],
    [signedIn, { ...login, continueTo: "/" }],
    [signedIn, { ...login, continueTo: "/", confirms: true }],
  ],
  setup: [
    [unconfigured, setup],
    [
      unconfigured,
      {
        ...setup,
        tokenExpected: true,
        offersDomain: true,
        returnTo: "/",
        problem: { message: "invalid", fields: ["token"] },
      },
    ],
  ],
  home: [
    [signedIn, home],
    [signedIn, withRows],
    [signedIn, withoutRows],
    [signedIn, unreadable],
    [signedIn, { ...home, codes: begun, problem: wrongCode }],
    [signedIn, { ...withoutRows, problem: { ...wrongCode, fields: [] } }],
    [signedIn, { ...home, codes: { kind: "turned-on", recoveryCodes: ["00000"], of: "sample" } }],
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
