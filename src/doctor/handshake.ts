import { connect, type TLSSocket } from "node:tls";

interface HandshakePeer {
  readonly host: string;
  readonly port: number;
  /** Not an IP address. */
  readonly servername: string | undefined;
}

/** Connects with TLS, accepting any certificate, reads from the socket, and disconnects. */
export function handshake<T>(
  { servername = "", ...at }: HandshakePeer,
  timeoutMs: number,
  read: (socket: TLSSocket) => T,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const socket = connect({ ...at, servername, rejectUnauthorized: false, timeout: timeoutMs });
    socket.once("error", reject);
    socket.once("timeout", () => socket.destroy(new Error("the handshake timed out")));
    socket.once("secureConnect", () => {
      resolve(read(socket));
      socket.destroy();
    });
  });
}
