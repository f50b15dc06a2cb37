/** The manifests against the published schemas of Kubernetes, Gateway API, Envoy Gateway and Traefik. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installPackages } from "../support/packages.ts";
import { tempDir } from "../support/temp-dir.ts";
import { type Manifest, manifestFiles } from "./kubernetes-files.ts";

const packages = await installPackages(
  fileURLToPath(new URL("./packages/", import.meta.url)),
  "latchkey-kubernetes",
);
const TSC = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));

const MODULES: readonly (readonly [group: RegExp, module: string])[] = [
  [/^gateway\.networking\.k8s\.io\//, "@kubernetes-models/gateway-api/"],
  [/^gateway\.envoyproxy\.io\//, "@kubernetes-models/envoy-gateway/"],
  [/^traefik\.io\//, "@kubernetes-models/traefik/"],
  [/./, "kubernetes-models/"],
];

/** The module of the package that has the schema and the type of an object. */
function getModule({ apiVersion, kind }: Manifest): string {
  const [, name] = MODULES.find(([group]) => group.test(apiVersion)) ?? [];
  return `${name}${apiVersion}/${kind}`;
}

/** The packages have the standard channel of Gateway API, which knows this filter but not its name. */
const EXPERIMENTAL = "data/spec/rules/0/filters/0/type must be equal to one of the allowed values";

for (const { file, manifests } of manifestFiles) {
  test(`${file}: every object is valid by its published schema`, async () => {
    for (const manifest of manifests) {
      const { [manifest.kind]: Model } = await import(
        pathToFileURL(join(packages, "node_modules", `${getModule(manifest)}.js`)).href
      );
      const isExperimental = JSON.stringify(manifest).includes('"ExternalAuth"');
      const validate = () => new Model(manifest).validate();
      if (isExperimental) assert.throws(validate, { message: EXPERIMENTAL });
      else validate();
    }
  });

  // The schemas ignore unknown fields, and the API server drops them.
  test(`${file}: no object has a field that its type does not have`, async (t) => {
    const folder = await tempDir(t);
    await symlink(join(packages, "node_modules"), join(folder, "node_modules"));
    const lines = manifests.map((manifest, at) => {
      const json = JSON.stringify(manifest).replaceAll('"ExternalAuth"', "$& as never");
      return `import type { I${manifest.kind} as Type${at} } from "${getModule(manifest)}";
export const object${at}: Type${at} = ${json};`;
    });
    await writeFile(join(folder, "check.ts"), lines.join("\n"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext"];
    const { stdout, status } = spawnSync(process.execPath, [TSC, ...options, "check.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.deepEqual([stdout, status], ["", 0]);
  });
}
