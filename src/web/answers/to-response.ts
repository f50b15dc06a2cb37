import type { Answer } from "./responses.ts";

/** The answer as a Fetch response. */
export function toResponse({ status, headers, cookies, body }: Answer): Response {
  const response = new Response(body, { status, headers: { ...headers } });
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}
