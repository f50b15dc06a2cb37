import { getCACertificates } from "node:tls";
import { messageOf } from "../../core/base/fault.ts";
import { pause } from "../poll.ts";
import type { GateLog } from "../server-log.ts";
import type { Settings } from "../settings/settings.ts";
import { createExchange } from "./acme/exchange.ts";
import { accountKey, newKeyPem } from "./acme/keys.ts";
import { finishOrder, type OrderPorts, type PlacedOrder, placeOrder } from "./acme/order.ts";
import { AcmeProblem } from "./acme/problem.ts";
import { openAccount } from "./acme/requests.ts";
import { createChallengeResponder } from "./acme-challenges.ts";
import { type Certificate, parseStored } from "./certificate.ts";
import { type CertificateFolder, certificateFolder } from "./certificate-folder.ts";
import { Renewer } from "./certificate-renewer.ts";
import type { Certificates } from "./certificate-source.ts";
import { checkDomain } from "./domain-check.ts";
import { certifiableName } from "./host-name.ts";

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/** Certificates requested from a certificate authority, and stored in the data folder. */
export async function fromAuthority(
  { dataDir, acmeDirectoryUrl, acmeCa }: Settings,
  now: () => number,
  log: GateLog,
): Promise<Certificates> {
  const folder = certificateFolder(dataDir);
  const challenges = createChallengeResponder();
  const directoryUrl = acmeDirectoryUrl ?? LETS_ENCRYPT;
  const trusted = [...getCACertificates("default"), ...(acmeCa ? [acmeCa] : [])];

  /**
   * With Let's Encrypt, a failed check ends the attempt: it resolves the same public names, and counts
   * failures. A private authority may resolve names that this machine cannot, so it decides itself.
   */
  async function check(name: string, stop: AbortSignal): Promise<void> {
    try {
      await checkDomain(name, challenges, stop);
    } catch (error) {
      if (acmeDirectoryUrl === undefined || stop.aborted) throw error;
      log.warn(
        { domain: name, reason: messageOf(error) },
        "the domain check failed, requesting the certificate anyway",
      );
    }
  }

  /** Makes one attempt, from the domain check to the stored certificate. */
  async function obtain(name: string, stop: AbortSignal): Promise<Certificate> {
    await check(name, stop);
    using exchange = createExchange(trusted, stop);
    const key = accountKey(await folder.accountKey(directoryUrl, newKeyPem));
    const requests = await openAccount(exchange, directoryUrl, key);
    const ports = { requests, challenges, pause: (ms: number) => pause(ms, stop) };
    const resumed = await resume(ports, folder, name, directoryUrl);
    if (resumed !== undefined) return resumed;
    const placed = await placeOrder(ports, name, newKeyPem());
    await folder.writeOrder({ ...placed, authority: directoryUrl });
    // Awaited here: leaving this function closes the connections.
    return await finish(ports, folder, placed);
  }

  const renewer = new Renewer({ folder, obtain, now, log });
  await renewer.loadNames();
  const setUpDomain = (domain: string): Promise<void> => folder.request(certifiableName(domain));
  return Object.assign(renewer, { challenges, setUpDomain });
}

/** Completes an order that a crash interrupted, if the authority still knows it. */
async function resume(
  ports: OrderPorts,
  folder: CertificateFolder,
  name: string,
  directoryUrl: string,
): Promise<Certificate | undefined> {
  const interrupted = await folder.order(name);
  if (interrupted?.authority !== directoryUrl) return undefined;
  const isDone = (await folder.certificate(name))?.startsWith(interrupted.keyPem) === true;
  if (isDone) return undefined;
  try {
    return await finish(ports, folder, interrupted);
  } catch (error) {
    if (error instanceof AcmeProblem) return undefined;
    throw error;
  }
}

async function finish(
  ports: OrderPorts,
  folder: CertificateFolder,
  order: PlacedOrder,
): Promise<Certificate> {
  const { name, keyPem } = order;
  const pem = `${keyPem}${await finishOrder(ports, order)}`;
  const certificate = parseStored(pem, name);
  await folder.writeCertificate(name, pem);
  // A finished order that stays is recognized by its key: the certificate counts in any case.
  await folder.removeOrder(name).catch(() => {});
  return certificate;
}
