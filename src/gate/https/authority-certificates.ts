import { getCACertificates } from "node:tls";
import { codeOf } from "../../core/base/fault.ts";
import { pause } from "../../core/base/pause.ts";
import type { GateLog } from "../server-log.ts";
import type { Settings } from "../settings/settings.ts";
import { accountKey, newKeyPem } from "./acme/keys.ts";
import { finishOrder, type OrderPorts, type PlacedOrder, placeOrder } from "./acme/order.ts";
import { openAccount } from "./acme/requests.ts";
import { type Certificate, type Certificates, parseStored } from "./certificate.ts";
import { CertificateFolder } from "./certificate-folder.ts";
import { Renewer } from "./certificate-renewer.ts";
import { checkDomain, HttpChallenges } from "./challenges.ts";
import { certifiableName } from "./host-name.ts";

const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

/** Certificates requested from a certificate authority, and stored in the data folder. */
export async function fromAuthority(
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
    const key = accountKey(await folder.accountKey(directoryUrl));
    const requests = await openAccount({ directoryUrl, ca, stop }, key);
    const ports = { requests, challenges, pause: (ms: number) => pause(ms, stop) };
    const certificate = (await resume(ports, name, stop)) ?? (await order(ports, name));
    await folder.write(name, "certificate.pem", certificate.pem.key);
    // A finished order that stays is recognized by its key: the certificate counts in any case.
    await folder.removeOrder(name).catch(() => {});
    return certificate;
  }

  async function order(ports: OrderPorts, name: string): Promise<Certificate> {
    const placed = await placeOrder(ports, name, newKeyPem());
    // Before the order is finished, so that a crash does not lose it.
    await folder.write(name, "order.json", { ...placed, authority: directoryUrl });
    return finish(ports, placed);
  }

  /** Completes an order that a crash interrupted. Without a result, a new order is needed. */
  async function resume(ports: OrderPorts, name: string, stop: AbortSignal) {
    const interrupted = await folder.read(name, "order.json");
    if (interrupted?.authority !== directoryUrl) return undefined;
    const stored = await folder.read(name, "certificate.pem");
    if (stored?.startsWith(interrupted.keyPem) === true) return undefined;
    return finish(ports, interrupted).catch(async (error) => {
      if (stop.aborted || codeOf(error) === "acme_unreachable") throw error;
      // No request is left for a new order: the next attempt places it.
      if (codeOf(error) === "acme_stuck") await folder.removeOrder(name);
      return undefined;
    });
  }

  const finish = async (ports: OrderPorts, placed: PlacedOrder): Promise<Certificate> =>
    parseStored(`${placed.keyPem}${await finishOrder(ports, placed)}`, placed.name);

  const renewer = new Renewer({ folder, obtain, now, log });
  await renewer.loadNames();
  const setUpDomain = (domain: string): Promise<void> => folder.request(certifiableName(domain));
  return Object.assign(renewer, { challenges, setUpDomain });
}
