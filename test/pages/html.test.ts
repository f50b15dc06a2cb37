import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { HtmlValidate } from "html-validate";
import { readForRelease } from "../../scripts/release/page-files.ts";
import { accentRules } from "../../src/http/assets.ts";
import { createAccent } from "../../src/pages/accent-color.ts";
import { getWords, type Locale, locales } from "../../src/pages/words.ts";
import type { Answer, Sending } from "../support/client.ts";
import { OWNER, type RunningGate, SETUP_FORM, startGate } from "../support/gate.ts";
import { linkPath } from "../support/link.ts";
import { assertNothingInline, elements } from "../support/markup.ts";
import { begunIn, codeShown } from "../support/one-time-codes.ts";

const validator = new HtmlValidate({
  extends: ["html-validate:recommended"],
  // Browsers ignore the case of the doctype, and formatters write it in lower case.
  rules: { "doctype-style": "off" },
});

/** Visitors who sign in load the page and one style sheet; signed-in users load both. */
const MAX_CARD_BYTES = 18 * 1024;
const MAX_SHELL_BYTES = 40 * 1024;
/** The language that has the most bytes to say the same. */
const [longest = "en"] = locales.toSorted((one, other) => bytesOfWords(other) - bytesOfWords(one));

function bytesOfWords(locale: Locale): number {
  return Buffer.byteLength(JSON.stringify(getWords(locale)));
}

const PAGE_FILES = join(import.meta.dirname, "../../src/pages/templates");

/** The style sheets of the package, with an accent colour, which makes them larger. */
const STYLE_SHEET =
  readForRelease(join(PAGE_FILES, "latchkey.css")) + accentRules(createAccent("#c00"));
const SHELL_STYLE_SHEET = readForRelease(join(PAGE_FILES, "latchkey-shell.css"));

interface Visitor {
  readonly gate: RunningGate;
  readonly session: string | undefined;
  /** Sends a request in the visitor's language, with the visitor's session if there is one. */
  send(path: string, sending?: Sending): Promise<Answer>;
}

/** Opens a page in one of the states that users see. */
type State = (t: TestContext, locale: Locale) => Promise<Answer>;

type OpenPage = (visitor: Visitor) => Promise<Answer>;

/** Opens pages of a gate after these steps, which return the visitor's session if there is one. */
const after =
  (prepare: (gate: RunningGate) => Promise<string | undefined>) =>
  (open: OpenPage): State =>
  async (t, locale) => {
    const gate = await startGate(t, { domainSetupCommand: process.execPath });
    const session = await prepare(gate);
    const send: Visitor["send"] = (path, sending = {}) => {
      const headers = { "Accept-Language": locale, ...sending.headers };
      return gate.send(path, { session, ...sending, headers });
    };
    return open({ gate, session, send });
  };

/** A gate that has no account and asks for a token and a domain. */
const beforeSetup = after(async (gate) => {
  await writeFile(gate.setupTokenFile, "the token");
  return undefined;
});

const signedOut = after(async (gate) => {
  await gate.setUp();
  return undefined;
});

const signedIn = after((gate) => gate.setUp());

const openPath =
  (path: string): OpenPage =>
  ({ send }) =>
    send(path);

const sendForm =
  (path: string, form: Readonly<Record<string, string>>): OpenPage =>
  ({ send }) =>
    send(path, { form });

const withTenEntries: OpenPage = async ({ gate, send }) => {
  for (let i = 0; i < 10; i += 1) {
    await gate.signIn(
      { username: i % 3 === 0 ? "nobody" : OWNER.username },
      { from: `127.0.0.${i + 2}` },
    );
  }
  for (let i = 0; i < 8; i += 1) await gate.signIn({}, { from: "127.0.0.99" });
  return send("/account/history");
};

const withNotice: OpenPage = ({ session, send }) =>
  send("/account/sign-in", {
    headers: { Cookie: `session=${session}; latchkey-notice=passwordIsChanged` },
  });

const excluded: OpenPage = ({ send }) =>
  send("/forward-auth?users=another", { headers: { Accept: "text/html" } });

/** Begins to turn on one-time codes, and confirms with this code if one is given. */
const codesTurnedOn =
  (code?: (key: string) => string): OpenPage =>
  async ({ send }) => {
    const begun = await send("/account/codes/begin", { form: {} });
    if (code === undefined) return begun;
    const { sealed, key } = begunIn(begun.body);
    return send("/account/codes/confirm", { form: { sealed, code: code(key) } });
  };

const withCodes =
  (path: string): OpenPage =>
  async (visitor) => {
    await codesTurnedOn(codeShown)(visitor);
    return visitor.send(path);
  };

const link =
  (form: Readonly<Record<string, string>> | undefined, ...args: readonly string[]): OpenPage =>
  async ({ gate, send }) => {
    const path = await linkPath(gate, ...args);
    return send(path, form && { form });
  };

const PHOTOS = { name: "Photos", url: "https://photos.example.org", groups: "family" };

const states: Readonly<Record<string, State>> = {
  setup: beforeSetup(openPath("/setup")),
  "setup by link": beforeSetup(openPath("/setup?token=the%20token&return_to=%2Fpage%3Fa%26b")),
  "setup with empty fields": beforeSetup(
    sendForm("/setup", { token: "the token", domain: "a.example" }),
  ),
  "sign-in without an account": beforeSetup(openPath("/login")),
  "error without an account": beforeSetup(openPath("/nothing")),
  "sign-in": signedOut(openPath("/login?return_to=%2Fpage%3Fa%26b")),
  "failed sign-in": signedOut(openPath("/login?error=1")),
  "error when signed out": signedOut(openPath("/logout")),
  "how one signs in": signedIn(openPath("/account/sign-in")),
  apps: signedIn(openPath("/apps")),
  profile: signedIn(openPath("/account/profile")),
  devices: signedIn(openPath("/account/devices")),
  "apps that know the person": signedIn(openPath("/account/access")),
  keys: signedIn(openPath("/account/keys")),
  "activity with ten entries": signedIn(withTenEntries),
  "notice of a password change": signedIn(withNotice),
  "an empty form": signedIn(sendForm("/account/password", {})),
  "sign-in while codes are in use": signedIn(withCodes("/login")),
  "codes begun": signedIn(codesTurnedOn()),
  "a wrong code": signedIn(codesTurnedOn(() => "wrong")),
  "recovery codes": signedIn(codesTurnedOn(codeShown)),
  "a new key": signedIn(
    sendForm("/account/keys/add", { name: "feeds", hosts: "feeds.example.org" }),
  ),
  "how one signs in, with codes": signedIn(withCodes("/account/sign-in")),
  invitation: signedOut(link(undefined, "invite")),
  "invitation with a taken name": signedOut(link(SETUP_FORM, "invite")),
  "invitation for a name": signedOut(link(undefined, "invite", "--username", "<b>")),
  "link for a new password": signedOut(link({}, "reset", OWNER.username)),
  "link for a guest": signedOut(link(undefined, "guest", "<b>", "--groups", "a")),
  "sign-in after a new password": signedOut(({ send }) =>
    send("/login", { headers: { Cookie: "latchkey-notice=password-changed" } }),
  ),
  "error for a link": signedOut(openPath("/link/unknown")),
  people: signedIn(openPath("/account/people")),
  "apps for administrators": signedIn(openPath("/account/apps")),
  "apps with a refused address": signedIn(
    sendForm("/account/apps/add", { name: "Photos", redirects: "http://photos.example.org/" }),
  ),
  "an app": signedIn(async ({ send }) => {
    const redirects = "https://photos.example.org/auth/callback";
    await send("/account/apps/add", { form: { ...PHOTOS, redirects } });
    return send("/account/apps/photos");
  }),
  "an app with a new secret": signedIn(
    sendForm("/account/apps/add", { ...PHOTOS, redirects: "https://photos.example.org/callback" }),
  ),
  "activity of everybody": signedIn(openPath("/account/activity")),
  "error when signed in": signedIn(openPath("/nothing")),
  "error for a user whom an app does not admit": signedIn(excluded),
};

for (const [name, open] of Object.entries(states)) {
  test(`${name}: small and valid HTML with labels, nothing inline`, async (t) => {
    const { body } = await open(t, longest);
    const isShell = body.includes('<body class="shell">');
    const style = isShell ? STYLE_SHEET + SHELL_STYLE_SHEET : STYLE_SHEET;
    const bytes = Buffer.byteLength(body) + Buffer.byteLength(style);
    const most = isShell ? MAX_SHELL_BYTES : MAX_CARD_BYTES;
    assert.ok(bytes < most, `${longest}: ${bytes} bytes`);
    const { results } = await validator.validateString(body);
    const problems = results.flatMap(({ messages }) => messages);
    assert.deepEqual(problems, []);
    assertNothingInline(body);
    const ids = [...body.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => id);
    assert.equal(new Set(ids).size, ids.length, "each ID once");
    const labelled = elements(body, "label").map((label) => label.for);
    const asked = ["input", "select", "textarea"]
      .flatMap((name) => elements(body, name))
      .filter(
        ({ type, hidden, "aria-label": label }) =>
          type !== "hidden" && hidden === undefined && !label,
      );
    assert.deepEqual(labelled.map(String).sort(), asked.map(({ id }) => String(id)).sort());
    const references = [...body.matchAll(/\saria-(?:describedby|labelledby)="([^"]*)"/g)];
    for (const id of references.flatMap(([, named = ""]) => named.split(" "))) {
      assert.ok(ids.includes(id), `#${id}`);
    }
    assert.ok(elements(body, "input").filter(({ autofocus }) => autofocus === "").length <= 1);
  });
}
