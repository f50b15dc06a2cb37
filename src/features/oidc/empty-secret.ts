import type { App } from "../../db/records.ts";

/** Contains the part of a request in which a client says who it is. */
export interface ClientRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

const BASIC = /^Basic ([A-Za-z0-9+/]+={0,2})$/i;
/** The IDs of apps need no encoding. */
const EMPTY_SECRET = /^([^:]+):$/;
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;

/**
 * Some libraries (rack-oauth2) authenticate every client by Basic, a public one with an empty
 * secret. That proves as little as the ID in the form, which the provider expects of a public client,
 * so the ID moves to the form. The header of any other client stays, and an empty secret is refused.
 */
export function moveClientId(
  request: ClientRequest,
  findApp: (id: string) => App | undefined,
): ClientRequest {
  const { authorization = "", "content-type": type = "", ...headers } = request.headers;
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined || !FORM.test(type)) return request;
  const [, id] = EMPTY_SECRET.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  if (id === undefined || findApp(id)?.clientType !== "public") return request;
  const form = new URLSearchParams(Buffer.from(request.body).toString("latin1"));
  // Two clients, or two ways to authenticate, are for the provider to refuse.
  if (form.getAll("client_id").some((other) => other !== id)) return request;
  if (form.get("client_secret") || form.has("client_assertion")) return request;
  const body = form.has("client_id")
    ? request.body
    : Buffer.concat([
        Buffer.from(`client_id=${encodeURIComponent(id)}${request.body.length > 0 ? "&" : ""}`),
        request.body,
      ]);
  return {
    headers: {
      ...headers,
      "content-type": type,
      ...("content-length" in headers && { "content-length": String(body.length) }),
    },
    body,
  };
}
