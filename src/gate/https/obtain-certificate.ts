import { accountKey, newKeyPem } from "./acme/account-key.ts";
import { createExchange } from "./acme/exchange.ts";
import { type Challenges, finishOrder, type OrderPorts, placeOrder } from "./acme/order.ts";
import { AcmeProblem } from "./acme/problem.ts";
import { openAccount } from "./acme/requests.ts";
import { type Certificate, parseStored } from "./certificate.ts";
import type { CertificateFolder } from "./certificate-folder.ts";

export interface Authority {
  readonly directoryUrl: string;
  /** Certificates that prove who the authority is, as PEM. */
  readonly trusted: readonly string[];
}

export interface ObtainPorts {
  readonly folder: CertificateFolder;
  readonly challenges: Challenges;
  readonly authority: Authority;
  /** Looks whether the name leads here, before the authority does. */
  check(name: string): Promise<void>;
  pause(ms: number): Promise<void>;
  readonly stop: AbortSignal;
}

/** One attempt from the check of the name to the file on the disk. */
export async function obtainCertificate(ports: ObtainPorts, name: string): Promise<Certificate> {
  const { folder, authority, challenges, pause } = ports;
  await ports.check(name);
  const exchange = createExchange(authority.trusted, ports.stop);
  try {
    const key = await accountKey(await folder.accountKey(authority.directoryUrl, newKeyPem));
    const requests = await openAccount(exchange, authority.directoryUrl, key);
    const ordering = { requests, challenges, pause };
    return (await finishKept(ports, ordering, name)) ?? (await orderAnew(ports, ordering, name));
  } finally {
    exchange.close();
  }
}

/** What a crash has left behind is taken up again, as long as the authority still knows it. */
async function finishKept(
  ports: ObtainPorts,
  ordering: OrderPorts,
  name: string,
): Promise<Certificate | undefined> {
  const kept = await ports.folder.order(name);
  if (kept === undefined) return undefined;
  const isDone = (await ports.folder.certificate(name))?.startsWith(kept.keyPem) === true;
  if (isDone || kept.authority !== ports.authority.directoryUrl) return undefined;
  try {
    return await finish(ports, ordering, kept);
  } catch (error) {
    if (error instanceof AcmeProblem) return undefined;
    throw error;
  }
}

async function orderAnew(
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
