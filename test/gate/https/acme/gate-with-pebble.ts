import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Settings } from "../../../../src/gate/settings/settings.ts";
import { whereInstalled } from "../../../proxies/program.ts";
import { CA_CERTIFICATE } from "../../../support/certificates.ts";
import { runCommand } from "../../../support/command.ts";
import { eventually } from "../../../support/eventually.ts";
import { type RunningGate, startGate } from "../../../support/gate.ts";
import { type Pebble, type PebbleOptions, startPebble } from "../../../support/pebble.ts";
import { askSecurely, type SecureAnswer } from "../../../support/secure-client.ts";

export const NAME = "home.example.org";
/** An authority takes a second or two; a busy machine may take much longer. */
export const ISSUED_WITHIN_MS = 30_000;

/** Registers a test that has its own authority. */
export type WithPebble = (
  rule: string,
  run: (t: TestContext, start: (options?: PebbleOptions) => Promise<Pebble>) => Promise<void>,
) => void;

export function wherePebbleIs(register: (withPebble: WithPebble) => void): void {
  whereInstalled("pebble", (pebble) =>
    whereInstalled("pebble-challtestsrv", (names) =>
      register((rule, run) =>
        test(rule, (t) => run(t, (options) => startPebble(t, { pebble, names }, options))),
      ),
    ),
  );
}

/** Starts a gate that uses this authority, on the port where the authority checks names. */
export const startSecureGate = (
  t: TestContext,
  { directoryUrl, httpPort }: Pebble,
  overrides: Partial<Settings> = {},
): Promise<RunningGate> =>
  startGate(t, {
    port: httpPort,
    httpsPort: 0,
    acmeDirectoryUrl: directoryUrl,
    acmeCa: CA_CERTIFICATE,
    ...overrides,
  });

/** The same, with an account, and a domain from the setup form. */
export async function startWithDomain(
  t: TestContext,
  pebble: Pebble,
  overrides: Partial<Settings> = {},
): Promise<RunningGate> {
  const gate = await startSecureGate(t, pebble, overrides);
  await gate.setUp({ domain: NAME });
  return gate;
}

export const addDomain = ({ dataDir }: RunningGate, name: string): Promise<unknown> =>
  runCommand(["domain", "add", name], { env: { DATA_DIR: dataDir } });

export function httpsUrlOf({ httpsUrl }: RunningGate): string {
  assert.ok(httpsUrl !== undefined);
  return httpsUrl;
}

/** Waits for a response over HTTPS under a name, with a certificate of this authority. */
export async function answerOver(
  gate: RunningGate,
  pebble: Pebble,
  name: string = NAME,
): Promise<SecureAnswer> {
  const root = await pebble.root();
  const answer = eventually(
    () => askSecurely(httpsUrlOf(gate), name, root).catch(() => undefined),
    ISSUED_WITHIN_MS,
  );
  return answer.catch((cause) => {
    throw new Error(`no certificate; the gate wrote ${JSON.stringify(gate.serverLog)}`, { cause });
  });
}

/** Waits for a line of the server log. */
export const logged = (
  gate: RunningGate,
  message: string,
): Promise<Readonly<Record<string, unknown>>> =>
  eventually(() => gate.serverLog.find(({ msg }) => msg === message), ISSUED_WITHIN_MS);
