import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { command as apply } from "../../src/cli/apply/apply.ts";
import { parseUsage } from "../../src/cli/usage.ts";
import { makeSecret } from "../../src/gate/make-secret-file.ts";
import { readSettings } from "../../src/gate/settings/settings.ts";
import { runCommand, serveHere } from "../support/command.ts";
import { tempDir } from "../support/temp-dir.ts";
import { findManifest, manifestFiles, readManifestText } from "./kubernetes-files.ts";

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: { readonly httpGet: { readonly path: string } };
}

interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly automountServiceAccountToken: boolean;
    readonly securityContext: object;
    readonly containers: readonly [Container];
    readonly volumes: readonly { readonly name: string }[];
  };
}

type PodSpecs = { readonly spec: { readonly template: Pod } };

const deployment = findManifest("latchkey.yaml", "Deployment") as unknown as PodSpecs & {
  readonly spec: { readonly selector: { readonly matchLabels: object } };
};
const cronJob = findManifest("apply.yaml", "CronJob", "latchkey-apply") as unknown as {
  readonly spec: { readonly jobTemplate: PodSpecs };
};
const gate = deployment.spec.template;
const job = cronJob.spec.jobTemplate.spec.template;

test("the pods have the image of the other files, and none of the rights that they do not need", () => {
  const compose = readFileSync(new URL("../../docs/deploy/compose.yaml", import.meta.url), "utf8");
  for (const { spec } of [gate, job]) {
    const [{ image, securityContext, volumeMounts }] = spec.containers;
    assert.ok(compose.includes(`image: ${image}\n`), image);
    assert.equal(spec.automountServiceAccountToken, false);
    assert.partialDeepStrictEqual(spec.securityContext, {
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    });
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    const mounted = volumeMounts.map(({ name }) => name).toSorted();
    assert.deepEqual(mounted, spec.volumes.map(({ name }) => name).toSorted());
  }
});

test("every selector finds the gates, and the policy holds for the job as well", () => {
  const { matchLabels } = deployment.spec.selector;
  assert.deepEqual(gate.metadata.labels, matchLabels);
  for (const [kind, path] of [
    ["Service", ["spec", "selector"]],
    ["PodDisruptionBudget", ["spec", "selector", "matchLabels"]],
  ] as const) {
    const selected = path.reduce<unknown>(
      (value, name) => (value as Record<string, unknown>)[name],
      findManifest("latchkey.yaml", kind),
    );
    assert.deepEqual(selected, matchLabels, kind);
  }
  const policy = findManifest("latchkey.yaml", "NetworkPolicy") as unknown as {
    readonly spec: { readonly podSelector: { readonly matchLabels: object } };
  };
  for (const { metadata } of [gate, job])
    assert.partialDeepStrictEqual(metadata.labels, policy.spec.podSelector.matchLabels);
});

test("the settings are accepted, with files of the secret as it is mounted", async (t) => {
  const { data = {} } = findManifest("latchkey.yaml", "ConfigMap");
  const folder = await tempDir(t);
  const [{ mountPath: mounted = "" } = {}] = gate.spec.containers[0].volumeMounts.filter(
    ({ name }) => name === "secrets",
  );
  await writeFile(join(folder, "auth-secret"), makeSecret());
  await writeFile(
    join(folder, "database-url"),
    "postgres://latchkey:x@db.test/latchkey?sslmode=verify-full",
  );
  const env = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, value.replace(mounted, folder)]),
  );
  const { problems, warnings, settings } = readSettings({
    flags: {},
    envFile: undefined,
    env: { ...env, NODE_ENV: "production", HOST: "0.0.0.0" },
  });
  assert.deepEqual([problems, warnings], [[], []]);
  assert.equal(settings.database.kind, "postgres");
  for (const { spec } of [gate, job])
    assert.ok(spec.containers[0].volumeMounts.some(({ mountPath }) => mountPath === mounted));
});

test("the paths of the probes answer 200", async (t) => {
  const { url } = await serveHere(t, { DATA_DIR: await tempDir(t) });
  const [container] = gate.spec.containers;
  for (const probe of ["startupProbe", "readinessProbe", "livenessProbe"] as const) {
    const { status } = await fetch(new URL(container[probe]?.httpGet.path ?? "", url));
    assert.equal(status, 200, probe);
  }
});

test("the job applies its file, and then changes nothing", async (t) => {
  const [name, ...args] = job.spec.containers[0].args ?? [];
  assert.equal(name, "apply");
  assert.deepEqual(parseUsage("apply", apply, args), {
    create: true,
    file: "/etc/latchkey/access.yaml",
  });
  const folder = await tempDir(t);
  await writeFile(join(folder, "photos"), makeSecret());
  const { data = {} } = findManifest("apply.yaml", "ConfigMap", "latchkey-access");
  const file = join(folder, "access.yaml");
  await writeFile(file, data["access.yaml"]?.replace("/run/secrets/apps", folder) ?? "");
  const env = { DATA_DIR: join(folder, "data") };
  const run = () => runCommand(["apply", "--create", file], { env });
  const { code, stdout, stderr } = await run();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^created user "owner" in admins$/m);
  assert.match(stdout, /^Made 3 changes\.$/m);
  assert.equal((await run()).stdout, "Nothing to change.\n");
});

test("both files for the Gateway API send the same headers", () => {
  const lists = (file: string, names: readonly string[]) =>
    names.map(
      (name) => new RegExp(`^ *${name}: (\\[.*\\])$`, "m").exec(readManifestText(file))?.[1],
    );
  const sent = lists("gateway-api.yaml", ["allowedHeaders", "allowedResponseHeaders"]);
  assert.ok(sent.every((list) => list !== undefined));
  assert.deepEqual(lists("envoy-gateway.yaml", ["headersToExtAuth", "headersToBackend"]), sent);
});

test("every object has a namespace, and none of the files contains a secret", () => {
  for (const { file, manifests } of manifestFiles) {
    for (const { kind, metadata } of manifests) {
      assert.notEqual(kind, "Secret", file);
      assert.equal(metadata.namespace === undefined, kind === "Namespace", `${file} ${kind}`);
    }
  }
});
