import { test } from "node:test";
import { limitCheck } from "../../src/doctor/limit.ts";
import { assertFound, findings } from "./installation.ts";

for (const env of [
  { HOST: "0.0.0.0" },
  { PUBLIC_URL: "https://auth.example.org" },
  { TRUSTED_PROXIES: "127.0.0.1" },
] as const) {
  const [setting] = Object.keys(env);

  test(`recommends LIMIT_IPV6_PREFIX=64 where ${setting} lets others reach the gate`, async () => {
    assertFound(await findings(limitCheck, { env }), [
      "hint",
      /each IPv6 address has its own sign-in limit/,
      /set LIMIT_IPV6_PREFIX=64/,
    ]);
  });

  test(`accepts a LIMIT_IPV6_PREFIX below 128 where ${setting} lets others reach the gate`, async () => {
    const given = { ...env, LIMIT_IPV6_PREFIX: "56" };
    assertFound(await findings(limitCheck, { env: given }), ["ok", /IPv6 \/56$/]);
  });
}

test("recommends LIMIT_IPV6_PREFIX=64 for a gate at a public --url", async () => {
  const url = "https://auth.example.org";
  assertFound(await findings(limitCheck, { url }), ["hint", /sign-in limit/]);
});

test("has nothing to check on a gate that only this machine reaches", async () => {
  assertFound(await findings(limitCheck, {}));
});
