import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { whereInstalled } from "../proxies/program.ts";
import { OWNER } from "../support/gate.ts";
import { startPostgres } from "../support/postgres.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startRelay } from "./relay.ts";
import { countOf, isFault, startTarget, type Target } from "./target.ts";
import { type Outcome, runTool } from "./tool.ts";
import { formOf, startWeakServer } from "./weak-server.ts";

type Kind = "sqlite" | "postgresql";

interface Attack {
  readonly what: string;
  /** Before there is an account. */
  readonly isFirst?: true;
  readonly path: string;
  /** The form, which is posted. */
  readonly data?: string;
  /** The parameters, cookies and headers to test. */
  readonly parameters: string;
  /** The levels that are not as usual. */
  readonly levels?: Partial<Record<Kind, number>>;
}

const attacks: readonly Attack[] = [
  {
    what: "the form of the sign-in",
    path: "/login",
    data: `username=${OWNER.username}&password=wrong&return_to=/`,
    parameters: "username,password,return_to",
  },
  {
    // The passwords differ, because a valid setup would create the account and end the test.
    what: "the form of the setup",
    isFirst: true,
    path: "/setup",
    data: "token=x&username=someone&password=one&confirm=two&domain=example.org",
    parameters: "token,username,password,confirm,domain",
  },
  {
    what: "the form that changes the password",
    path: "/account/password",
    data: "current_password=wrong&new_password=correct+horse+2&confirm_password=correct+horse+2",
    parameters: "current_password,new_password,confirm_password",
    // Each request costs a password hash, and these fields do not reach the database.
    levels: { sqlite: 1 },
  },
  {
    what: "the query of the sign-in page",
    path: "/login?error=1&return_to=/",
    parameters: "error,return_to",
  },
  {
    what: "the session cookie and the headers at the guard",
    path: "/",
    parameters: "session,user-agent,referer",
    // Level 1 tests no cookies.
    levels: { postgresql: 2 },
  },
];

/** The level per database. PostgreSQL gets the same statements, and its level 1 has more payloads. */
const LEVELS: Readonly<Record<Kind, number>> = { sqlite: 3, postgresql: 1 };

/** The minimum number of requests per parameter. */
const TRIES = 20;

const isUntried =
  (output: string) =>
  (parameter: string): boolean =>
    !new RegExp(`testing for SQL injection on (\\S+ )?parameter '${parameter}'`, "i").test(output);

const INJECTABLE = /sqlmap identified the following injection point/;
const NOTHING = /all tested parameters do not appear to be injectable/;

whereInstalled("sqlmap", (program) => {
  async function inject(
    t: TestContext,
    url: string,
    kind: Kind,
    { data, parameters, levels }: Pick<Attack, "data" | "parameters" | "levels">,
    session?: string,
  ): Promise<Outcome> {
    const folder = await tempDir(t);
    const level = String(levels?.[kind] ?? LEVELS[kind]);
    const args = [
      ...["-u", url, "-p", parameters, "--dbms", kind, "--level", level, "--risk", "3"],
      ...["--batch", "--threads", "4", "--time-sec", "2", "--disable-coloring"],
      ...["--output-dir", folder],
      ...(data === undefined ? [] : ["--data", data]),
      // Following redirects would double the number of requests.
      "--ignore-redirects",
      "--drop-set-cookie",
      ...(session === undefined ? [] : ["--cookie", `session=${session}`]),
    ];
    return runTool(t, program, args, { folder, withinMs: 240_000 });
  }

  async function withStore(t: TestContext, kind: Kind): Promise<Target> {
    const env = { TRUSTED_PROXIES: "127.0.0.1", SETUP_TOKEN: "off" };
    if (kind === "sqlite") return startTarget(t, env);
    const postgres = await startPostgres(t);
    return startTarget(t, { ...env, DATABASE_URL: postgres.url(await postgres.createDatabase()) });
  }

  for (const kind of ["sqlite", "postgresql"] as const) {
    for (const attack of attacks) {
      test(`sqlmap finds nothing in ${attack.what}, on ${kind}`, async (t) => {
        const target = await withStore(t, kind);
        const session = attack.isFirst ? undefined : await target.setUp();
        const relay = await startRelay(t, target.url);
        const { output } = await inject(t, `${relay.url}${attack.path}`, kind, attack, session);
        // First, since sqlmap only says that it cannot connect.
        assert.deepEqual(relay.failures, []);
        assert.doesNotMatch(output, INJECTABLE);
        assert.match(output, NOTHING);
        const parameters = attack.parameters.split(",");
        assert.deepEqual(parameters.filter(isUntried(output)), [], output);
        const answered = await target.answered();
        const [route = ""] = attack.path.split("?");
        const tried = countOf(answered, route, attack.data === undefined ? "GET" : "POST");
        assert.ok(tried >= TRIES * parameters.length, `${tried} requests`);
        assert.deepEqual(answered.filter(isFault), []);
        assert.equal(await target.denials(), 0, "the limiter hid nothing");
        const after = await target.signIn();
        assert.equal(after.location, session === undefined ? "/setup" : "/");
      });
    }
  }

  test("sqlmap finds the flaw of a server that builds SQL from its input", async (t) => {
    const database = new DatabaseSync(":memory:");
    t.after(() => database.close());
    database.exec(
      "CREATE TABLE latchkey_users (username TEXT); INSERT INTO latchkey_users VALUES ('owner')",
    );
    const url = await startWeakServer(t, async (incoming, outgoing) => {
      const username = (await formOf(incoming)).get("username");
      outgoing.writeHead(303, { Location: isThere(database, username) ? "/" : "/login?error=1" });
      outgoing.end();
    });
    const attack = { data: "username=owner&password=x", parameters: "username" };
    const { output } = await inject(t, `${url}/login`, "sqlite", attack);
    assert.match(output, INJECTABLE);
    assert.doesNotMatch(output, NOTHING);
  });
});

/** Builds SQL from user input, which is the flaw to find. */
function isThere(database: DatabaseSync, username: string | null): boolean {
  try {
    const sql = `SELECT username FROM latchkey_users WHERE username = '${username}'`;
    return database.prepare(sql).get() !== undefined;
  } catch {
    return false;
  }
}
