import assert from "node:assert/strict";
import { test } from "node:test";
import { readCertificate } from "../../../src/gate/https/certificate.ts";
import { createExpiryWarning } from "../../../src/gate/https/expiry-warning.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SOON = "the certificate of TLS_CERT_FILE expires soon: replace both of its files";
const EXPIRED = "the certificate of TLS_CERT_FILE has expired: replace both of its files";

test("warns from 14 days before the expiry, once a day, and of each certificate on its own", () => {
  const [clock, log] = [fakeClock(), recordingLog()];
  const lasting = (days: number) => {
    const until = new Date(clock.now() + days * DAY_MS);
    const { cert, key } = makeCertificate({ until });
    return readCertificate(cert, key);
  };
  const warn = createExpiryWarning(clock.now, log);
  const lines = (certificate: ReturnType<typeof lasting>, passed: number) => {
    const before = log.lines.length;
    clock.advance(passed);
    for (let times = 0; times < 3; times += 1) warn(certificate);
    return log.lines.slice(before).map(({ message }) => message);
  };
  const first = lasting(15);
  assert.deepEqual(lines(first, DAY_MS - 1000), []);
  assert.deepEqual(lines(first, 1000), [SOON]);
  assert.deepEqual(log.lines[0]?.fields, { until: first.notAfter.toISOString() });
  assert.deepEqual(lines(first, DAY_MS - 1), []);
  assert.deepEqual(lines(first, 1), [SOON]);
  assert.deepEqual(lines(first, 13 * DAY_MS), [EXPIRED]);
  assert.deepEqual(lines(lasting(-1), 0), [EXPIRED]);
  assert.deepEqual(lines(lasting(90), 2 * DAY_MS), []);
});
