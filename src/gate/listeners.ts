import type { Handle } from "./handle.ts";
import type { Certificates } from "./https/certificate-source.ts";
import { createListener, type Drainable, drain, listen } from "./listener.ts";
import type { Settings } from "./settings/settings.ts";

interface Listeners {
  /** Where the gate is reached: over plain HTTP, unless HTTPS has taken that port. */
  readonly url: string;
  readonly httpsUrl: string | undefined;
  /** Lets requests in flight finish, for so long. */
  stop(withinMs: number): Promise<void>;
}

/** Plain HTTP alone, HTTPS alone, or both, where HTTP redirects to HTTPS once that works. */
export async function startListeners(
  { host, port, httpsPort, publicUrl }: Settings,
  handle: Handle,
  certificates: Certificates | undefined,
  now: () => number,
): Promise<Listeners> {
  const servers: Drainable[] = [];
  const stop = async (withinMs: number): Promise<void> => {
    await Promise.all(servers.map((server) => drain(server, withinMs)));
  };
  const startPlain = async (handlePlain: Handle): Promise<string> => {
    const server = createListener(handlePlain);
    const url = await listen(server, host, port);
    servers.push(server);
    return url;
  };
  if (certificates === undefined) {
    return { url: await startPlain(handle), httpsUrl: undefined, stop };
  }
  const { startHttps } = await import("./https/start-https.ts");
  const place = { host, port: httpsPort ?? port, publicUrl };
  const https = await startHttps(place, handle, certificates, now);
  servers.push(https.server);
  const httpsUrl = https.url;
  if (httpsPort === undefined) return { url: httpsUrl, httpsUrl, stop };
  try {
    return { url: await startPlain(https.wrapPlain(handle)), httpsUrl, stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}
