import { connect, createServer, type Socket } from "node:net";
import type { TestContext } from "node:test";
import { listenOn } from "./listen.ts";
import type { PostgresAccess } from "./postgres.ts";

/** A TCP relay to the server that can drop a connection at a chosen statement. */
export interface Line {
  /** The URL of the same database through the relay. */
  through(url: string): string;
  /** Drops the connection of a matching statement when its response is on the way. */
  cutAnswerTo(statement: string): { readonly done: Promise<void> };
}

interface Cut {
  readonly statement: string;
  made(): void;
}

export async function startLine(t: TestContext, server: PostgresAccess): Promise<Line> {
  const cuts: Cut[] = [];
  const listener = createServer((near) => {
    const far = connect(server.port, server.host);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.on("error", () => undefined);
      socket.on("close", () => other.destroy());
    }
    carry(near, far, cuts);
  });
  const port = await listenOn(t, listener);
  return {
    through: (url) => url.replace(`:${server.port}/`, `:${port}/`),
    cutAnswerTo(statement) {
      const { promise, resolve } = Promise.withResolvers<void>();
      cuts.push({ statement, made: resolve });
      return { done: promise };
    },
  };
}

/** The server sends the response to a statement after the commit. */
function carry(near: Socket, far: Socket, cuts: Cut[]): void {
  let due: Cut | undefined;
  near.on("data", (bytes: Buffer) => {
    const at = cuts.findIndex(({ statement }) => bytes.includes(statement));
    if (at >= 0) [due] = cuts.splice(at, 1);
    far.write(bytes);
  });
  far.on("data", (bytes: Buffer) => {
    if (due === undefined) {
      near.write(bytes);
      return;
    }
    near.destroy();
    far.destroy();
    due.made();
  });
}
