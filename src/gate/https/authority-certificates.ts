import { getCACertificates } from "node:tls";
import { getErrorCode } from "../../lib/fault.ts";
import { pause } from "../../lib/pause.ts";
import type { GateLog } from "../server-log.ts";
import type { Settings } from "../settings/settings.ts";
import { createKeyPem, parseAccountKey } from "./acme/keys.ts";
import { finishOrder, type OrderServices, type PlacedOrder, placeOrder } from "./acme/order.ts";
import { openAccount } from "./acme/requests.ts";
import { type Certificate, type Certificates, parseStoredCertificate } from "./certificate.ts";
import { CertificateFolder } from "./certificate-folder.ts";
import { Renewer } from "./certificate-renewer.ts";
import { checkDomain, HttpChallenges } from "./challenges.ts";
import { parseCertifiableName } from "./host-name.ts";

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/**
 * Creates the source of certificates that the gate requests from a certificate authority. The
 * certificates are stored in the data folder.
 */
export async function createAuthorityCertificates(
  { dataDir, acmeDirectoryUrl, acmeCa }: Settings,
  now: () => number,
  log: GateLog,
): Promise<Certificates> {
  const folder = new CertificateFolder(dataDir);
  const challenges = new HttpChallenges();
  const directoryUrl = acmeDirectoryUrl ?? LETS_ENCRYPT;
  const ca = acmeCa === undefined ? undefined : [...getCACertificates("default"), acmeCa];

  /** Makes one attempt, from the domain check to the stored certificate. */
  async function obtain(name: string, stop: AbortSignal): Promise<Certificate> {
    // A private authority may resolve names that this machine cannot, so it decides itself.
    if (acmeDirectoryUrl === undefined) await checkDomain(name, challenges, stop);
    const key = parseAccountKey(await folder.getAccountKey(directoryUrl));
    const requests = await openAccount({ directoryUrl, ca, stop }, key);
    const services = { requests, challenges, pause: (ms: number) => pause(ms, stop) };
    const certificate =
      (await resume(services, name, stop)) ?? (await placeNewOrder(services, name));
    await folder.write(name, "certificate.pem", certificate.pem.key);
    // An order that stays after this failure is recognized by its key, so the certificate is used
    // anyway.
    await folder.removeOrder(name).catch(() => {});
    return certificate;
  }

  async function placeNewOrder(services: OrderServices, name: string): Promise<Certificate> {
    const placedOrder = await placeOrder(services, name, createKeyPem());
    // The order is stored before it is finished, so that a crash does not lose it.
    await folder.write(name, "order.json", { ...placedOrder, authority: directoryUrl });
    return finish(services, placedOrder);
  }

  /**
   * Completes an order that a crash interrupted. If it returns `undefined`, a new order is needed.
   */
  async function resume(services: OrderServices, name: string, stop: AbortSignal) {
    const interrupted = await folder.read(name, "order.json");
    if (interrupted?.authority !== directoryUrl) return undefined;
    const stored = await folder.read(name, "certificate.pem");
    if (stored?.startsWith(interrupted.keyPem) === true) return undefined;
    return finish(services, interrupted).catch(async (error) => {
      if (stop.aborted || getErrorCode(error) === "acme_unreachable") throw error;
      // This attempt has no requests left for a new order, so the next attempt places it.
      if (getErrorCode(error) === "acme_stuck") await folder.removeOrder(name);
      return undefined;
    });
  }

  const finish = async (services: OrderServices, placedOrder: PlacedOrder): Promise<Certificate> =>
    parseStoredCertificate(
      `${placedOrder.keyPem}${await finishOrder(services, placedOrder)}`,
      placedOrder.name,
    );

  const renewer = new Renewer({ folder, obtain, now, log });
  await renewer.loadNames();
  const setUpDomain = (domain: string): Promise<void> =>
    folder.request(parseCertifiableName(domain));
  return Object.assign(renewer, { challenges, setUpDomain });
}
