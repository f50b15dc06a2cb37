import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DEVELOPMENT_SECRET } from "../../src/core/sessions/session-token.ts";
import { checkSecret, checkSecretFiles } from "../../src/doctor/secret.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertFound, findings } from "./installation.ts";

const STRONG = "wK3v0T9-xQ2m_Zr7LbYc4NdPfHs8Ju1A";
const NOT_SET = /AUTH_SECRET is not set/;

for (const env of [{}, { AUTH_SECRET: DEVELOPMENT_SECRET }]) {
  const which = env.AUTH_SECRET === undefined ? "no secret" : "the development secret";

  test(`gives a hint for ${which} while only this machine reaches the gate, otherwise a problem`, async () => {
    const hint = ["hint", NOT_SET, /latchkey secret/] as const;
    const problem = ["problem", NOT_SET, /latchkey secret/] as const;
    assertFound(await findings(checkSecret, { env }), hint);
    assertFound(await findings(checkSecret, { env: { ...env, HOST: "0.0.0.0" } }), problem);
    assertFound(await findings(checkSecret, { env, url: "https://auth.example.org" }), problem);
  });
}

test("says that the gate does not start with the development secret in production", async () => {
  const found = await findings(checkSecret, { env: { NODE_ENV: "production" } });
  assertFound(found, ["problem", /the gate does not start, because NODE_ENV is production$/]);
});

test("reports weak current and previous secrets with the reason, also if only this machine reaches the gate", async () => {
  const env = { AUTH_SECRET: "changeme", AUTH_SECRET_PREVIOUS: `${STRONG},short` };
  assertFound(
    await findings(checkSecret, { env }),
    ["problem", /^a secret in AUTH_SECRET can be guessed: it is a placeholder/, /latchkey secret/],
    ["problem", /^a secret in AUTH_SECRET_PREVIOUS can be guessed: it has fewer/, /remove it/],
  );
});

test("accepts a long random secret", async () => {
  const env = {
    AUTH_SECRET: STRONG,
    AUTH_SECRET_PREVIOUS: `${STRONG}older`,
    NODE_ENV: "production",
  };
  assertFound(await findings(checkSecret, { env }), ["ok", /AUTH_SECRET is set/]);
});

test("gives a hint for world-readable secret files, and accepts group-readable ones", async (t) => {
  const folder = await tempDir(t);
  const file = async (name: string, text: string, mode: number): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, text, { mode });
    return path;
  };
  const env = {
    AUTH_SECRET_FILE: await file("secret", STRONG, 0o644),
    AUTH_SECRET_PREVIOUS_FILE: await file("previous", STRONG, 0o640),
    DATABASE_URL_FILE: await file("database", "postgres://localhost/accounts", 0o604),
    TLS_CERT_FILE: await file("cert.pem", "a certificate", 0o644),
    TLS_KEY_FILE: await file("key.pem", "a key", 0o604),
  };
  const envFile = await file("env", "PORT=3000\n", 0o644);
  assertFound(
    await findings(checkSecretFiles, { env, envFile }),
    ["hint", /the file of DATABASE_URL_FILE$/, /chmod o= .*database/],
    ["hint", /the file of AUTH_SECRET_FILE$/, /chmod o= .*secret/],
    ["hint", /the file of TLS_KEY_FILE$/, /chmod o= .*key\.pem/],
  );
});

test("treats an env file that contains a secret as a secret file", async (t) => {
  const envFile = join(await tempDir(t), "env");
  await writeFile(envFile, `AUTH_SECRET=${STRONG}\n`, { mode: 0o644 });
  assertFound(await findings(checkSecretFiles, { envFile }), ["hint", /the file of --env-file/]);
});

test("accepts files that only their owner can read, and reports nothing without files", async (t) => {
  const file = join(await tempDir(t), "secret");
  await writeFile(file, STRONG, { mode: 0o600 });
  const env = { AUTH_SECRET_FILE: file };
  assertFound(await findings(checkSecretFiles, { env }), ["ok", /AUTH_SECRET_FILE/]);
  assertFound(await findings(checkSecretFiles, { env: { AUTH_SECRET: STRONG } }));
});
