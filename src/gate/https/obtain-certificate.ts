import { accountKey, newKeyPem } from "./acme/account-key.ts";
import { createExchange } from "./acme/exchange.ts";
import { type Challenges, finishOrder, type OrderPorts, placeOrder } from "./acme/order.ts";
import { AcmeProblem } from "./acme/problem.ts";
import { openAccount } from "./acme/requests.ts";
import { type Certificate, parseStored } from "./certificate.ts";
import type { CertificateFolder } from "./certificate-folder.ts";

export interface Authority {
  readonly directoryUrl: string;
  /** CA certificates that the authority's server is verified with, as PEM. */
  readonly trusted: readonly string[];
}

export interface ObtainPorts {
  readonly folder: CertificateFolder;
  readonly challenges: Challenges;
  readonly authority: Authority;
  /** Checks that the name points here, before the authority does. */
  check(name: string): Promise<void>;
  pause(ms: number): Promise<void>;
  readonly stop: AbortSignal;
}

/** Makes one attempt, from the domain check to the stored certificate. */
export async function obtainCertificate(ports: ObtainPorts, name: string): Promise<Certificate> {
  const { folder, authority, challenges, pause } = ports;
  await ports.check(name);
  const exchange = createExchange(authority.trusted, ports.stop);
  try {
    const key = await accountKey(await folder.accountKey(authority.directoryUrl, newKeyPem));
    const requests = await openAccount(exchange, authority.directoryUrl, key);
    const ordering = { requests, challenges, pause };
    return (await finishStored(ports, ordering, name)) ?? (await placeNew(ports, ordering, name));
  } finally {
    exchange.close();
  }
}

/** Resumes an order that a crash interrupted, if the authority still knows it. */
async function finishStored(
  ports: ObtainPorts,
  ordering: OrderPorts,
  name: string,
): Promise<Certificate | undefined> {
  const interrupted = await ports.folder.order(name);
  if (interrupted === undefined) return undefined;
  const isDone = (await ports.folder.certificate(name))?.startsWith(interrupted.keyPem) === true;
  if (isDone || interrupted.authority !== ports.authority.directoryUrl) return undefined;
  try {
    return await finish(ports, ordering, interrupted);
  } catch (error) {
    if (error instanceof AcmeProblem) return undefined;
    throw error;
  }
}

async function placeNew(
  ports: ObtainPorts,
  ordering: OrderPorts,
  name: string,
): Promise<Certificate> {
  const placed = await placeOrder(ordering, name, newKeyPem());
  const order = { ...placed, authority: ports.authority.directoryUrl };
  await ports.folder.writeOrder(order);
  return finish(ports, ordering, order);
}

async function finish(
  { folder }: ObtainPorts,
  ordering: OrderPorts,
  order: { readonly name: string; readonly url: string; readonly keyPem: string },
): Promise<Certificate> {
  const { name, keyPem } = order;
  const chain = await finishOrder(ordering, order);
  const pem = `${keyPem}${chain}`;
  const certificate = parseStored(pem, name);
  await folder.writeCertificate(name, pem);
  await folder.removeOrder(name);
  return certificate;
}
