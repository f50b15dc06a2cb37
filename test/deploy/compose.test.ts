import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { printedBy } from "../../scripts/docs.ts";
import { settings } from "../../src/gate/settings/table.ts";

const read = (name: string): Promise<string> =>
  readFile(new URL(`../../docs/deploy/${name}`, import.meta.url), "utf8");

const traefik = await read("compose.traefik.yaml");
const files = [
  { proxy: "caddy", text: await read("compose.yaml") },
  { proxy: "traefik", text: traefik },
] as const;

function findService(text: string, name: string): string {
  const [, services = ""] = /^services:\n(.*?)^networks:/ms.exec(text) ?? [];
  const [, own] = new RegExp(`^  ${name}:\\n(.*?)(?=^  \\w|(?![^]))`, "ms").exec(services) ?? [];
  assert.ok(own, `no service ${name}`);
  return own;
}

for (const { proxy, text } of files) {
  test(`${proxy}: only the proxy publishes ports, and apps share no network with the gate`, () => {
    for (const name of ["latchkey", "app"]) {
      assert.doesNotMatch(findService(text, name), /^ {4}ports:/m);
    }
    assert.match(findService(text, proxy), /^ {4}ports: \["80:80", "443:443"\]$/m);
    const networks = ["latchkey", "app", proxy].map(
      (name) => /^ {4}networks: \[(.*)\]$/m.exec(findService(text, name))?.[1],
    );
    assert.deepEqual(networks, ["gate", "apps", "gate, apps"]);
  });

  test(`${proxy}: the gate trusts the network of the proxy, and gets existing settings only`, () => {
    const gate = findService(text, "latchkey");
    const [, environment = ""] = /^ {4}environment:\n(.*?)^ {4}\w/ms.exec(gate) ?? [];
    const lines = [...environment.matchAll(/^ {6}(\w+): (.*)$/gm)];
    const given = new Map(lines.map(([, name = "", value = ""]) => [name, value]));
    assert.ok(given.size >= 4);
    const names: readonly string[] = settings.map(({ name }) => name);
    for (const name of given.keys()) assert.ok(names.includes(name), name);
    const [, subnet] = /^ {2}gate:\n.*subnet: ([\d./]+)/ms.exec(text) ?? [];
    assert.equal(given.get("TRUSTED_PROXIES"), subnet);
    assert.equal(given.get("AUTH_SECRET"), "auto");
  });
}

test("both files run the same gate, besides the labels", () => {
  const [one, other] = files.map(({ text }) =>
    findService(text, "latchkey")
      .replace(/^ {4}labels:\n( {6}.*\n)+/m, "")
      .replace(/^ {2}# .*\n/m, "")
      .trim(),
  );
  assert.equal(one, other);
});

test("traefik: the labels are what latchkey proxy traefik prints", () => {
  const args = ["traefik", "--auth-host", "auth.example.org"];
  const printed = printedBy([...args, "--app", "app.example.org=http://app:80"], "HOST=latchkey");
  const labels = new Map(
    [...traefik.matchAll(/^ {6}traefik\.http\.(\S+): (.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]),
  );
  for (const [router, service] of [
    ["gate", "latchkey:3000"],
    ["app", "app:80"],
  ] as const) {
    const [, rule, middlewares = ""] =
      new RegExp(`^ {4}${router}:\\n {6}rule: (.*)\\n {6}middlewares: \\[(.*)\\]`, "m").exec(
        printed,
      ) ?? [];
    assert.equal(labels.get(`routers.${router}.rule`), rule);
    assert.equal(labels.get(`routers.${router}.middlewares`), middlewares.replaceAll(" ", ""));
    const [host = "", port] = service.split(":");
    assert.ok(printed.includes(`url: http://${service}\n`));
    assert.match(findService(traefik, host === "app" ? "app" : "latchkey"), /traefik\.enable/);
    assert.equal(labels.get(`services.${router}.loadbalancer.server.port`), `"${port}"`);
  }
  const removed = [...printed.matchAll(/^ {10}(\S+): ""$/gm)].map(([, name]) => name);
  assert.ok(removed.length > 100);
  for (const name of removed) {
    const label = `middlewares.claims.headers.customRequestHeaders.${name}`;
    assert.equal(labels.get(label), '""', label);
  }
  const [, address] = /address: (\S+)/.exec(printed) ?? [];
  assert.equal(labels.get("middlewares.latchkey.forwardAuth.address"), address);
  const [, passed = ""] = /authResponseHeaders: \[(.*)\]/.exec(printed) ?? [];
  const response = labels.get("middlewares.latchkey.forwardAuth.authResponseHeaders");
  assert.equal(response, passed.replaceAll(" ", ""));
  // Six of the routers and services, and the two of forwardAuth.
  assert.equal(labels.size, removed.length + 8, "and no others");
});

test("traefik: deletes aliases of header names where clients reach apps", () => {
  const command = findService(traefik, "traefik");
  assert.match(command, /^ {6}- --entryPoints\.websecure\.asDefault=true$/m);
  assert.match(command, /^ {6}- --entryPoints\.websecure\.http\.aliasHeadersStrategy=delete$/m);
});
