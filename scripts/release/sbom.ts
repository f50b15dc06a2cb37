import { createHash } from "node:crypto";
import { listComponents } from "./debian.ts";

interface Sbom {
  readonly serialNumber?: string | undefined;
  readonly metadata: { readonly component: object };
  readonly components: readonly object[];
}

/**
 * The CycloneDX document of npm, with Node.js, which the executables contain, the Debian packages, of
 * which the image contains libraries, and without what differs
 * between runs: the time is that of the commit, and the serial number a digest of the rest.
 */
export function billOfMaterials(listed: Sbom, nodeVersion: string, epoch: number): Sbom {
  const node = {
    type: "platform",
    "bom-ref": `node@${nodeVersion}`,
    name: "node",
    version: nodeVersion,
    purl: `pkg:generic/node@${nodeVersion}`,
  };
  // npm takes the name of the folder.
  const component = { ...listed.metadata.component, name: "latchkey" };
  const timestamp = new Date(epoch * 1_000).toISOString();
  const content = {
    ...listed,
    metadata: { ...listed.metadata, timestamp, tools: undefined, component },
    components: [...listed.components, node, ...listComponents()],
    serialNumber: undefined,
  };
  const digest = createHash("sha256").update(JSON.stringify(content));
  const [a, b, c, d, e] =
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest.digest("hex"))?.slice(1) ?? [];
  // As a UUID of version 8, whose bits are free.
  return { ...content, serialNumber: `urn:uuid:${a}-${b}-8${c}-8${d}-${e}` };
}
