import { getFileId } from "../db/sqlite/file.ts";
import { PROOF_HEADER } from "../gate/add-identity-proof.ts";
import { createDoctorProof } from "../gate/identity-proof.ts";
import { ADDRESS_REMEDY, getLocalUrl, LOCAL_FIELDS } from "../gate/reach.ts";
import { DEVELOPMENT_SECRET } from "../identity/session-token.ts";
import { type Check, createCheck, hint, ok, problem } from "./check.ts";
import { type Installation, isPrimary } from "./installation.ts";
import { findTlsRedirect, request } from "./visit-site.ts";

type GateInstallation = Installation<"secret" | "dataDir" | "database">;

const FOLDER = "data folder (DATA_DIR)";
const COMPARED = ["AUTH_SECRET", FOLDER, "database (DATA_DIR, DATABASE_URL)"];

/**
 * Requests a proof that the server at a URL is the gate of these settings. Returns the names in
 * `COMPARED` that differ, which are all names if the secret differs.
 */
async function compareGate(url: URL, installation: GateInstallation) {
  const { secret, dataDir } = installation.settings;
  const proof = createDoctorProof(secret || DEVELOPMENT_SECRET);
  const challenge = proof.createQuestion();
  const headers = { [PROOF_HEADER]: challenge };
  const reply = await request(url, { headers });
  const receivedProofs = String(reply.headers[PROOF_HEADER] ?? "").split(".");
  const localIds = ["", getFileId(dataDir), await readDatabaseId(installation)];
  const expected = proof.answerQuestion(challenge, localIds.slice(1)) ?? [];
  const isOther = (at: number): boolean =>
    localIds[at] !== undefined && expected[at] !== receivedProofs[at];
  return { reply, differences: COMPARED.filter((_, at) => isOther(at)) };
}

async function readDatabaseId({
  settings,
  inspectDatabase: database,
}: GateInstallation): Promise<string | undefined> {
  if (settings.database.kind === "sqlite") return getFileId(settings.database.file);
  const inspection = await database(settings.database).catch(() => undefined);
  const primary = inspection?.kind === "postgres" ? inspection.hosts.find(isPrimary) : undefined;
  return primary && (primary.databaseId ?? "");
}

export const checkGate: Check = createCheck(
  "gate",
  [...LOCAL_FIELDS, "secret", "dataDir", "database"],
  async (installation) => {
    const { settings } = installation;
    if (settings.port === 0) return undefined;
    const url = getLocalUrl(settings);
    const { reply, differences } = await compareGate(new URL("/healthz", url), installation);
    if (reply.code === "ECONNREFUSED") {
      return hint(`the gate does not run: nothing listens at ${url.origin}`, ADDRESS_REMEDY);
    }
    const runs = `the gate runs at ${url.origin}`;
    if (findTlsRedirect(reply, url) !== undefined) return ok(runs);
    if (reply.body !== "alive") {
      return problem(
        `another program listens at ${url.origin}: for /healthz, ${reply.result}`,
        "stop that program, or set PORT to a free port",
      );
    }
    const [other] = differences;
    if (other === undefined) return ok(runs);
    return problem(
      `the gate at ${url.origin} has another ${other} than these settings`,
      `run this with the ${other} of that gate (the same environment or --env-file); if the settings have changed since its start, restart the gate`,
    );
  },
);

const WILDCARDS = ["0.0.0.0", "::"];

/**
 * Reports only conflicts between settings. The gate check reports whether the port itself is free.
 */
export const checkPorts: Check = createCheck(
  "ports",
  ["host", "port", "httpsPort", "metricsHost", "metricsPort"],
  async ({ settings: { host, port, httpsPort, metricsHost, metricsPort } }) => {
    const listeners = [
      { setting: "PORT", host, port },
      { setting: "HTTPS_PORT", host, port: httpsPort },
      { setting: "METRICS_PORT", host: metricsHost, port: metricsPort },
    ].filter((listener) => listener.port !== undefined && listener.port !== 0);
    return listeners.flatMap((listener, at) =>
      listeners
        .slice(at + 1)
        .filter((other) => {
          const hosts = [listener.host, other.host];
          const isSameHost =
            listener.host === other.host || hosts.some((at) => WILDCARDS.includes(at));
          return listener.port === other.port && isSameHost;
        })
        .map((other) =>
          problem(
            `${listener.setting} and ${other.setting} are both ${listener.port}, so the gate does not start`,
            `set ${other.setting} to another port`,
          ),
        ),
    );
  },
);

export const checkPublicUrl: Check = createCheck(
  "public URL",
  [...LOCAL_FIELDS, "secret", "dataDir", "database", "publicUrl"],
  async (installation) => {
    const { publicUrl, port } = installation.settings;
    if (publicUrl === undefined || port === 0) return undefined;
    const local = getLocalUrl(installation.settings);
    // If no gate or another gate runs here, there is nothing to compare with.
    const here = await compareGate(new URL("/healthz", local), installation);
    if (here.differences.length > 0) return undefined;
    const { reply, differences } = await compareGate(new URL("/login", publicUrl), installation);
    // Another instance behind the same address may have another folder.
    if (differences.every((difference) => difference === FOLDER)) {
      return ok(`${publicUrl} leads to the gate`);
    }
    const isReached = ![undefined, 502, 503, 504].includes(reply.status);
    return (isReached ? problem : hint)(
      `PUBLIC_URL is ${publicUrl}, but this gate does not answer there: ${reply.result}`,
      `correct PUBLIC_URL, or have the server there forward /login and the other paths of the gate to ${local.origin} (see docs/proxies); if only this machine cannot reach it, ignore this`,
    );
  },
);
