import { type Auth, createSettledAuth } from "../auth.ts";
import { isSilentlyPlain } from "../db/postgres/url.ts";
import { getFileId } from "../db/sqlite/file.ts";
import { Fault, getErrorMessage } from "../lib/fault.ts";
import { makeNamedFolder } from "../lib/files/data-dir.ts";
import { noMeter } from "../lib/meter.ts";
import { oidc } from "../oidc.ts";
import { systemClock } from "../services.ts";
import { settleOptions } from "../settle-options.ts";
import { addIdentityProof } from "./add-identity-proof.ts";
import { awaitDatabase } from "./await-database.ts";
import { createHandler, type Handler } from "./create-handler.ts";
import { createDomainSetup } from "./domain-command.ts";
import type { Certificates } from "./https/certificate.ts";
import { createListener, type DrainableServer, drain, listen } from "./listener.ts";
import { startLogRetention } from "./log-retention.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { prepareStore } from "./open-store.ts";
import { type GateLog, logRequests } from "./server-log.ts";
import {
  SECRET_SETTINGS,
  type Settings,
  toAuthOptions,
  toNotifyOptions,
} from "./settings/settings.ts";
import { createGateSetupToken, prepareSetup, reportSetup } from "./setup-state.ts";

const { now, monotonic } = systemClock;

/** Two more seconds for the log entries keep the stop below the ten that service managers allow. */
const DRAIN_WITHIN_MS = 7_000;

export interface Gate {
  readonly url: string;
  /** Contains the URL for HTTPS, even while there is no certificate. */
  readonly httpsUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  /** Rejects if the gate has waited for its database and cannot use it. */
  readonly startup: Promise<void>;
  /**
   * Finishes requests in flight, writes waiting log entries and closes everything within ten
   * seconds.
   */
  stop(): Promise<void>;
}

/**
 * Starts the standalone gate. If that fails, it closes everything that it has opened and throws.
 */
export async function serve(settings: Settings, log: GateLog): Promise<Gate> {
  const opened = new AsyncDisposableStack();
  try {
    return { ...(await openGate(settings, log, opened)), stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Opens the services in order of dependence. They are closed in reverse order. */
async function openGate(
  settings: Settings,
  log: GateLog,
  opened: AsyncDisposableStack,
): Promise<Omit<Gate, "stop">> {
  await makeNamedFolder("DATA_DIR", settings.dataDir);
  const certificates = await openCertificates(settings, log);
  opened.defer(async () => certificates?.stop());
  const prepared = await prepareStore(settings);
  const store = opened.use(prepared.store);
  const metrics = await startMetrics(settings, certificates);
  opened.defer(async () => metrics?.stop());
  metrics?.timeStore(store);
  const setupToken = createGateSetupToken(settings, store, log);
  const { database: location } = settings;
  let databaseId: string | undefined;
  const opening = awaitDatabase(
    async () => {
      await prepared.open();
      databaseId = await (location.kind === "sqlite"
        ? getFileId(location.file)
        : store.readDatabaseId?.());
      return prepareSetup(settings, store, setupToken);
    },
    monotonic,
    log,
  );
  opened.defer(() => opening.stop());
  await Promise.race([opening.done, opening.waiting]);
  const setUpDomain = createDomainSetup(settings, certificates?.setUpDomain);
  const options = {
    ...toAuthOptions(settings),
    store,
    setupToken,
    setUpDomain,
    log,
    people: true,
    oidc,
  };
  const auth = createSettledAuth(settleOptions(options, settings.nodeEnv, SECRET_SETTINGS), {
    standalone: true,
    requireSecondFactor: settings.requireSecondFactor,
    returnDomains: settings.returnDomains,
    meter: metrics?.meter ?? noMeter,
    assertions: settings.assertions,
    apps: settings.apps,
    notify: toNotifyOptions(settings),
  });
  opened.defer(() => auth.close());
  if (location.kind === "postgres" && isSilentlyPlain(location.url)) {
    log.warn(
      {},
      "the connection to the database is not encrypted: add sslmode=verify-full to DATABASE_URL",
    );
  }
  const metricsUrl = await metrics?.listen();
  if (metricsUrl !== undefined) log.info({}, `metrics are at ${metricsUrl}/metrics`);
  const observedHandler = observeRequests(settings, auth, metrics, log);
  const handle = addIdentityProof(observedHandler, settings, () => databaseId);
  const { url, httpsUrl } = await startListeners(settings, handle, certificates, opened);
  certificates?.begin?.();
  log.info(httpsUrl === undefined ? { url } : { url, httpsUrl }, `Latchkey listens on ${url}`);
  const startup = opening.done.then((setup) => {
    reportSetup(setup, { ...settings, port: Number(new URL(url).port) || settings.port }, log);
    if (opened.disposed || settings.logRetentionMs === undefined) return;
    const retention = startLogRetention(store.log, settings.logRetentionMs, now, log);
    opened.defer(() => retention.stop());
  });
  // Only callers that await `startup` get its error. Stopping a gate that still waits is not an
  // error.
  startup.catch(() => {});
  return { url, httpsUrl, metricsUrl, startup: startup };
}

/**
 * Opens the certificates, or returns `undefined` for plain HTTP. The code is loaded on demand,
 * because most gates serve plain HTTP.
 */
async function openCertificates(
  settings: Settings,
  log: GateLog,
): Promise<Certificates | undefined> {
  const { tlsCertFile, tlsKeyFile, httpsPort } = settings;
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) {
    const { watchCertificateFiles } = await import("./https/certificate-files.ts");
    const files = { certFile: tlsCertFile, keyFile: tlsKeyFile };
    return watchCertificateFiles(files, now, log).catch((error) => {
      const text = `cannot use TLS_CERT_FILE with TLS_KEY_FILE: ${getErrorMessage(error)}`;
      throw new Fault("certificate_files_unusable", text);
    });
  }
  if (httpsPort === undefined) return undefined;
  const { createAuthorityCertificates: fromAuthority } = await import(
    "./https/authority-certificates.ts"
  );
  return fromAuthority(settings, now, log);
}

/** Starts the metrics. Their code is loaded on demand, because most gates serve no metrics. */
async function startMetrics(
  { metricsHost: host, metricsPort: port }: Settings,
  certificates: Certificates | undefined,
): Promise<Metrics | undefined> {
  if (port === undefined) return undefined;
  const { openMetrics } = await import("./metrics/metrics.ts");
  return openMetrics({ host, port }, monotonic, () => certificates?.source.earliestExpiry);
}

function observeRequests(
  { logLevel }: Settings,
  { adapter }: Auth,
  metrics: Metrics | undefined,
  log: GateLog,
): Handler {
  const plain = createHandler(adapter.answer);
  const handle = metrics?.countRequests(plain, adapter.paths) ?? plain;
  if (logLevel !== "debug") return handle;
  return logRequests(handle, adapter.withRequestId, monotonic, log);
}

/**
 * Starts plain HTTP, HTTPS, or both. With both, HTTP redirects to HTTPS once a certificate is
 * valid.
 */
async function startListeners(
  { host, port, httpsPort, publicUrl }: Settings,
  handle: Handler,
  certificates: Certificates | undefined,
  opened: AsyncDisposableStack,
): Promise<Pick<Gate, "url" | "httpsUrl">> {
  const servers: DrainableServer[] = [];
  opened.defer(async () => {
    await Promise.all(servers.map((server) => drain(server, DRAIN_WITHIN_MS)));
  });
  const startPlain = async (handlePlain: Handler): Promise<string> => {
    const server = createListener(handlePlain);
    const url = await listen(server, host, port).catch((error) => {
      // Clients that already use HTTPS must not delay the report.
      for (const other of servers) other.closeAllConnections();
      throw error;
    });
    servers.push(server);
    return url;
  };
  if (certificates === undefined) return { url: await startPlain(handle), httpsUrl: undefined };
  const { startHttps } = await import("./https/start-https.ts");
  const address = { host, port: httpsPort ?? port, publicUrl };
  const https = await startHttps(address, handle, certificates, now);
  servers.push(https.server);
  const url = httpsPort === undefined ? https.url : await startPlain(https.wrapPlain(handle));
  return { url, httpsUrl: https.url };
}
