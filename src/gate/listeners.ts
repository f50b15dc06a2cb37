import type { Certificates } from "./https/certificate-source.ts";
import { createListener, drain, type Handle, listen } from "./listener.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";

export interface Listeners {
  /** Where the gate is reached: over plain HTTP, unless HTTPS has taken that port. */
  readonly url: string;
  readonly httpsUrl: string | undefined;
  /** Lets requests in flight finish, for so long. */
  stop(withinMs: number): Promise<void>;
}

type ListenerSettings = Pick<Settings, "host" | "port" | "httpsPort" | "publicUrl">;

/** Plain HTTP alone, HTTPS alone, or both, where HTTP leads to HTTPS once that works. */
export async function startListeners(
  settings: ListenerSettings,
  handle: Handle,
  certificates: Certificates | undefined,
  now: () => number,
  log: GateLog,
): Promise<Listeners> {
  const { host, port, httpsPort } = settings;
  if (certificates === undefined) return plainOnly(settings, handle);
  const { startHttps } = await import("./https/start-https.ts");
  const secure = await startHttps(
    { host, port: httpsPort ?? port, publicUrl: settings.publicUrl },
    { handle, certificates, now, log },
  );
  const httpsUrl = secure.url;
  if (httpsPort === undefined) {
    return { url: httpsUrl, httpsUrl, stop: (withinMs) => drain(secure.server, withinMs) };
  }
  try {
    const plain = await plainOnly(settings, secure.wrapPlain(handle));
    return {
      url: plain.url,
      httpsUrl,
      async stop(withinMs) {
        await Promise.all([plain.stop(withinMs), drain(secure.server, withinMs)]);
      },
    };
  } catch (error) {
    await drain(secure.server, 0);
    throw error;
  }
}

async function plainOnly({ host, port }: ListenerSettings, handle: Handle): Promise<Listeners> {
  const server = createListener(handle);
  const url = await listen(server, host, port);
  return { url, httpsUrl: undefined, stop: (withinMs) => drain(server, withinMs) };
}
