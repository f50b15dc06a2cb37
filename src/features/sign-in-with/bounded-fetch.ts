/** No answer of a provider is longer. */
const MAX_BYTES = 1_048_576;
const TIMEOUT_MS = 10_000;

/**
 * Fetches an answer of a provider, within ten seconds and up to 1 MiB, and follows no redirect: it
 * could lead to any host.
 */
export async function boundedFetch(url: string, options: RequestInit = {}): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const response = await fetch(url, { ...options, redirect: "manual", signal });
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) throw new Error(`the answer of ${new URL(url).host} is too long`);
    chunks.push(chunk);
  }
  const { status, statusText, headers } = response;
  const hasBody = ![101, 204, 205, 304].includes(status);
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, statusText, headers });
}
