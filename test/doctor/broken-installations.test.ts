import assert from "node:assert/strict";
import { chmod, chown, mkdir, readFile, rename, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import type { UserId } from "../../src/db/records.ts";
import { getCodesPurpose } from "../../src/features/codes/check-code.ts";
import { CertificateFolder } from "../../src/gate/https/certificate-folder.ts";
import { createSeals } from "../../src/identity/seals.ts";
import { isRoot, OTHER_USER } from "../cli/other-user.ts";
import { filled } from "../cli/transfer/backup-place.ts";
import { startRecordingApp } from "../proxies/recording-app.ts";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { send } from "../support/client.ts";
import { runCommand } from "../support/command.ts";
import { execute, valuesOf } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { type RunningGate, SECRET, startConfigured, startGate } from "../support/gate.ts";
import { listenOn } from "../support/listen.ts";
import { runSql } from "../support/postgres-admin.ts";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { openStoreAt } from "../support/postgres-store.ts";
import { hashText } from "../support/store.ts";
import { fileWith, tempDir } from "../support/temp-dir.ts";

const STRONG = "wK3v0T9-xQ2m_Zr7LbYc4NdPfHs8Ju1A";

type Env = Readonly<Record<string, string>>;

interface Installed {
  readonly env: Env;
  readonly folder: string;
  readonly database: string;
}

/** A correct installation with an account, whose gate does not run. */
async function installed(t: TestContext): Promise<Installed> {
  const { folder, database } = await filled(t, ["owner"], 500);
  const env = { DATA_DIR: folder, AUTH_SECRET: STRONG, PORT: String(await freePort()) };
  return { env, folder, database };
}

const postgres = await sharedPostgres();

async function onPostgres(t: TestContext): Promise<{ readonly env: Env; readonly url: string }> {
  const url = await postgres.newDatabase();
  const store = await openStoreAt(t, url);
  await store.users.insertFirst({ username: "owner", passwordHash: hashText("hash") });
  const PORT = String(await freePort());
  return { url, env: { DATA_DIR: await tempDir(t), AUTH_SECRET: STRONG, PORT, DATABASE_URL: url } };
}

/** What the doctor gets, and what it must report. */
interface Given {
  readonly env: Env;
  readonly args?: readonly string[];
}

type Broken = readonly [
  check: string,
  found: RegExp,
  remedy: RegExp,
  breaks: (t: TestContext) => Promise<Given>,
];

const withEnv =
  (env: Env) =>
  async (t: TestContext): Promise<Given> => ({ env: { ...(await installed(t)).env, ...env } });

const withFiles =
  (change: (place: Installed) => Promise<Env | undefined> | Env | undefined) =>
  async (t: TestContext): Promise<Given> => {
    const place = await installed(t);
    return { env: { ...place.env, ...(await change(place)) } };
  };

const withSql = (sql: string) =>
  withFiles(({ database }) => {
    execute(database, sql);
    return undefined;
  });

const withPostgres =
  (sql: string) =>
  async (t: TestContext): Promise<Given> => {
    const { url, env } = await onPostgres(t);
    await runSql(url, sql);
    return { env };
  };

/** An installation without an account that other machines can reach. */
const beforeSetup =
  (env: (folder: string) => Promise<Env> | Env) =>
  async (t: TestContext): Promise<Given> => {
    const DATA_DIR = await tempDir(t);
    const own = { DATA_DIR, AUTH_SECRET: STRONG, PORT: String(await freePort()), HOST: "0.0.0.0" };
    return { env: { ...own, ...(await env(DATA_DIR)) } };
  };

const withCertificate =
  (files: (folder: string) => Promise<Env>) =>
  async (t: TestContext): Promise<Given> => ({
    env: { ...(await installed(t)).env, ...(await files(await tempDir(t))) },
  });

async function certificateEnv(
  folder: string,
  ...made: Parameters<typeof makeCertificate>
): Promise<Env> {
  const { certFile, keyFile } = await writeCertificate(folder, makeCertificate(...made));
  return { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

const envOf = ({ url, dataDir }: RunningGate): Env => ({
  PORT: new URL(url).port,
  DATA_DIR: dataDir,
  AUTH_SECRET: SECRET,
});

const withGate =
  (given: (gate: RunningGate, t: TestContext) => Promise<Given> | Given) =>
  async (t: TestContext): Promise<Given> =>
    given((await startConfigured(t)).gate, t);

interface Relayed {
  readonly request?: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders;
  readonly response?: (headers: IncomingHttpHeaders) => OutgoingHttpHeaders;
}

/** A proxy that changes headers on the way. Returns its URL. */
async function startRelay(t: TestContext, target: string, relayed: Relayed): Promise<string> {
  const { request = (headers) => headers, response = (headers) => headers } = relayed;
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { method = "GET", url = "" } = incoming;
      const body = await readText(incoming);
      const headers = request(incoming.headers) as Env;
      const answer = await send(`${target}${url}`, { method, headers, ...(body && { body }) });
      outgoing.writeHead(answer.status, response(answer.headers)).end(answer.body);
    } catch {
      outgoing.writeHead(502).end();
    }
  });
  return `http://127.0.0.1:${await listenOn(t, server)}`;
}

const behindProxy = (relayed: Relayed) =>
  withGate(async (gate, t) => ({
    env: envOf(gate),
    args: ["--url", await startRelay(t, gate.url, relayed)],
  }));

const withoutAnswer = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`;

/** By what is broken. */
const broken: Readonly<Record<string, Broken>> = {
  "a port that does not exist": ["settings", /PORT/, /^correct it/, withEnv({ PORT: "70000" })],
  "a proxy that is not an address": [
    "settings",
    /TRUSTED_PROXIES/,
    /^correct it/,
    withEnv({ TRUSTED_PROXIES: "my proxy" }),
  ],
  "a public URL without a scheme": [
    "settings",
    /PUBLIC_URL/,
    /^correct it/,
    withEnv({ PUBLIC_URL: "auth.example.org" }),
  ],
  "an unknown log level": ["settings", /LOG_LEVEL/, /^correct it/, withEnv({ LOG_LEVEL: "loud" })],
  "another kind of database": [
    "settings",
    /DATABASE_URL/,
    /^correct it/,
    withEnv({ DATABASE_URL: "mysql://here" }),
  ],
  "a secret file that does not exist": [
    "settings",
    /AUTH_SECRET_FILE/,
    /^correct it/,
    async (t) => {
      const { AUTH_SECRET: _, ...env } = (await installed(t)).env;
      return { env: { ...env, AUTH_SECRET_FILE: "/nowhere/secret" } };
    },
  ],
  "an env file that does not exist": [
    "settings",
    /nowhere/,
    /^correct it/,
    async (t) => ({ env: (await installed(t)).env, args: ["--env-file", "/nowhere/env"] }),
  ],
  "no secret": [
    "secret",
    /AUTH_SECRET is not set/,
    /latchkey secret/,
    withEnv({ AUTH_SECRET: "" }),
  ],
  "a secret that can be guessed": [
    "secret",
    /can be guessed/,
    /latchkey secret/,
    withEnv({ AUTH_SECRET: "changeme" }),
  ],
  "a previous secret that can be guessed": [
    "secret",
    /AUTH_SECRET_PREVIOUS can be guessed/,
    /remove it/,
    withEnv({ AUTH_SECRET_PREVIOUS: "short" }),
  ],
  "a proxy range of all clients": [
    "proxy",
    /trusts every client/,
    /addresses of your proxies/,
    withEnv({ TRUSTED_PROXIES: "0.0.0.0/0" }),
  ],

  "a file in place of the data folder": [
    "data folder",
    /is not a folder/,
    /correct DATA_DIR/,
    async (t) => {
      const { env } = await installed(t);
      return { env: { ...env, DATA_DIR: await fileWith(t, "") } };
    },
  ],
  "a data folder that every user can write to": [
    "data folder",
    /can write to/,
    /^chmod 700/,
    withFiles(async ({ folder }) => {
      await chmod(folder, 0o777);
      return undefined;
    }),
  ],
  "a database that every user can read": [
    "data folder",
    /every local user can read/,
    /^chmod 600/,
    withFiles(async ({ folder, database }) => {
      await chmod(folder, 0o711);
      await chmod(database, 0o644);
      return undefined;
    }),
  ],
  "a link to a data folder on a disk that is not mounted": [
    "data folder",
    /is a link to a folder that does not exist/,
    /^mount the disk/,
    withFiles(async ({ folder }) => {
      const link = join(folder, "data");
      await symlink(join(folder, "missing"), link);
      return { DATA_DIR: link };
    }),
  ],
  "a link to a database on a disk that is not mounted": [
    "database",
    /is a link to a file that does not exist/,
    /^mount the disk/,
    withFiles(async ({ folder, database }) => {
      await rename(database, `${database}.away`);
      await symlink(join(folder, "missing"), database);
      return undefined;
    }),
  ],
  "a folder in place of the database": [
    "database",
    /cannot use|is damaged/,
    /./,
    withFiles(async ({ database }) => {
      await rename(database, `${database}.away`);
      await mkdir(database);
      return undefined;
    }),
  ],
  "a restore that was killed": [
    "leftovers",
    /a restore that was killed has moved/,
    /mv -n/,
    withFiles(async ({ folder, database }) => {
      const moved = `${database}.replaced-2030-01-01T00-00-00Z`;
      await writeFile(`${moved}-wal`, "the newest changes");
      // Another name of the same file: it was not moved yet.
      const { link } = await import("node:fs/promises");
      await link(database, moved);
      return { DATA_DIR: folder };
    }),
  ],

  "a first account that anyone can create": [
    "accounts",
    /anyone who can reach the gate can create/,
    /setup-link/,
    beforeSetup(() => ({ SETUP_TOKEN: "off" })),
  ],
  "a folder in place of the setup token": [
    "accounts",
    /cannot read the setup token file/,
    /SETUP_TOKEN_FILE unset/,
    beforeSetup((folder) => ({ SETUP_TOKEN_FILE: folder })),
  ],
  "a link to a setup token that does not exist": [
    "accounts",
    /broken symbolic link/,
    /SETUP_TOKEN_FILE unset/,
    beforeSetup(async (folder) => {
      const link = join(folder, "link");
      await symlink(join(folder, "missing"), link);
      return { SETUP_TOKEN_FILE: link };
    }),
  ],
  "one-time codes that another secret has sealed": [
    "one-time codes",
    /does not open the one-time codes of 1 of 1 accounts/,
    /AUTH_SECRET_PREVIOUS/,
    withFiles(({ database }) => {
      const id = String(valuesOf(database, "SELECT id FROM latchkey_users")[0]?.[0]);
      const sealed = createSeals("another secret").seal(
        Buffer.alloc(20),
        getCodesPurpose(id as UserId),
      );
      const columns = "user_id, secret, last_step, recovery, wrong";
      execute(
        database,
        `INSERT INTO latchkey_codes (${columns}) VALUES ('${id}', '${sealed}', 0, '', 0)`,
      );
      return undefined;
    }),
  ],

  "a damaged page of the database": [
    "database",
    /is damaged/,
    /latchkey restore/,
    withFiles(async ({ database }) => {
      const bytes = await readFile(database);
      await writeFile(database, bytes.fill(0xaa, 4_096 * 6, 4_096 * 7));
      return undefined;
    }),
  ],
  "a file that is not a database": [
    "database",
    /is damaged|cannot use/,
    /restore/,
    withFiles(async ({ database }) => {
      await writeFile(database, "x".repeat(8_192));
      return undefined;
    }),
  ],
  "a database of a newer Latchkey": [
    "database",
    /has schema 99/,
    /newer Latchkey/,
    withSql("PRAGMA user_version = 99"),
  ],
  "a missing index": [
    "database",
    /index .* is missing/,
    /restore/,
    withSql("DROP INDEX latchkey_sessions_by_expires_at"),
  ],
  "usernames that are not unique": [
    "database",
    /users.* is missing|users.* is not as Latchkey creates it/,
    /restore/,
    withSql(
      "CREATE TABLE u AS SELECT * FROM latchkey_users; DROP TABLE latchkey_users; ALTER TABLE u RENAME TO latchkey_users",
    ),
  ],
  "a foreign trigger": [
    "database",
    /is not Latchkey's/,
    /restore/,
    withSql("CREATE TRIGGER t AFTER DELETE ON latchkey_users BEGIN SELECT 1; END"),
  ],
  "a view in place of a table": [
    "database",
    /is missing|is not as Latchkey/,
    /restore/,
    withSql("ALTER TABLE latchkey_keys RENAME TO k; CREATE VIEW latchkey_keys AS SELECT * FROM k"),
  ],

  "a PostgreSQL that does not run": [
    "database",
    /does not answer/,
    /check that it runs/,
    async (t) => {
      const { env } = await onPostgres(t);
      const DATABASE_URL = `postgres://postgres@127.0.0.1:${await freePort()}/a`;
      return { env: { ...env, DATABASE_URL } };
    },
  ],
  "a PostgreSQL database that does not exist": [
    "database",
    /does not answer: .*does not exist/,
    /right host, port, user, password and database/,
    async (t) => {
      const { env, url } = await onPostgres(t);
      return { env: { ...env, DATABASE_URL: `${url}_missing` } };
    },
  ],
  "a missing index in PostgreSQL": [
    "database",
    /lacks the index \(user_id, used_at\) of latchkey_sessions/,
    /^run CREATE INDEX latchkey_sessions_by_user_id_used_at ON "public"\.latchkey_sessions \(/,
    withPostgres("DROP INDEX latchkey_sessions_by_user_id_used_at"),
  ],
  "usernames that are not unique in PostgreSQL": [
    "database",
    /lacks the unique key \(username\) of latchkey_users/,
    /^run ALTER TABLE "public"\.latchkey_users ADD UNIQUE \(username\)/,
    withPostgres("ALTER TABLE latchkey_users DROP CONSTRAINT latchkey_users_username_key"),
  ],
  "links without a primary key in PostgreSQL": [
    "database",
    /lacks the primary key \(id\) of latchkey_links/,
    /ADD PRIMARY KEY \(id\)/,
    withPostgres("ALTER TABLE latchkey_links DROP CONSTRAINT latchkey_links_pkey"),
  ],
  "keys that outlive their account in PostgreSQL": [
    "database",
    /lacks the foreign key \(user_id\) of latchkey_keys/,
    /ADD FOREIGN KEY \(user_id\) REFERENCES "public"\.latchkey_users \(id\) ON DELETE CASCADE/,
    withPostgres("ALTER TABLE latchkey_keys DROP CONSTRAINT latchkey_keys_user_id_fkey"),
  ],
  "triggers that are turned off in PostgreSQL": [
    "database",
    /lacks the foreign key \(user_id\) of latchkey_sessions/,
    /./,
    withPostgres("ALTER TABLE latchkey_sessions DISABLE TRIGGER ALL"),
  ],
  "a missing table in PostgreSQL": [
    "database",
    /lacks the table latchkey_passkeys/,
    /dump/,
    withPostgres("DROP TABLE latchkey_passkeys"),
  ],
  "a missing column in PostgreSQL": [
    "database",
    /lacks the column groups of latchkey_users/,
    /dump/,
    withPostgres("ALTER TABLE latchkey_users DROP COLUMN groups"),
  ],
  "a role that may only read PostgreSQL": [
    "database",
    /may not read and write .*latchkey_users/,
    /GRANT SELECT, INSERT/,
    async (t) => {
      const { env, url } = await onPostgres(t);
      await runSql(
        url,
        "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
      );
      t.after(() => runSql(url, "DROP OWNED BY reader; DROP ROLE reader"));
      return { env: { ...env, DATABASE_URL: url.replace("//postgres@", "//reader@") } };
    },
  ],
  "a PostgreSQL database that is set to read only": [
    "database",
    /is read-only for this role/,
    /RESET default_transaction_read_only/,
    async (t) => {
      const { env, url } = await onPostgres(t);
      const name = new URL(url).pathname.slice(1);
      await runSql(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
      return { env };
    },
  ],
  "a foreign rule in PostgreSQL": [
    "database",
    /the rule r is not Latchkey's/,
    /dump/,
    withPostgres("CREATE RULE r AS ON INSERT TO latchkey_log DO INSTEAD NOTHING"),
  ],

  "certificate files of something else": [
    "certificate files",
    /cannot be used/,
    /fullchain/,
    withCertificate(async (folder) => {
      const file = join(folder, "file.pem");
      await writeFile(file, "not a certificate");
      return { TLS_CERT_FILE: file, TLS_KEY_FILE: file };
    }),
  ],
  "certificate files that do not exist": [
    "settings",
    /TLS_CERT_FILE=.* is invalid: expected a readable file/,
    /^correct it/,
    withCertificate(async (folder) => ({
      TLS_CERT_FILE: join(folder, "cert.pem"),
      TLS_KEY_FILE: join(folder, "key.pem"),
    })),
  ],
  "a key of another certificate": [
    "certificate files",
    /the key belongs to another certificate/,
    /fullchain/,
    withCertificate(async (folder) => {
      const env = await certificateEnv(folder, { names: ["auth.example.org"] });
      await writeFile(join(folder, "other.pem"), makeCertificate().key);
      return { ...env, TLS_KEY_FILE: join(folder, "other.pem") };
    }),
  ],
  "an expired certificate": [
    "certificate files",
    /expired on 2021-01-01/,
    /renew it/,
    withCertificate((folder) =>
      certificateEnv(folder, { names: ["a.test"], until: new Date("2021-01-01") }),
    ),
  ],
  "a certificate for another name than the public URL": [
    "certificate files",
    /is not for auth\.example\.org, the host of PUBLIC_URL/,
    /get a certificate for this name/,
    withCertificate(async (folder) => ({
      ...(await certificateEnv(folder, { names: ["other.example.org", "*.auth.example.org"] })),
      PUBLIC_URL: "https://auth.example.org",
    })),
  ],
  "automatic certificates for other names than the public URL": [
    "own certificates",
    /none of the automatic certificates is for auth\.example\.org/,
    /latchkey domain add/,
    withFiles(async ({ folder }) => {
      await new CertificateFolder(folder).request("other.example.org");
      return { HTTPS_PORT: "3443", PUBLIC_URL: "https://auth.example.org" };
    }),
  ],
  "an automatic certificate that cannot be had": [
    "own certificates",
    /no certificate for auth\.example\.org yet: port 80 is closed/,
    /port 80/,
    withFiles(async ({ folder }) => {
      const certificates = new CertificateFolder(folder);
      await certificates.request("auth.example.org");
      const progress = { failures: 1, lastAt: 1, nextAt: 2, cause: "port 80 is closed" };
      await certificates.write("auth.example.org", "progress.json", progress);
      return { HTTPS_PORT: "3443" };
    }),
  ],

  "a folder in place of the style sheet": [
    "settings",
    /^CUSTOM_CSS: it is not a regular file$/,
    /correct it/,
    withFiles(async ({ folder }) => ({ CUSTOM_CSS: folder })),
  ],
  "the same port for two listeners": [
    "ports",
    /PORT and METRICS_PORT are both 3456, so the gate does not start/,
    /set METRICS_PORT to another port/,
    withEnv({ PORT: "3456", METRICS_PORT: "3456" }),
  ],
  "another program on the port of the gate": [
    "gate",
    /another program listens/,
    /stop that program/,
    async (t) => {
      const { place } = await startRecordingApp(t);
      return { env: { ...(await installed(t)).env, PORT: new URL(`http://${place}`).port } };
    },
  ],
  "a gate with another secret": [
    "gate",
    /has another AUTH_SECRET/,
    /restart the gate/,
    withGate((gate) => ({ env: { ...envOf(gate), AUTH_SECRET: STRONG } })),
  ],
  "a gate with another database": [
    "gate",
    /has another database/,
    /restart the gate/,
    withGate(async (gate, t) => {
      const { database } = await installed(t);
      return { env: { ...envOf(gate), DATABASE_URL: `sqlite:${database}` } };
    }),
  ],
  "a public URL of another server": [
    "public URL",
    /this gate does not answer there/,
    /correct PUBLIC_URL/,
    withGate(async (gate, t) => {
      const { place } = await startRecordingApp(t);
      return { env: { ...envOf(gate), PUBLIC_URL: `http://${place}` } };
    }),
  ],

  "an address where nothing answers": [
    "address",
    /does not answer/,
    /DNS, firewall and port/,
    withGate(async (gate) => ({ env: envOf(gate), args: ["--url", await withoutAnswer()] })),
  ],
  "an address of another server": [
    "address",
    /is not Latchkey/,
    /forward \/login/,
    withGate(async (gate, t) => {
      const { place } = await startRecordingApp(t);
      return { env: envOf(gate), args: ["--url", `http://${place}`] };
    }),
  ],
  "a proxy that does not reach the gate": [
    "address",
    /does not reach the gate/,
    /forwards to it/,
    withGate(async (gate, t) => ({
      env: envOf(gate),
      args: ["--url", await startRelay(t, await withoutAnswer(), {})],
    })),
  ],
  "a proxy that changes the host": [
    "address",
    /rejected as cross-site/,
    /proxy_set_header Host/,
    behindProxy({ request: (headers) => ({ ...headers, host: "backend.test" }) }),
  ],
  "a proxy that removes the cookie": [
    "cookie",
    /removes the Set-Cookie header/,
    /pass on Set-Cookie/,
    behindProxy({ response: ({ "set-cookie": _, ...headers }) => headers }),
  ],
  "a proxy that is not trusted": [
    "proxy",
    /TRUSTED_PROXIES is empty/,
    /set TRUSTED_PROXIES/,
    behindProxy({ response: (headers) => ({ ...headers, via: "1.1 proxy" }) }),
  ],
  "a host name that the gate refuses": [
    "hosts",
    /get 421/,
    /add 127\.0\.0\.1 to ALLOWED_HOSTS/,
    async (t) => {
      const gate = await startGate(t, { allowedHosts: ["other.test"] });
      return { env: envOf(gate), args: ["--url", gate.url] };
    },
  ],
  "a cookie domain without the host": [
    "cookie",
    /COOKIE_DOMAIN is example\.org, which does not include/,
    /set COOKIE_DOMAIN to a domain that includes/,
    withGate((gate) => ({
      env: { ...envOf(gate), COOKIE_DOMAIN: "example.org" },
      args: ["--url", gate.url],
    })),
  ],
  "a certificate that browsers do not trust": [
    "certificate",
    /is not trusted/,
    /authority that browsers trust/,
    async (t) => {
      const { cert, key } = makeCertificate({ names: ["localhost"] });
      const server = createSecureServer({ cert, key }, (_request, response) => response.end());
      const port = await listenOn(t, server);
      return { env: (await installed(t)).env, args: ["--url", `https://localhost:${port}`] };
    },
  ],
};

if (isRoot) {
  Object.assign(broken, {
    "a database of another user": [
      "data folder",
      /contains files of another user/,
      /^chown --reference/,
      withFiles(async ({ database }) => {
        await chown(database, OTHER_USER, OTHER_USER);
        return undefined;
      }),
    ],
  } satisfies typeof broken);
}

async function diagnose({ env, args = [] }: Given) {
  const { code, stdout, stderr } = await runCommand(["doctor", "--json", ...args], { env });
  assert.equal(stderr, "");
  const { checks }: { checks: readonly Readonly<Record<string, string>>[] } = JSON.parse(stdout);
  return { code, problems: checks.filter(({ outcome }) => outcome === "problem") };
}

test("finds no problem in a correct installation, with either database", async (t) => {
  for (const { env } of [await installed(t), await onPostgres(t)]) {
    assert.deepEqual(await diagnose({ env }), { code: 0, problems: [] });
  }
});

for (const [what, [check, found, remedy, breaks]] of Object.entries(broken)) {
  test(`reports ${what} as a problem, and how to fix it`, async (t) => {
    const { code, problems } = await diagnose(await breaks(t));
    assert.equal(code, 1);
    const reported = problems.find((one) => one.check === check && found.test(one.found ?? ""));
    assert.match(reported?.remedy ?? "", remedy, JSON.stringify(problems));
  });
}
