import type { Answer } from "./responses.ts";

/**
 * The answer as a Fetch response.
 *
 * @example
 * ```ts
 * const handle = async (request: Request) =>
 *   toResponse(await auth.adapter.answer(fetchRequest(request)));
 * ```
 */
export function toResponse({ status, headers, cookies, body }: Answer): Response {
  const response = new Response(body, { status, headers: { ...headers } });
  for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
  return response;
}
