import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { get } from "node:https";
import { text } from "node:stream/consumers";
import type { TestContext } from "node:test";
import { startProgram } from "../proxies/program.ts";
import { CA_CERTIFICATE, SERVER_CERTIFICATE, SERVER_KEY } from "./certificates.ts";
import { freePort } from "./free-port.ts";

const HOST = "127.0.0.1";

export interface Pebble {
  readonly directoryUrl: string;
  /** The port where it expects challenge responses, instead of port 80. */
  readonly httpPort: number;
  /** The root certificate of the certificates that it issues. */
  root(): Promise<string>;
  /** Resolves a name to another address than 127.0.0.1. */
  point(name: string, address: string): Promise<void>;
}

export interface PebbleOptions {
  readonly port?: number;
  readonly httpPort?: number;
  /** How many percent of nonces it refuses. */
  readonly nonceReject?: number;
  readonly validitySeconds?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** A test certificate authority with its own name server. */
export async function startPebble(
  t: Pick<TestContext, "after">,
  programs: { readonly pebble: string; readonly names: string },
  options: PebbleOptions = {},
): Promise<Pebble> {
  const port = options.port ?? (await freePort());
  const httpPort = options.httpPort ?? (await freePort());
  const managementPort = await freePort();
  const names = await startNames(t, programs.names);
  const folder = { certificate: "server.pem", key: "server.key" };
  await startProgram(t, programs.pebble, {
    configuration: JSON.stringify({
      pebble: {
        listenAddress: `${HOST}:${port}`,
        managementListenAddress: `${HOST}:${managementPort}`,
        certificate: folder.certificate,
        privateKey: folder.key,
        httpPort,
        tlsPort: httpPort,
        ocspResponderURL: "",
        externalAccountBindingRequired: false,
        certificateValidityPeriod: options.validitySeconds ?? 90 * 86_400,
      },
    }),
    beside: { [folder.certificate]: SERVER_CERTIFICATE, [folder.key]: SERVER_KEY },
    args: (file) => ["-config", file, "-dnsserver", names.address],
    address: { host: HOST, port },
    env: {
      PEBBLE_VA_NOSLEEP: "1",
      PEBBLE_WFE_NONCEREJECT: String(options.nonceReject ?? 5),
      ...options.env,
    },
  });
  return {
    directoryUrl: `https://localhost:${port}/dir`,
    httpPort,
    point: names.point,
    async root() {
      const asked = get(`https://localhost:${managementPort}/roots/0`, { ca: CA_CERTIFICATE });
      const [answer] = await once(asked, "response");
      return text(answer);
    },
  };
}

async function startNames(t: Pick<TestContext, "after">, program: string) {
  const port = await freePort();
  const managementPort = await freePort();
  await startProgram(t, program, {
    configuration: "",
    args: () => [
      ...["-dns01", `${HOST}:${port}`, "-management", `${HOST}:${managementPort}`],
      ...["-http01", "", "-https01", "", "-tlsalpn01", "", "-defaultIPv6", ""],
    ],
    address: { host: HOST, port: managementPort },
  });
  return {
    address: `${HOST}:${port}`,
    async point(name: string, address: string): Promise<void> {
      await tell(managementPort, "/clear-a", { host: `${name}.` });
      await tell(managementPort, "/add-a", { host: `${name}.`, addresses: [address] });
    },
  };
}

async function tell(port: number, path: string, what: object): Promise<void> {
  const asking = request({ host: HOST, port, method: "POST", path });
  asking.end(JSON.stringify(what));
  const [answer]: IncomingMessage[] = await once(asking, "response");
  answer?.resume();
  if (answer?.statusCode !== 200) throw new Error(`${path} answered ${answer?.statusCode}`);
}
