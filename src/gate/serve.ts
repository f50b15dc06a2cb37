import { type Auth, authOf } from "../auth.ts";
import { Fault, messageOf } from "../core/base/fault.ts";
import { noMeter } from "../core/base/meter.ts";
import { isSilentlyPlain } from "../db/postgres/url.ts";
import { fileIdentity } from "../db/sqlite/file.ts";
import { makeNamedFolder } from "../files/data-dir.ts";
import { systemClock } from "../rules.ts";
import { settleOptions } from "../settle-options.ts";
import { awaitDatabase } from "./await-database.ts";
import { domainSetup } from "./domain-command.ts";
import { type Handle, handleOf } from "./handle.ts";
import type { Certificates } from "./https/certificate.ts";
import { provingIdentity } from "./identity.ts";
import { createListener, type Drainable, drain, listen } from "./listener.ts";
import { startLogRetention } from "./log-retention.ts";
import type { Metrics } from "./metrics/metrics.ts";
import { prepareStore } from "./open-store.ts";
import { type GateLog, loggingRequests } from "./server-log.ts";
import { optionsOf, SECRET_SETTINGS, type Settings } from "./settings/settings.ts";
import { prepareSetup, reportSetup, setupTokenOf } from "./setup-state.ts";

const { now, monotonic } = systemClock;

/** With two seconds for the log entries, less than the ten that service managers allow. */
const DRAIN_WITHIN_MS = 7_000;

export interface Gate {
  readonly url: string;
  /** The URL for HTTPS, even while there is no certificate. */
  readonly httpsUrl: string | undefined;
  readonly metricsUrl: string | undefined;
  /** Rejects if the gate has waited for its database and cannot use it. */
  readonly begun: Promise<void>;
  /** Finishes requests in flight, writes waiting log entries and closes all, within ten seconds. */
  stop(): Promise<void>;
}

/** Starts the standalone gate. When that fails, closes what was opened and throws. */
export async function serve(settings: Settings, log: GateLog): Promise<Gate> {
  const opened = new AsyncDisposableStack();
  try {
    return { ...(await openGate(settings, log, opened)), stop: () => opened.disposeAsync() };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

/** Opens the parts in order of dependence; they are closed in reverse order. */
async function openGate(
  settings: Settings,
  log: GateLog,
  opened: AsyncDisposableStack,
): Promise<Omit<Gate, "stop">> {
  await makeNamedFolder("DATA_DIR", settings.dataDir);
  const certificates = await certificatesFor(settings, log);
  opened.defer(async () => certificates?.stop());
  const unopened = await prepareStore(settings);
  const store = opened.use(unopened.store);
  const metrics = await metricsFor(settings, certificates);
  opened.defer(async () => metrics?.stop());
  metrics?.timeStore(store);
  const setupToken = setupTokenOf(settings, store, log);
  const { database: place } = settings;
  let nameOfDatabase: string | undefined;
  const opening = awaitDatabase(
    async () => {
      await unopened.open();
      nameOfDatabase = await (place.kind === "sqlite"
        ? fileIdentity(place.file)
        : store.identity?.());
      return prepareSetup(settings, store, setupToken);
    },
    monotonic,
    log,
  );
  opened.defer(() => opening.stop());
  await Promise.race([opening.done, opening.waiting]);
  const setUpDomain = domainSetup(settings, certificates?.setUpDomain);
  const options = { ...optionsOf(settings), store, setupToken, setUpDomain, log, people: true };
  const auth = authOf(settleOptions(options, settings.nodeEnv, SECRET_SETTINGS), {
    standalone: true,
    requireSecondFactor: settings.requireSecondFactor,
    returnDomains: settings.returnDomains,
    meter: metrics?.meter ?? noMeter,
    assertions: settings.assertions,
  });
  opened.defer(() => auth.close());
  if (place.kind === "postgres" && isSilentlyPlain(place.url)) {
    log.warn(
      {},
      "the connection to the database is not encrypted: add sslmode=verify-full to DATABASE_URL",
    );
  }
  const metricsUrl = await metrics?.listen();
  if (metricsUrl !== undefined) log.info({}, `metrics are at ${metricsUrl}/metrics`);
  const observing = observed(settings, auth, metrics, log);
  const handle = provingIdentity(observing, settings, () => nameOfDatabase);
  const { url, httpsUrl } = await startListeners(settings, handle, certificates, opened);
  certificates?.begin?.();
  log.info(httpsUrl === undefined ? { url } : { url, httpsUrl }, `Latchkey listens on ${url}`);
  const begun = opening.done.then((setup) => {
    reportSetup(setup, { ...settings, port: Number(new URL(url).port) || settings.port }, log);
    if (opened.disposed || settings.logRetentionMs === undefined) return;
    const retention = startLogRetention(store.log, settings.logRetentionMs, now, log);
    opened.defer(() => retention.stop());
  });
  // `begun` is for those who ask: a gate that waits and is stopped is no error.
  begun.catch(() => {});
  return { url, httpsUrl, metricsUrl, begun };
}

/** Loaded on demand, because most gates serve plain HTTP, for which this returns `undefined`. */
async function certificatesFor(
  settings: Settings,
  log: GateLog,
): Promise<Certificates | undefined> {
  const { tlsCertFile, tlsKeyFile, httpsPort } = settings;
  if (tlsCertFile !== undefined && tlsKeyFile !== undefined) {
    const { watchCertificateFiles } = await import("./https/certificate-files.ts");
    const files = { certFile: tlsCertFile, keyFile: tlsKeyFile };
    return watchCertificateFiles(files, now, log).catch((error) => {
      const text = `cannot use TLS_CERT_FILE with TLS_KEY_FILE: ${messageOf(error)}`;
      throw new Fault("certificate_files_unusable", text);
    });
  }
  if (httpsPort === undefined) return undefined;
  const { fromAuthority } = await import("./https/authority-certificates.ts");
  return fromAuthority(settings, now, log);
}

/** Loaded on demand, because most gates serve no metrics. */
async function metricsFor(
  { metricsHost: host, metricsPort: port }: Settings,
  certificates: Certificates | undefined,
): Promise<Metrics | undefined> {
  if (port === undefined) return undefined;
  const { openMetrics } = await import("./metrics/metrics.ts");
  return openMetrics({ host, port }, monotonic, () => certificates?.source.earliestExpiry);
}

function observed(
  { logLevel }: Settings,
  { adapter }: Auth,
  metrics: Metrics | undefined,
  log: GateLog,
): Handle {
  const plain = handleOf(adapter.answer);
  const handle = metrics?.counting(plain, adapter.paths) ?? plain;
  if (logLevel !== "debug") return handle;
  return loggingRequests(handle, adapter.withRequestId, monotonic, log);
}

/** Plain HTTP alone, HTTPS alone, or both, where HTTP redirects to HTTPS once that works. */
async function startListeners(
  { host, port, httpsPort, publicUrl }: Settings,
  handle: Handle,
  certificates: Certificates | undefined,
  opened: AsyncDisposableStack,
): Promise<Pick<Gate, "url" | "httpsUrl">> {
  const servers: Drainable[] = [];
  opened.defer(async () => {
    await Promise.all(servers.map((server) => drain(server, DRAIN_WITHIN_MS)));
  });
  const startPlain = async (handlePlain: Handle): Promise<string> => {
    const server = createListener(handlePlain);
    const url = await listen(server, host, port).catch((error) => {
      // Clients that have reached HTTPS already must not delay the report.
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
