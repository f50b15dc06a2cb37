import { type Auth, createAuth } from "../auth.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup-token.ts";
import type { Store } from "../core/store.ts";
import { isSilentlyPlain } from "../stores/postgres/url.ts";
import { methodsOf } from "../web/app.ts";
import { domainCommand } from "./domain-command.ts";
import { makeDataDir } from "./files/data-dir.ts";
import type { Certificates } from "./https/certificate-source.ts";
import { earliestExpiry } from "./https/certificate-source.ts";
import { openCertificates } from "./https/open-certificates.ts";
import { type Handle, handleOf } from "./listener.ts";
import { startListeners } from "./listeners.ts";
import { type LogRetention, startLogRetention } from "./log-retention.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { type OpenStore, openStore } from "./open-store.ts";
import { reachOf } from "./reach.ts";
import { loggingRequests } from "./request-log.ts";
import type { GateLog } from "./server-log.ts";
import { optionsOf, type Settings } from "./settings/settings.ts";
import { setupTokenFile } from "./setup-token-file.ts";

/** Together with the two seconds for log entries, less than the ten that service managers grant. */
const DRAIN_WITHIN_MS = 7_000;

export interface Gate {
  readonly url: string;
  /** Where HTTPS is served, with or without a certificate so far. */
  readonly httpsUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  /** Finishes what is in flight, writes what is waiting, closes everything. Below ten seconds. */
  stop(): Promise<void>;
}

/** The standalone gate. What keeps it from starting is thrown, after all that was opened is closed. */
export async function serve(settings: Settings, log: GateLog): Promise<Gate> {
  const opened = new AsyncDisposableStack();
  try {
    return { ...(await open(settings, log, opened)), stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** What is opened later may need what was opened before: it is closed in the opposite order. */
async function open(
  settings: Settings,
  log: GateLog,
  opened: AsyncDisposableStack,
): Promise<Omit<Gate, "stop">> {
  await makeDataDir(settings.dataDir);
  const certificates = await openCertificates(settings, () => Date.now(), log);
  opened.defer(async () => certificates?.source.stop());
  const kept = await openStore(settings, "create");
  opened.defer(async () => kept.close());
  const metrics = await metricsFor(settings, certificates);
  opened.defer(async () => metrics?.stop());
  const store = metrics?.timed(kept) ?? kept;
  const setupToken = setupTokenFile(settings.setupTokenFile, (reason) => {
    const file = settings.setupTokenFile;
    log.warn({ file, reason }, "the setup token file cannot be read: setup asks for no token");
  });
  const auth = createAuth({
    ...optionsOf(settings),
    store,
    setupToken,
    siteFiles: true,
    health: true,
    forwardAuth: true,
    setUpDomain: domainSetup(settings, certificates),
    meter: metrics?.meter,
    log,
  });
  opened.defer(() => auth.close());
  if (settings.databaseUrl !== undefined && isSilentlyPlain(settings.databaseUrl)) {
    log.warn({}, "the connection to the database is not encrypted: DATABASE_URL has no sslmode");
  }
  const setup = await setupState(kept, setupToken);
  if (setup === "open" && reachOf(settings) === "others") {
    log.warn(
      {},
      "no account yet, and anyone who can reach this server can create it: run `latchkey setup-link` to require a token",
    );
  }
  const retention = retain(settings, store, log);
  opened.defer(async () => retention?.stop());
  const metricsUrl = await metrics?.listen();
  if (metricsUrl !== undefined) log.info({}, `metrics are at ${metricsUrl}/metrics`);
  const handle = observed(auth, metrics, log);
  const listeners = await startListeners(settings, handle, certificates, () => Date.now(), log);
  opened.defer(() => listeners.stop(DRAIN_WITHIN_MS));
  certificates?.begin();
  const { url, httpsUrl } = listeners;
  log.info(httpsUrl === undefined ? { url } : { url, httpsUrl }, `Latchkey listens on ${url}`);
  if (setup !== "done") {
    const place = `${settings.publicUrl ?? url}/setup${setup === "token" ? " with the setup token" : ""}`;
    log.info({}, `No account yet. Open ${place} to create it.`);
    if (isLoopbackHost(settings.host) && settings.allowedHosts === "loopback-setup") {
      log.info({}, setupHostsIn(settings));
    }
  }
  return { url, httpsUrl, metricsUrl };
}

/** Loaded here, since most gates tell none. */
async function metricsFor(
  { metricsHost, metricsPort }: Settings,
  certificates: Certificates | undefined,
): Promise<Metrics | undefined> {
  if (metricsPort === undefined) return undefined;
  const { openMetrics } = await import("./metrics/metrics.ts");
  const place = { host: metricsHost, port: metricsPort };
  return openMetrics(place, milliseconds, () => expiryOf(certificates));
}

const milliseconds = (): number => performance.now();

/** What answers requests, with what is to be counted and told of each, if anything is. */
function observed({ routes, door }: Auth, metrics: Metrics | undefined, log: GateLog): Handle {
  const plain = handleOf(routes);
  const handle = metrics?.counting(plain, methodsOf(routes).keys()) ?? plain;
  if (!log.isLevelEnabled("debug")) return handle;
  return loggingRequests(handle, door.requestId, milliseconds, log);
}

const expiryOf = (certificates: Certificates | undefined): Date | undefined =>
  certificates === undefined ? undefined : earliestExpiry(certificates.source);

/** A command of the operator's, a certificate, or both. */
function domainSetup(
  { domainSetupCommand, programEnvironment }: Settings,
  certificates: Certificates | undefined,
): ((domain: string) => Promise<void>) | undefined {
  const ways = [
    domainSetupCommand === undefined
      ? undefined
      : domainCommand(domainSetupCommand, programEnvironment),
    certificates?.setUpDomain,
  ].filter((way) => way !== undefined);
  if (ways.length === 0) return undefined;
  return async (domain) => {
    await Promise.all(ways.map((way) => way(domain)));
  };
}

function retain(
  { logRetentionMs }: Settings,
  store: OpenStore,
  log: GateLog,
): LogRetention | undefined {
  if (logRetentionMs === undefined) return undefined;
  return startLogRetention(store, logRetentionMs, () => Date.now(), log);
}

/** A token file that cannot be read now keeps the setup closed, so it counts as a token. */
async function setupState(
  store: Store,
  setupToken: SetupTokenSource,
): Promise<"done" | "token" | "open"> {
  if (await store.hasUsers()) return "done";
  const isExpected = await setupToken.read().then(isSetupTokenExpected, () => true);
  return isExpected ? "token" : "open";
}

function setupHostsIn({ publicUrl, cookieDomain }: Settings): string {
  const own = [
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...(cookieDomain === undefined ? [] : [cookieDomain, `*.${cookieDomain}`]),
  ].map((host) => `, ${host}`);
  return `Until then, setup answers for localhost and loopback addresses${own.join("")}. To allow other host names, set PUBLIC_URL or ALLOWED_HOSTS.`;
}
