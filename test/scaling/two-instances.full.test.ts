import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { parseEnv } from "node:util";
import { text } from "../docs/pages.ts";
import { withPlaces } from "../proxies/examples.ts";
import { around, runNginx } from "../proxies/nginx.ts";
import { whereInstalled } from "../proxies/program.ts";
import { type Sending, send } from "../support/client.ts";
import { outputOf, serveHere } from "../support/command.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { OWNER, SECRET, SETUP_FORM } from "../support/gate.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { tempDir } from "../support/temp-dir.ts";

const NGINX_HOST = "127.0.0.9";
/** Different from nginx's address and from its source address for requests to the gates. */
const CLIENT = "127.0.0.2";

const page = text("docs/scaling.md");
const configuration = text("docs/scaling/nginx.conf");

/** The settings of the page, with the secret and the database of this machine. */
async function settings(): Promise<Readonly<Record<string, string>>> {
  const [, lines = ""] = /```sh\n(.*?)```/s.exec(page) ?? [];
  const given = parseEnv(withPlaces(lines, { "10.0.0.10": "127.0.0.1", "10.0.0.11": "127.0.0.1" }));
  const DATABASE_URL = await (await sharedPostgres()).newDatabase();
  const own = { DATABASE_URL, AUTH_SECRET: SECRET, SETUP_TOKEN: "off" };
  const env = Object.entries({ ...given, ...own }).map(([name, value = ""]) => [name, value]);
  return Object.fromEntries(env);
}

async function startNginx(t: TestContext, nginx: string, gates: readonly string[]) {
  const [one = "", other = ""] = gates.map((url) => new URL(url).host);
  const port = await freePort(NGINX_HOST);
  const sites = withPlaces(configuration, {
    "listen 80;": `listen ${NGINX_HOST}:${port}; add_header X-Asked $upstream_addr always;`,
    "10.0.0.11:3000": one,
    "10.0.0.12:3000": other,
  });
  await runNginx(t, nginx, around(sites), { host: NGINX_HOST, port });
  return (path: string, sending?: Sending) =>
    send(`http://${NGINX_HOST}:${port}${path}`, { from: CLIENT, ...sending });
}

whereInstalled("nginx", (nginx) => {
  test("two instances share everything, and one serves while the other is down", async (t) => {
    const env = await settings();
    const start = async () => serveHere(t, { ...env, DATA_DIR: await tempDir(t) });
    const [one, other] = [await start(), await start()];
    const visit = await startNginx(t, nginx, [one.url, other.url]);
    const { session: ofOne } = await send(`${one.url}/setup`, { form: SETUP_FORM });
    assert.equal((await send(`${other.url}/setup`)).location, "/login");
    const { session: ofOther } = await send(`${other.url}/login`, { form: OWNER });
    for (const session of [ofOne, ofOther]) {
      for (const { url } of [one, other]) {
        const { body } = await send(`${url}/account/profile`, { session });
        assert.match(body, /Signed in as owner/);
      }
    }

    const asked = new Set<unknown>();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const { location, headers } = await visit("/login", {
        form: { ...OWNER, password: "wrong" },
      });
      assert.equal(location, "/login?error=1");
      asked.add(headers["x-asked"]);
    }
    assert.deepEqual(asked, new Set([one, other].map(({ url }) => new URL(url).host)));
    const denied = await visit("/login", { form: OWNER });
    assert.deepEqual([denied.location, denied.session], ["/login?error=1", undefined]);
    assert.equal((await visit("/login", { form: OWNER, from: "127.0.0.4" })).location, "/");
    const log = await eventually(async () => {
      const lines = (await outputOf(["log", "--json"], { env })).trimEnd().split("\n");
      return lines.length >= 4 ? lines.map((line) => JSON.parse(line)) : undefined;
    });
    // Each instance writes its entries after its answers.
    const types = log.map(({ type }) => type).sort();
    assert.deepEqual(types, ["signin", "signin", "signin_rate_limited", "signup"]);
    assert.ok(log.some(({ summary }) => summary === `Rate limited login from ${CLIENT}`));

    one.signal("SIGTERM");
    await one.ended;
    for (let visits = 0; visits < 10; visits += 1) {
      assert.equal((await visit("/account/profile", { session: ofOne })).status, 200);
    }
  });
});

test("scaling.md shows the complete nginx configuration", () => {
  const [, shown] = /```nginx\n(.*?)```/s.exec(page) ?? [];
  assert.equal(shown, configuration);
});
