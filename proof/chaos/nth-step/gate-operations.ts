import { createPrivateKey, X509Certificate } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { foundProgram } from "../../../test/proxies/program.ts";
import { CA_CERTIFICATE } from "../../../test/support/certificates.ts";
import { outputOf } from "../../../test/support/command.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { type Pebble, startPebble } from "../../../test/support/pebble.ts";
import type { GuardedFolder } from "../../../test/support/postgres-folder.ts";
import { askSecurely } from "../../../test/support/secure-client.ts";
import type { CaseContext } from "../case.ts";
import type { Gate } from "../gate.ts";
import type { Ending, Env, Operation, Place } from "./operation.ts";
import { accounts, FIRST, OWNER, tokenIn } from "./operations.ts";
import { attach, ONE_FILE_THREAD } from "./strace.ts";

type StartGate = (settings: Env) => Promise<Gate>;

/** An operation of a running gate. The gate is watched once it is ready. */
interface GateWork extends Omit<Operation, "by" | "run" | "trace"> {
  settings?(place: Place): Env;
  /** The code is 0 if it was done. */
  work(gate: Gate, place: Place): Promise<Ending>;
}

function asOperation(start: StartGate, { settings, work, ...rest }: GateWork): Operation {
  const started = (place: Place): Promise<Gate> =>
    start({ ...place.env, ...ONE_FILE_THREAD, ...settings?.(place) });

  /** Does the work, and ends the gate as an operator does. */
  async function finish(gate: Gate, place: Place): Promise<Ending> {
    const worked = await work(gate, place).catch(
      (error: unknown): Ending => ({ code: 1, said: `no answer: ${error}` }),
    );
    const { signal } = await gate.stop();
    // A killed gate answers nothing, unless it had answered before.
    return signal === "SIGKILL" && worked.code !== 0 ? { ...worked, code: null } : worked;
  }

  return {
    ...rest,
    by: "gate",
    run: async (place) => finish(await started(place), place),
    async trace(place, tracing) {
      const gate = await started(place);
      const { ended } = await attach(gate.pid, tracing);
      const ending = await finish(gate, place);
      await ended;
      return ending;
    },
  };
}

const TOKEN = "a-setup-token-of-a-test";

const SETUP_PAGE = "the setup page";
const CERTIFICATE_ORDER = "a certificate order";
export const gateOperations: readonly string[] = [SETUP_PAGE, CERTIFICATE_ORDER];

/** The setup, and once there is an account, a sign-in. */
const setupPage = (start: StartGate): Operation =>
  asOperation(start, {
    name: SETUP_PAGE,
    before: "no accounts",
    after: OWNER,
    failure: /^5\d\d <!doctype html>.+"level":"error"/is,
    async prepare(folder, env) {
      await (await start(env)).stop();
      writeFileSync(tokenIn(folder), TOKEN, { mode: 0o600 });
    },
    state: accounts,
    async work(gate) {
      const form = { username: "owner", password: FIRST, confirm: FIRST, token: TOKEN };
      const setup = await gate.send("/setup", { form });
      const isLate = setup.location?.startsWith("/login") === true;
      const { session, status, body } = isLate ? await gate.send("/login", { form }) : setup;
      const said = `${status} ${body}\n${gate.serverLog()}`;
      return { code: session === undefined ? 1 : 0, said };
    },
  });

const CERTIFICATES = "certificates";
const nameFor = (folder: string): string => `${basename(folder).toLowerCase()}.example.org`;

/** Throws unless this is a key with its certificate, for the name. */
function refuseOthers(pem: string, name: string): void {
  const certificate = new X509Certificate(pem);
  if (!certificate.checkPrivateKey(createPrivateKey(pem))) throw new Error("not its key");
  if (certificate.checkHost(name) === undefined) throw new Error(`not for ${name}`);
}

/** Reads every file with its final name: all must be complete. */
function certificateState(folder: string): string {
  const root = join(folder, CERTIFICATES);
  if (!existsSync(root)) return "no certificate";
  const files = readdirSync(root, { recursive: true, encoding: "utf8" });
  for (const file of files) {
    const content = (): string => readFileSync(join(root, file), "utf8");
    try {
      if (file.endsWith(".json")) JSON.parse(content());
      if (/^account-[^/]+\.pem$/.test(file)) createPrivateKey(content());
      if (basename(file) === "certificate.pem") refuseOthers(content(), nameFor(folder));
    } catch (error) {
      return `damaged: ${file}: ${error}`;
    }
  }
  const isThere = files.some((file) => basename(file) === "certificate.pem");
  return isThere ? "a certificate" : "no certificate";
}

const ISSUED_WITHIN_MS = 60_000;
const FAILED = /"(no certificate|the certificate folder cannot be read or written)"/;

/** Each gate has an address and a name of its own, so that one authority can check several. */
function certificateOrder(start: StartGate, pebble: Pebble, caFile: string): Operation {
  writeFileSync(caFile, CA_CERTIFICATE);
  let lastHost = 1;
  return asOperation(start, {
    name: CERTIFICATE_ORDER,
    before: "no certificate",
    after: "a certificate",
    failure: /"level":"error".*"reason":".+"/,
    within: CERTIFICATES,
    prepare: async () => {},
    state: async (folder) => certificateState(folder),
    settings() {
      lastHost = (lastHost % 250) + 1;
      return {
        HOST: `127.0.0.${lastHost}`,
        PORT: String(pebble.httpPort),
        HTTPS_PORT: "0",
        ACME_DIRECTORY_URL: pebble.directoryUrl,
        ACME_CA_FILE: caFile,
      };
    },
    async work(gate, { folder, env }) {
      const name = nameFor(folder);
      await pebble.point(name, new URL(gate.url).hostname);
      // Also ends the pause after a failure.
      await outputOf(["domain", "add", name], { env: { ...env, HTTPS_PORT: "1" } });
      const root = await pebble.root();
      const code = await eventually(async () => {
        if (gate.child.exitCode !== null || gate.child.signalCode !== null) return 1;
        const isServed =
          certificateState(folder) === "a certificate" &&
          (await askSecurely(gate.httpsUrl ?? "", name, root).catch(() => undefined));
        if (isServed) return 0;
        return FAILED.test(gate.serverLog()) ? 1 : undefined;
      }, ISSUED_WITHIN_MS);
      return { code, said: gate.serverLog() };
    },
  });
}

/** The operations of a gate. */
export async function ofGates(
  context: CaseContext,
  folder: GuardedFolder,
): Promise<readonly Operation[]> {
  const start = (settings: Env): Promise<Gate> => context.startGate(folder, { settings });
  const setup = setupPage(start);
  if (!context.includes(CERTIFICATE_ORDER)) return [setup];
  const pebble = foundProgram("pebble");
  const names = foundProgram("pebble-challtestsrv");
  if (pebble === undefined || names === undefined) {
    context.skip(`${CERTIFICATE_ORDER}: pebble is not installed`);
    return [setup];
  }
  const authority = await startPebble({ after: context.defer }, { pebble, names });
  return [setup, certificateOrder(start, authority, join(folder.path, "authority.pem"))];
}
