import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { ADMINS, type UserId } from "../../src/db/records.ts";
import { createNavigation } from "../../src/http/navigation.ts";
import { pathsUnder } from "../../src/http/paths.ts";
import { openSite, type Site, type SiteOptions } from "../../src/http/site.ts";
import type {
  AppFormValues,
  NewLinkForm,
  PageData,
  PageHelpers,
} from "../../src/pages/page-data.ts";
import type { Reader } from "../../src/pages/templates.ts";
import type { Locale } from "../../src/pages/words.ts";
import { tempDir } from "./temp-dir.ts";

export const PLAIN: SiteOptions = {
  pages: {
    appName: "Latchkey",
    accentColor: undefined,
    logoFile: undefined,
    logoFileDark: undefined,
    css: undefined,
  },
  signIn: { passkeys: true },
  standalone: false,
};

export const site = (pages: Partial<SiteOptions["pages"]> = {}, standalone = false): Site =>
  openSite(pathsUnder("", "/"), { ...PLAIN, pages: { ...PLAIN.pages, ...pages }, standalone });

/** Creates a folder with these files. */
export async function folderWith(
  t: TestContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const folder = await tempDir(t);
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content);
  }
  return folder;
}

export const NOBODY: PageHelpers = { NeedsSetup: false, HasError: false, CurrentUser: undefined };

export const signedIn = (username: string): PageHelpers => ({
  ...NOBODY,
  CurrentUser: { id: "1" as UserId, username },
});

const listPages = createNavigation(
  {
    people: true,
    oidc: {},
    sessions: { list: true },
    guards: { keys: true, returnTo: true, onDenied: "redirect" },
    hosts: { publicUrl: "https://auth.test" },
  },
  pathsUnder("", "/", true),
);

/** For whom a page is rendered: a signed-in user can open every page. */
export const to = (helpers: PageHelpers = NOBODY, locale: Locale = "en"): Reader => ({
  locale,
  helpers,
  navigation: helpers.CurrentUser && listPages({ ...helpers.CurrentUser, groups: [ADMINS] }, false),
});

/** The form for a new app. */
const appForm: AppFormValues = {
  name: "",
  id: "",
  url: "",
  who: "everyone",
  groups: "",
  new_group: "",
  factor: "",
  redirects: "",
  section: "",
  upstream: "",
  sign_out_redirects: "",
  backchannel: "",
  public: "",
  consent: "",
  signing: "RS256",
};

/** The form for a new link. */
const NO_LINK: NewLinkForm = { username: "", groups: [], newGroups: "", until: "", apps: [] };

/** The data of the pages in their simplest state. */
export const plain: Omit<PageData, "error"> = {
  login: { asksCode: false, remembersDevices: false, offersPasskeys: false },
  setup: { tokenExpected: false, token: "", username: "", domain: "", offersDomain: false },
  forgot: {},
  link: { purpose: "invite", username: "", isUsernameSet: false, madeBy: undefined, apps: [] },
  launcher: {
    sections: [],
    search: undefined,
    suggestsPasskey: false,
    firstSteps: undefined,
    guestEnd: undefined,
  },
  profile: {
    form: { name: "", email: "", emailIs: undefined, version: "" },
    groups: [],
    end: undefined,
  },
  signInMethods: {
    codes: { kind: "none" },
    passkeys: undefined,
    lacksFactor: false,
    listsSessions: true,
  },
  devices: { sessions: [], count: "0", devices: [] },
  access: { apps: [], signOuts: [] },
  keys: { kind: "list", list: [] },
  history: { entries: [], newest: undefined, older: undefined },
  people: { people: [], count: { people: 1, guests: 0 }, search: "" },
  person: {
    person: {
      user: { id: "1" as UserId, username: "sample" },
      signedIn: undefined,
      end: undefined,
      hasEnded: false,
      sessions: 0,
      codes: false,
      passkeys: 0,
    },
    groups: [],
    form: { username: "sample", groups: "" },
    version: "",
    profile: undefined,
    apps: [],
    entries: [],
  },
  links: {
    kind: "list",
    links: [],
    first: undefined,
    next: undefined,
    forms: { invite: NO_LINK, guest: NO_LINK },
  },
  apps: { apps: [], search: "", count: 0, troubled: 0 },
  newApp: {
    form: appForm,
    groups: [],
    offersOidc: true,
    recipe: undefined,
    recipes: [],
    search: "",
  },
  app: {
    kind: "secret",
    id: "photos",
    secret: "secret",
    client: { clientId: "photos", issuer: undefined, discoveryUrl: undefined },
  },
  consent: {
    app: { name: "Photos", iconUrl: undefined, darkIconUrl: undefined },
    host: "a.test",
    shares: [],
    isKept: false,
    staysSignedIn: false,
    formPath: "/oidc/interaction/1",
  },
  device: { kind: "stopped" },
  signOut: { kind: "signed-out" },
  activity: {
    entries: [],
    name: "",
    app: undefined,
    kind: undefined,
    kinds: [],
    newest: undefined,
    next: undefined,
  },
};
