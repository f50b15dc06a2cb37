import type { Server, Socket } from "node:net";

const TAKEN_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 2_000;

/**
 * Cuts off who does not take the answers that were asked for, byte by byte or not at all: Node bounds
 * the time for requests alone. Looks at all connections now and then, so that a request costs
 * nothing; the longest answer is a logo of 512 KiB, which the slowest of lines takes sooner.
 */
export function cutStalled(
  server: Server,
  event: "connection" | "secureConnection",
  takenWithinMs: number = TAKEN_WITHIN_MS,
): void {
  const waitingSince = new Map<Socket, number | undefined>();
  server.on(event, (socket: Socket) => {
    waitingSince.set(socket, undefined);
    socket.once("close", () => waitingSince.delete(socket));
  });
  let looks = 0;
  const mostLooks = Math.ceil(takenWithinMs / LOOK_EVERY_MS);
  const looking = setInterval(() => {
    looks += 1;
    for (const [socket, since] of waitingSince) {
      if (socket.writableLength === 0) waitingSince.set(socket, undefined);
      else if (since === undefined) waitingSince.set(socket, looks);
      else if (looks - since >= mostLooks) socket.destroy();
    }
  }, LOOK_EVERY_MS).unref();
  server.once("close", () => clearInterval(looking));
}
