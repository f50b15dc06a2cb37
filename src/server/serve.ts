import { mkdir } from "node:fs/promises";
import type { Server } from "node:http";
import { type Auth, createAuth } from "../auth.ts";
import { Fault, messageOf } from "../core/fault.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup-token.ts";
import type { Store } from "../core/store.ts";
import { isSilentlyPlain } from "../stores/postgres-url.ts";
import { membershipOf } from "../web/remote-address.ts";
import { domainCommand } from "./domain-command.ts";
import { createListener, drain, listen } from "./listener.ts";
import { type LogRetention, startLogRetention } from "./log-retention.ts";
import { type OpenStore, openStore } from "./open-store.ts";
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
  const store = await openStore(settings, "create");
  const setupToken = setupTokenFile(settings.setupTokenFile);
  let auth: Auth | undefined;
  try {
    auth = createAuth({
      store,
      setupToken,
      secret: settings.secret,
      previousSecrets: settings.previousSecrets,
      postLoginLocation: settings.postLoginLocation,
      appName: settings.appName,
      accentColor: settings.accentColor,
      logoFile: settings.logoFile,
      locale: settings.locale,
      siteFiles: "on",
      health: "on",
      logFailures: settings.logFailures,
      pagesDir: settings.pagesDir,
      limiter: settings.limiter,
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
    if (settings.databaseUrl !== undefined && isSilentlyPlain(settings.databaseUrl)) {
      log.warn({}, "the connection to the database is not encrypted: DATABASE_URL has no sslmode");
    }
    await warnIfOpenToStrangers(settings.host, store, setupToken, log);
    const server = createListener(auth.routes);
    const url = await listen(server, settings.host, settings.port);
    log.info({ url }, `Latchkey listens on ${url}`);
    const retention = retain(settings, store, log);
    return { url, stop: stopper(server, auth, store, retention) };
  } catch (error) {
    await auth?.close();
    await store.close();
    throw error;
  }
}

function retain(
  { logRetentionMs }: Settings,
  store: OpenStore,
  log: GateLog,
): LogRetention | undefined {
  if (logRetentionMs === undefined) return undefined;
  return startLogRetention(store, logRetentionMs, () => Date.now(), log);
}

function stopper(
  server: Server,
  auth: Auth,
  store: OpenStore,
  retention: LogRetention | undefined,
): () => Promise<void> {
  return async () => {
    await drain(server, DRAIN_WITHIN_MS);
    await retention?.stop();
    await auth.close();
    await store.close();
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

const isLoopback = membershipOf(["127.0.0.0/8", "::1"]);

/** Without an account and without a token, whoever comes first owns the place. */
async function warnIfOpenToStrangers(
  host: string,
  store: Store,
  setupToken: SetupTokenSource,
  log: GateLog,
): Promise<void> {
  if (host === "localhost" || isLoopback(host)) return;
  if ((await store.hasUsers()) || isSetupTokenExpected(await setupToken.read())) return;
  log.warn(
    {},
    "there is no account yet, and whoever reaches this server first can make it: run `latchkey setup-link` to ask for a token",
  );
}
