import { mkdir } from "node:fs/promises";
import type { Server } from "node:http";
import { type Auth, createAuth } from "../auth.ts";
import { codeOf, Fault, messageOf } from "../core/fault.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup-token.ts";
import type { Store } from "../core/store.ts";
import { openSqlite, type SqliteStore } from "../stores/sqlite.ts";
import { membershipOf } from "../web/remote-address.ts";
import { domainCommand } from "./domain-command.ts";
import { createListener, drain, listen } from "./listener.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings.ts";
import { setupTokenFile } from "./setup-token-file.ts";

/** Together with the two seconds for log entries, less than the ten that service managers grant. */
const DRAIN_WITHIN_MS = 7_000;

export interface Gate {
  readonly url: string;
  /** Finishes what is in flight, writes what is waiting, closes everything. Below ten seconds. */
  stop(): Promise<void>;
}

/** The standalone gate. What keeps it from starting is thrown, after all that was opened is closed. */
export async function serve(settings: Settings, log: GateLog): Promise<Gate> {
  await makeDataDir(settings.dataDir);
  const store = await openStore(settings.databaseFile);
  const setupToken = setupTokenFile(settings.setupTokenFile);
  let auth: Auth | undefined;
  try {
    auth = createAuth({
      store,
      setupToken,
      secret: settings.secret,
      postLoginLocation: settings.postLoginLocation,
      pagesDir: settings.pagesDir,
      trustedProxies: settings.trustedProxies,
      publicUrl: settings.publicUrl,
      cookieDomain: settings.cookieDomain,
      forwardAuth: "on",
      setUpDomain:
        settings.domainSetupCommand === undefined
          ? undefined
          : domainCommand(settings.domainSetupCommand, settings.programEnvironment),
      log,
    });
    await warnIfOpenToStrangers(settings.host, store, setupToken, log);
    const server = createListener(auth.routes);
    const url = await listen(server, settings.host, settings.port);
    log.info({ url }, `Latchkey listens on ${url}`);
    return { url, stop: stopper(server, auth, store) };
  } catch (error) {
    await auth?.close();
    store.close();
    throw error;
  }
}

function stopper(server: Server, auth: Auth, store: SqliteStore): () => Promise<void> {
  return async () => {
    await drain(server, DRAIN_WITHIN_MS);
    await auth.close();
    store.close();
  };
}

export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Fault("data_dir_unusable", `cannot make DATA_DIR ${dataDir}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function openStore(file: string): Promise<SqliteStore> {
  try {
    return await openSqlite({ file });
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(
      codeOf(error) ?? "database_unusable",
      `cannot use the database ${file}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

const isLoopback = membershipOf(["127.0.0.0/8", "::1"]);

/** Without an account and without a token, whoever comes first owns the place. */
async function warnIfOpenToStrangers(
  host: string,
  store: Store,
  setupToken: SetupTokenSource,
  log: GateLog,
): Promise<void> {
  if (host === "localhost" || isLoopback(host)) return;
  if ((await store.countUsers()) > 0 || isSetupTokenExpected(await setupToken.read())) return;
  log.warn(
    {},
    "there is no account yet, and whoever reaches this server first can make it: run `latchkey setup-link` to ask for a token",
  );
}
