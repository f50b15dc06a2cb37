import type { UserId } from "../../src/db/records.ts";
import type { PageData, PageHelpers, PageName } from "../../src/pages/page-data.ts";

type Samples = {
  readonly [Name in PageName]: readonly (PageHelpers & PageData[Name])[];
};

const signedOut: PageHelpers = { NeedsSetup: false, HasError: false, CurrentUser: undefined };
const unconfigured: PageHelpers = { ...signedOut, NeedsSetup: true };
const groups = ["sample"];
const user = { id: "1" as UserId, username: "sample", groups };
const signedIn: PageHelpers = { ...signedOut, CurrentUser: user };
const asGuest: PageHelpers = { ...signedOut, CurrentUser: { ...user, guest: true } };

const time = { at: "2000-01-01T00:00:00.000Z", utc: "1 Jan 2000, 00:00 UTC" };
const session = { id: "a", device: "Firefox", address: "::1", isCurrent: true, ...time };
const others = Array.from("bcdefghijk").map((id) => ({ ...session, id, isCurrent: false }));
const passkey = { id: "1", name: "sample", added: time, used: time };
const key = { id: "1", name: "sample", hosts: ["a.test"], isUsed: true, expires: time, ...time };
const signInMethods = {
  ...signedIn,
  codes: { kind: "none" },
  passkeys: undefined,
  lacksFactor: false,
  listsSessions: true,
} as const;
const qr = { width: 1, path: "" };
const facts = { sessions: 1, codes: true, passkeys: 2, hasEnded: false };
const profileForm = { name: "S", email: "s@a.test", emailIs: "unverified", version: "1" } as const;
const person = { user, ...facts, signedIn: time, end: time };
const guest = { ...user, guest: true } as const;
const choices = [
  { name: "family", isChecked: true },
  { name: "photos", isChecked: false },
];
const inviting = { id: "1", purpose: "invite", name: "sample", groups } as const;
const openLink = { ...inviting, apps: ["Photos"], madeBy: "sample", end: time };
const entry = { text: "sample", details: ["::1"], isAlarming: true, count: 2, ...time };
const entered = { token: "", username: "", domain: "", tokenExpected: true, offersDomain: true };
const asking = { asksCode: true, remembersDevices: true, offersPasskeys: true };

const app = { name: "Photos", iconUrl: undefined, darkIconUrl: undefined };
const withIcons = { ...app, iconUrl: "/light", darkIconUrl: "/dark" };
const launcher = {
  ...signedIn,
  sections: [],
  search: undefined,
  suggestsPasskey: false,
  firstSteps: undefined,
  guestEnd: undefined,
};
const found = { host: "a.test", url: "https://a.test/", isFound: true };
const launcherSections = [
  { name: "", apps: [{ ...app, ...found, needsFactor: true }] },
  { name: "Family", apps: [{ ...withIcons, ...found, needsFactor: false }] },
];
const linkApps = [{ ...app, id: "photos", isChecked: true }];
const newLink = { username: "", groups: choices, newGroups: "", until: "", apps: linkApps };
const recipe = { id: "photos", name: "Photos", summary: "sample" };
const known = { recipe: undefined, recipes: [recipe], search: "" };
const added = { kind: "added", id: "photos", name: "Photos", advice: ["Sample."] } as const;
const places = [
  { title: "On the page Sample:", fields: [["Sample", "sample"]], text: "" },
  { title: "In the file sample:", fields: [], text: "sample=1\nsample=2" },
] as const;
const shares = [
  { kind: "name", value: "sample" },
  { kind: "email", value: "sample@example.org" },
  { kind: "groups", value: "family" },
] as const;
const form = { formPath: "/login/device", secret: "secret" };

const appForm = {
  ...{ name: "Photos", id: "photos", url: "https://a.test", factor: "1" },
  ...{ who: "groups", groups: "family", new_group: "" },
  ...{ redirects: "https://a.test/callback", section: "Family", upstream: "http://b.test" },
  ...{ sign_out_redirects: "https://a.test/", backchannel: "https://a.test/end" },
  ...{ public: "", consent: "1", signing: "ES256" },
};
const listed = {
  ...app,
  id: "photos",
  host: "a.test",
  needsFactor: true,
  usesOidc: true,
  isOff: false,
};
const listedApp = { ...listed, groups: ["family"] };
const plainApp = { ...listed, host: undefined, groups: [], needsFactor: false, usesOidc: false };
const secret = { id: "1", ending: "x7Qd", ...time };
const refusal = { userId: "2", username: "sample", groups: ["family"], needsAdmin: false, ...time };
const uses = {
  ...{ groups: ["family"], admitted: { people: 2, guests: 1 } },
  refusedUri: { uri: "https://a.test/cb", host: "a.test", isElsewhere: false },
  week: { count: 3, people: 1, days: [{ label: "1 Jan", count: 3 }] },
  opened: [{ username: "sample", isGuest: true, device: "Firefox", ...time }],
  refused: [refusal],
};
const issuer = "https://auth.test";
const client = { clientId: "photos", issuer, discoveryUrl: issuer };
const signOuts = [
  { state: "acknowledged", name: "sample", problem: undefined, ...time },
  { state: "waiting", name: "sample", problem: undefined, ...time },
  { state: "retrying", name: "sample", problem: "503", ...time },
  { state: "given-up", name: "sample", problem: "404", ...time },
] as const;
const access = { ...app, id: "photos", since: time, isSignIn: true, staysSignedIn: true };

const provider = {
  ...({ name: "google", label: "Google", brand: "google" } as const),
  url: "/login/with/google",
};
const forAccount = { username: "ada", isUsernameSet: true, madeBy: undefined, apps: [] } as const;

/** The usual states of each page. */
export const samples: Samples = {
  consent: [
    {
      ...signedIn,
      app: { ...app, iconUrl: "/light", darkIconUrl: "/dark" },
      host: "a.test",
      shares,
      isKept: true,
      staysSignedIn: true,
      formPath: "/oidc/interaction/1",
    },
  ],
  device: [
    {
      ...signedIn,
      kind: "enter-code",
      ...form,
      problem: { message: "wrong", fields: ["user_code"] },
    },
    { ...signedIn, kind: "confirm", app, ...form, userCode: "BCDF-GHJK" },
    { ...signedIn, kind: "signed-in", app },
    { ...signedIn, kind: "stopped" },
  ],
  signOut: [
    { ...signedIn, kind: "ask", app, ...form },
    { ...signedOut, kind: "signed-out" },
  ],
  login: [
    { ...unconfigured, ...asking, asksCode: false },
    { ...signedOut, ...asking, HasError: true, returnTo: "/", returnHost: "example.org" },
    { ...signedOut, ...asking, returnTo: "/oidc/interaction/1", app },
    {
      ...signedIn,
      ...asking,
      continueTo: "/",
      returnHost: "example.org",
      handoffFailed: true,
      notice: "sessionNotEnded",
    },
    { ...signedIn, ...asking, confirms: true, needsFactor: true, needsCode: true, cancelTo: "/" },
    { ...signedIn, ...asking, confirms: true, HasError: true, asksCode: false, cancelTo: "/" },
    {
      ...{ ...signedIn, ...asking, asksCode: false, confirms: true, needsFactor: true },
      ...{ needsPasskey: true, app: withIcons, cancelTo: "/" },
    },
    {
      ...{ ...signedIn, ...asking, needsFactor: true, returnHost: "example.org", cancelTo: "/" },
      lacksFactor: { passkeys: "/#passkeys", codes: "/#codes" },
    },
    {
      ...{ ...asGuest, ...asking, needsFactor: true, cancelTo: "/" },
      lacksFactor: { passkeys: undefined, codes: undefined },
    },
  ],
  setup: [{ ...unconfigured, ...entered, problem: { message: "invalid", fields: ["token"] } }],
  signUp: [
    {
      ...signedOut,
      ...{ email: "ada@example.org", domains: ["example.org"], takesAddress: true },
      providers: [provider],
      problem: { message: "invalid", fields: ["email"] },
    },
    { ...signedOut, HasError: true, email: "", domains: [], takesAddress: true, providers: [] },
    { ...signedOut, email: "", domains: ["a.test"], takesAddress: false, providers: [provider] },
  ],
  leadOn: [{ ...signedOut, provider: "Google", url: "https://accounts.example.org/?a=b&c=d" }],
  codeStep: [{ ...signedOut }, { ...signedOut, HasError: true }],
  forgot: [
    { ...signedOut, HasError: true },
    { ...signedOut, notice: "resetIsSent" },
  ],
  link: [
    { ...signedOut, purpose: "confirm-email", ...forAccount, email: "ada@example.org" },
    { ...signedOut, purpose: "end-sessions", ...forAccount },
    {
      ...{ ...signedOut, purpose: "invite", username: "", isUsernameSet: false },
      ...{ madeBy: undefined, apps: [] },
    },
    {
      ...{ ...signedOut, purpose: "guest", username: "sample", isUsernameSet: true },
      ...{ madeBy: "sample", apps: [app, withIcons] },
    },
    {
      ...{ ...signedOut, purpose: "invite", username: "sample", isUsernameSet: true },
      ...{ madeBy: "sample", apps: [] },
      problem: { message: "invalid", fields: ["password"] },
    },
  ],
  launcher: [
    launcher,
    { ...launcher, guestEnd: time },
    { ...launcher, firstSteps: { hasOtherAccounts: true, backupCommand: "sample" } },
    { ...launcher, firstSteps: { hasOtherAccounts: false, backupCommand: "sample" } },
    {
      ...launcher,
      sections: launcherSections,
      search: "sample",
      suggestsPasskey: true,
      notice: "isConfirmed",
    },
    {
      ...launcher,
      sections: launcherSections.map((section) => ({
        ...section,
        apps: section.apps.map((shown) => ({ ...shown, isFound: false })),
      })),
      search: "",
    },
  ],
  profile: [
    { ...signedIn, form: { ...profileForm, name: "", email: "" }, groups: [], end: undefined },
    { ...signedIn, form: profileForm, groups, end: time, notice: "changeIsSaved" },
    {
      ...{ ...signedIn, form: profileForm, groups: [], end: undefined },
      problem: { message: "invalid", fields: ["email"] },
    },
  ],
  signInMethods: [
    signInMethods,
    {
      ...signInMethods,
      codes: { kind: "on", recoveryCodesLeft: 1 },
      notice: "passwordIsChanged",
      problem: { form: "password", message: "invalid", fields: ["current_password"] },
      passkeys: { list: [passkey], canAdd: true, newName: "sample", maxName: 60 },
    },
    { ...signInMethods, codes: { kind: "off" }, lacksFactor: true },
    {
      ...signInMethods,
      codes: { kind: "begun", secret: "AAAA", uri: "otpauth:", qr, sealed: "sealed" },
      problem: { form: "codes", message: "invalid", fields: ["code"] },
    },
    {
      ...signInMethods,
      codes: { kind: "turned-on", recoveryCodes: ["00000"], of: "sample" },
    },
  ],
  devices: [
    { ...signedIn, sessions: [session], count: "1", devices: [] },
    {
      ...signedIn,
      sessions: [session, ...others],
      count: "11",
      devices: [session],
      notice: "sessionIsEnded",
    },
  ],
  access: [
    { ...signedIn, apps: [], signOuts: [] },
    {
      ...signedIn,
      apps: [access, { ...access, id: "notes", isSignIn: false }],
      signOuts,
      notice: "accessIsTakenBack",
    },
  ],
  keys: [
    { ...signedIn, kind: "list", list: [] },
    {
      ...signedIn,
      kind: "list",
      list: [key],
      problem: { message: "invalid", fields: ["key_name"] },
    },
    { ...signedIn, kind: "made", text: "latchkey_" },
  ],
  history: [{ ...signedIn, entries: [entry], newest: "", older: "?" }],
  apps: [
    { ...signedIn, apps: [], search: "", count: 0, troubled: 0 },
    { ...signedIn, apps: [], search: "zzz", count: 1, troubled: 1 },
    {
      ...signedIn,
      apps: [
        { ...listedApp, opened: { ...time, username: "sample" }, troubles: [] },
        { ...listedApp, opened: undefined, troubles: ["sign-out", "redirect"] },
        { ...plainApp, isOff: true, opened: undefined, troubles: [] },
      ],
      ...{ search: "", count: 3, troubled: 1 },
      notice: "changeIsSaved",
    },
  ],
  newApp: [
    { ...signedIn, form: appForm, groups, offersOidc: false, ...known },
    { ...signedIn, form: appForm, groups, offersOidc: true, ...known, recipes: [], search: "zz" },
    { ...signedIn, form: appForm, groups, offersOidc: true, ...known, recipe },
    {
      ...signedIn,
      ...{ form: { ...appForm, who: "everyone" }, groups, offersOidc: true, ...known },
      problem: { message: "invalid", fields: ["who"] },
    },
  ],
  app: [
    { ...signedIn, ...added, secret: "sample", places },
    { ...signedIn, ...added, secret: undefined, places: [] },
    {
      ...signedIn,
      ...{ kind: "app", app: listedApp, url: "https://a.test", form: appForm, offersOidc: true },
      ...{ client, secrets: [secret, secret], hasSecrets: true, signOuts, ...uses },
      problem: { message: "invalid", fields: ["backchannel"] },
    },
    {
      ...signedIn,
      ...{ kind: "app", app: listedApp, url: "https://a.test", form: appForm, offersOidc: true },
      ...{ client, secrets: [secret], hasSecrets: true, signOuts: [], ...uses },
      refusedUri: { uri: "https://b.test/", host: "b.test", isElsewhere: true },
      refused: [
        { ...refusal, groups: ["a", "b"] },
        { ...refusal, groups: [], needsAdmin: true },
      ],
      problem: { message: "invalid", fields: ["secret"] },
    },
    {
      ...signedIn,
      ...{ kind: "app", app: plainApp, url: undefined, form: appForm, offersOidc: false },
      ...{ client: undefined, secrets: [], hasSecrets: false, signOuts: [], ...uses },
      ...{ refusedUri: undefined, opened: [], refused: [] },
    },
    {
      ...{ ...signedIn, kind: "secret", id: "photos", secret: "secret" },
      client: { clientId: "photos", issuer: undefined, discoveryUrl: undefined },
    },
  ],
  people: [
    {
      ...{ ...signedIn, people: [person], count: { people: 2, guests: 1 }, search: "sample" },
      ...{ previous: "?", next: "?", notice: "accountIsRemoved" },
    },
    {
      ...{ ...signedIn, count: { people: 1, guests: 0 }, search: "" },
      people: [
        { ...person, user: { ...guest, groups: [] }, signedIn: undefined },
        { ...person, user: guest, end: undefined },
        { ...person, hasEnded: true },
        { ...person, user: { ...user, name: "Sample" } },
      ],
    },
    { ...signedIn, people: [], count: { people: 1, guests: 0 }, search: "sample" },
  ],
  person: [
    {
      ...{ ...signedIn, person, groups: choices, version: "1", entries: [entry] },
      profile: { ...profileForm, emailIs: "verified" },
      ...{ form: { username: "sample", groups: "" }, apps: [{ ...withIcons, id: "photos" }] },
      notice: "changeIsSaved",
      problem: { message: "invalid", fields: ["groups"] },
    },
    {
      ...{ ...signedIn, person: { ...person, user: guest }, groups: [], version: "1", entries: [] },
      profile: undefined,
      ...{ form: { username: "sample", groups: "" }, apps: [] },
      problem: { message: "invalid", fields: ["remove"] },
    },
  ],
  links: [
    {
      ...{ ...signedIn, kind: "list", links: [], first: undefined, next: undefined },
      forms: {
        invite: { ...newLink, problem: { message: "invalid", fields: ["apps"] } },
        guest: { ...newLink, apps: [] },
      },
    },
    {
      ...{ ...signedIn, kind: "list", first: "", next: "?", notice: "linkIsRevoked" },
      links: [
        openLink,
        { ...openLink, id: "2", name: "", madeBy: undefined },
        { ...openLink, id: "3", purpose: "guest" },
        { ...openLink, id: "4", purpose: "reset", groups: [], apps: [] },
      ],
      forms: {
        invite: newLink,
        guest: { ...newLink, problem: { message: "invalid", fields: ["until"] } },
      },
    },
    {
      ...{ ...signedIn, kind: "made", purpose: "reset", url: "/", qr, end: time },
      donePath: "/account/people/1",
    },
  ],
  activity: [
    {
      ...{ ...signedIn, name: "sample", kind: "signIns", kinds: ["signIns", "apps"] },
      app: { id: "photos", name: "Photos" },
      ...{ entries: [entry, { ...entry, person: { id: "1", username: "sample" } }] },
      ...{ newest: "?", next: "?" },
    },
    {
      ...{ ...signedIn, name: "", kind: undefined, kinds: ["apps"], entries: [] },
      ...{ app: undefined, newest: undefined, next: undefined },
    },
  ],
  error: [
    { ...signedOut, status: 503, message: "busy", requestId: "1", retryUrl: "" },
    { ...signedOut, status: 500, message: "broken", requestId: "1", retryUrl: "/setup" },
    { ...signedIn, status: 404, message: "gone", home: { page: "account", url: "/" } },
    { ...signedOut, status: 421, message: "wrong", publicUrl: "https://auth.test" },
    { ...signedOut, status: 421, message: "wrong", host: "a.test" },
    { ...unconfigured, status: 404, title: "sample", message: "not there" },
    {
      ...signedIn,
      status: 403,
      message: "no",
      offersSignOut: true,
      home: { page: "apps", url: "/" },
      host: "a.test",
    },
    {
      ...signedIn,
      status: 403,
      message: "no",
      offersSignOut: true,
      home: { page: "apps", url: "/" },
      signInUrl: "/",
      host: "a.test",
    },
    { ...signedOut, status: 403, message: "no", host: "a.test", hasNoApp: true },
    { ...signedOut, status: 403, message: "no", hasNoApp: true },
  ],
};
