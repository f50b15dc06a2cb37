import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { settings } from "../../src/gate/settings/table.ts";

const text = await readFile(new URL("../../docs/deploy/compose.yaml", import.meta.url), "utf8");
const [, services = ""] = /^services:\n(.*?)^networks:/ms.exec(text) ?? [];

function service(name: string): string {
  const [, own] = new RegExp(`^  ${name}:\\n(.*?)(?=^  \\w|(?![^]))`, "ms").exec(services) ?? [];
  assert.ok(own, `no service ${name}`);
  return own;
}

const networksOf = (name: string): string | undefined =>
  /^ {4}networks: \[(.*)\]$/m.exec(service(name))?.[1];

test("only Caddy publishes ports, and apps share no network with the gate", () => {
  for (const name of ["latchkey", "app"]) assert.doesNotMatch(service(name), /^ {4}ports:/m);
  assert.match(service("caddy"), /^ {4}ports: \["80:80", "443:443"\]$/m);
  const networks = ["latchkey", "app", "caddy"].map(networksOf);
  assert.deepEqual(networks, ["gate", "apps", "gate, apps"]);
});

test("the gate trusts the network of Caddy, and gets existing settings only", () => {
  const [, environment = ""] = /^ {4}environment:\n(.*?)^ {4}\w/ms.exec(service("latchkey")) ?? [];
  const lines = [...environment.matchAll(/^ {6}(\w+): (.*)$/gm)];
  const given = new Map(lines.map(([, name = "", value = ""]) => [name, value]));
  assert.ok(given.size >= 4);
  const names: readonly string[] = settings.map(({ name }) => name);
  for (const name of given.keys()) assert.ok(names.includes(name), name);
  const [, subnet] = /^ {2}gate:\n.*subnet: ([\d./]+)/ms.exec(text) ?? [];
  assert.equal(given.get("TRUSTED_PROXIES"), subnet);
  assert.equal(given.get("AUTH_SECRET"), "auto");
});
