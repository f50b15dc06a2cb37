import { readdirSync, readFileSync } from "node:fs";
import { parseAllDocuments } from "yaml";

const FOLDER = new URL("../../docs/deploy/kubernetes/", import.meta.url);

/** An object of Kubernetes, with the parts that the tests look at. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: Readonly<Record<string, string>>;
}

export interface ManifestFile {
  readonly file: string;
  readonly manifests: readonly Manifest[];
}

export const readManifestText = (file: string): string =>
  readFileSync(new URL(file, FOLDER), "utf8");

/** Every file of docs/deploy/kubernetes with its objects. */
export const manifestFiles: readonly ManifestFile[] = readdirSync(FOLDER).map((file) => {
  const documents = parseAllDocuments(readManifestText(file), { prettyErrors: true });
  if ("empty" in documents) throw new Error(`${file} is empty`);
  const manifests = documents.map((document): Manifest => {
    for (const error of document.errors) throw error;
    return document.toJS();
  });
  return { file, manifests };
});

/** Finds an object of a kind by its name. */
export function findManifest(file: string, kind: string, name = "latchkey"): Manifest {
  const { manifests = [] } = manifestFiles.find((one) => one.file === file) ?? {};
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === name);
  if (found === undefined) throw new Error(`${file} has no ${kind} ${name}`);
  return found;
}
