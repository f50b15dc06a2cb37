import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { checkSecret, checkSecretFiles } from "../../src/doctor/secret.ts";
import { DEVELOPMENT_SECRET } from "../../src/identity/session-token.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck } from "./installation.ts";

const STRONG = "wK3v0T9-xQ2m_Zr7LbYc4NdPfHs8Ju1A";

test("reports the development secret", async () => {
  for (const env of [{}, { AUTH_SECRET: DEVELOPMENT_SECRET }]) {
    const notSet = /^AUTH_SECRET is not set/;
    await assertCheck(checkSecret, { env }, ["problem", notSet, /latchkey secret/]);
  }
  await assertCheck(checkSecret, { env: { AUTH_SECRET: STRONG } }, ["ok", /AUTH_SECRET is set/]);
});

test("reports a missing secret of AUTH_SECRET=auto, and accepts the one that the gate has made", async (t) => {
  const folder = await tempDir(t);
  const env = { AUTH_SECRET: "auto", DATA_DIR: folder };
  const missing = /^AUTH_SECRET=auto: .*auth-secret does not exist/;
  await assertCheck(checkSecret, { env }, ["problem", missing, /start the gate/]);
  await writeFile(join(folder, "auth-secret"), STRONG, { mode: 0o600 });
  await assertCheck(checkSecret, { env }, ["ok", /AUTH_SECRET is set/]);
});

test("reports weak current and previous secrets with the reason", async () => {
  const env = { AUTH_SECRET: "changeme", AUTH_SECRET_PREVIOUS: `${STRONG},short` };
  await assertCheck(
    checkSecret,
    { env },
    ["problem", /^a secret in AUTH_SECRET can be guessed: it is a placeholder/, /latchkey secret/],
    ["problem", /^a secret in AUTH_SECRET_PREVIOUS can be guessed: it has fewer/, /remove it/],
  );
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
  await assertCheck(
    checkSecretFiles,
    { env, envFile },
    ["hint", /the file of DATABASE_URL_FILE$/, /chmod o= .*database/],
    ["hint", /the file of AUTH_SECRET_FILE$/, /chmod o= .*secret/],
    ["hint", /the file of TLS_KEY_FILE$/, /chmod o= .*key\.pem/],
  );
  const withSecret = await file("secret.env", `AUTH_SECRET=${STRONG}\n`, 0o644);
  await assertCheck(checkSecretFiles, { envFile: withSecret }, ["hint", /file of --env-file$/]);
  const own = { AUTH_SECRET_FILE: await file("private", STRONG, 0o600) };
  await assertCheck(checkSecretFiles, { env: own }, ["ok", /AUTH_SECRET_FILE/]);
  await assertCheck(checkSecretFiles, { env: { AUTH_SECRET: STRONG } });
});
