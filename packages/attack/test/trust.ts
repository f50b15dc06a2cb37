import type { TestContext } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import type { MadeCertificate } from "../../../test/support/certificates.ts";

/** Until the test ends, clients in this process trust this certificate. */
export function trust(t: TestContext, { cert }: MadeCertificate): void {
  const before = getCACertificates();
  setDefaultCACertificates([cert]);
  t.after(() => setDefaultCACertificates(before));
}
