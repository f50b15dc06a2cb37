import assert from "node:assert/strict";
import { test } from "node:test";
import type { Session, UserId } from "../../src/db/records.ts";
import { startSession } from "../../src/identity/start-session.ts";
import { createCoreServices } from "../support/core-services.ts";
import { partsOf } from "../support/mint.ts";

test("issues a token and records its session under the token's jti", async (t) => {
  const ports = await createCoreServices(t);
  const started: Session[] = [];
  const recorder = { ...ports.recorder, recordStart: (session: Session) => started.push(session) };
  const user = { id: "1" as UserId, sessionsFrom: 7 };
  const client = { remoteAddress: "192.0.2.1", userAgent: "curl/8.5.0" };
  const token = startSession({ ...ports, recorder }, user, client);
  const { header, claims } = partsOf(token.text);
  assert.equal(header.sessions_from, 7);
  assert.match(String(claims.jti), /^[0-9a-f]{32}$/);
  const now = new Date(ports.clock.now());
  assert.deepEqual(started, [
    {
      id: claims.jti,
      userId: "1",
      createdAt: now,
      usedAt: now,
      expiresAt: new Date(Number(claims.exp) * 1_000),
      address: "192.0.2.1",
      device: "curl",
    },
  ]);
});
