import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { type Measured, startGenerators } from "../../../proof/bench/measure.ts";
import { get } from "../../../proof/bench/wire.ts";

test("sends each request once, or all of them again until the time is over", async (t) => {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    asked.set(request.url ?? "", (asked.get(request.url ?? "") ?? 0) + 1);
    response.writeHead(request.url === "/wrong" ? 500 : 200, { "Content-Length": 0 }).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const generators = await startGenerators();
  t.after(async () => {
    await generators.stop();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const usages = [0, 500, 500, 1_000, 1_000].values();
  const measured: Measured = {
    port: address.port,
    usage: async () => ({ cpu: usages.next().value ?? 0 }),
  };
  const work = {
    requests: ["/a", "/b", "/c", "/d"].map((path) => get(path)),
    status: 200,
    connections: 2,
  } as const;

  const whole = await generators.sample(measured, { ...work, repeat: "once" }, 60_000);
  assert.deepEqual([...asked.values()], [1, 1, 1, 1]);
  assert.equal(whole.cpu, 500 / 4);

  await generators.sample(measured, { ...work, repeat: "again" }, 100);
  assert.ok([...asked.values()].every((count) => count > 2));

  const wrong = {
    requests: [get("/wrong")],
    status: 200,
    connections: 2,
    repeat: "again",
  } as const;
  await assert.rejects(
    generators.sample(measured, wrong, 100),
    /unexpected response: HTTP\/1.1 500/,
  );
});
