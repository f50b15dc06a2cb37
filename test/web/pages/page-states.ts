import { writeFile } from "node:fs/promises";
import type { TestContext } from "node:test";
import type { Locale } from "../../../src/web/pages/words.ts";
import type { Answer, Sending } from "../../support/client.ts";
import { execute } from "../../support/database.ts";
import { OWNER, type RunningGate, startGate } from "../../support/gate.ts";

interface Visitor {
  readonly gate: RunningGate;
  readonly session: string | undefined;
  /** In the visitor's language, and signed in if the visitor is. */
  send(path: string, sending?: Sending): Promise<Answer>;
}

/** A way to a page in a state that people meet. */
export type State = (t: TestContext, locale: Locale) => Promise<Answer>;

type Way = (visitor: Visitor) => Promise<Answer>;

async function visit(
  t: TestContext,
  locale: Locale,
  isOwner: (gate: RunningGate) => Promise<string | undefined>,
) {
  const gate = await startGate(t, { domainSetupCommand: process.execPath });
  const session = await isOwner(gate);
  const send: Visitor["send"] = (path, sending = {}) =>
    gate.send(path, {
      session,
      ...sending,
      headers: { "Accept-Language": locale, ...sending.headers },
    });
  return { gate, session, send };
}

/** At a gate without an account, which asks for a token and a domain. */
const fresh =
  (way: Way): State =>
  async (t, locale) =>
    way(
      await visit(t, locale, async (gate) => {
        await writeFile(gate.setupTokenFile, "the token");
        return undefined;
      }),
    );

/** At a gate with an account, signed out. */
const away =
  (way: Way): State =>
  async (t, locale) =>
    way(
      await visit(t, locale, async (gate) => {
        await gate.setUp();
        return undefined;
      }),
    );

/** The same signed in. */
const home =
  (way: Way): State =>
  async (t, locale) =>
    way(await visit(t, locale, (gate) => gate.setUp()));

const at =
  (path: string): Way =>
  ({ send }) =>
    send(path);

const setUpWith =
  (fields: Readonly<Record<string, string>>): Way =>
  ({ send }) =>
    send("/setup", {
      form: {
        token: "the token",
        ...OWNER,
        confirm: OWNER.password,
        domain: "a.example",
        ...fields,
      },
    });

const changeWith =
  (fields: Readonly<Record<string, string>>): Way =>
  ({ send }) => {
    const { password } = OWNER;
    const right = {
      current_password: password,
      new_password: password,
      confirm_password: password,
    };
    return send("/account/password", { form: { ...right, ...fields } });
  };

const withTenEntries: Way = async ({ gate, send }) => {
  for (let i = 0; i < 10; i += 1) {
    await gate.signIn(
      { username: i % 3 === 0 ? "nobody" : OWNER.username },
      { from: `127.0.0.${i + 2}` },
    );
  }
  for (let i = 0; i < 8; i += 1) await gate.signIn({}, { from: "127.0.0.99" });
  return send("/");
};

const withNotice: Way = ({ session, send }) =>
  send("/", { headers: { Cookie: `session=${session}; latchkey-notice=password-changed` } });

const withoutLog: Way = async ({ gate, send }) => {
  await gate.logEntries(1);
  execute(gate.databaseFile, "ALTER TABLE log_entries RENAME TO hidden");
  return send("/");
};

export const states: Readonly<Record<string, State>> = {
  setup: fresh(at("/setup")),
  "setup by its link": fresh(at("/setup?token=the%20token&return_to=%2Fpage%3Fa%26b")),
  "setup refused for its token": fresh(setUpWith({ token: "wrong" })),
  "setup refused for nothing in it": fresh(setUpWith({ username: "", password: "" })),
  "setup refused for its passwords": fresh(setUpWith({ confirm: "another" })),
  "sign-in before there is an account": fresh(at("/login")),
  "an error before there is an account": fresh(at("/nothing")),
  "sign-in": away(at("/login?return_to=%2Fpage%3Fa%26b")),
  "sign-in that failed": away(at("/login?error=1")),
  "an error for somebody signed out": away(at("/logout")),
  home: home(at("/")),
  "home with ten entries": home(withTenEntries),
  "home after a change": home(withNotice),
  "home without its log": home(withoutLog),
  "home after nothing was filled in": home(changeWith({ current_password: "", new_password: "" })),
  "home after a wrong password": home(changeWith({ current_password: "wrong" })),
  "home after different passwords": home(changeWith({ confirm_password: "another" })),
  "home after a short password": home(changeWith({ new_password: "x", confirm_password: "x" })),
  "an error for somebody signed in": home(at("/nothing")),
};
