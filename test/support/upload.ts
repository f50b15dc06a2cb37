import type { Sending } from "./client.ts";

/** A file of an upload, with the name and the type that a browser or an attacker gives it. */
export interface UploadedFile {
  readonly content: string | Uint8Array;
  readonly name?: string;
  readonly type?: string;
}

/** Encodes a form with files as a browser does. */
export async function upload(
  fields: Readonly<Record<string, string>>,
  ...files: readonly UploadedFile[]
): Promise<Pick<Sending, "method" | "body" | "headers">> {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, value);
  for (const { content, name = "icon.svg", type = "" } of files)
    data.append("icon", new File([Uint8Array.from(Buffer.from(content))], name, { type }));
  const response = new Response(data);
  return {
    method: "POST",
    body: new Uint8Array(await response.arrayBuffer()),
    headers: { "Content-Type": response.headers.get("content-type") ?? "" },
  };
}
