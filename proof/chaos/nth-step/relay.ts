import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** Whether the n-th message to the database is lost, or its answer. */
export interface Cut {
  readonly n: number;
  readonly lost: "message" | "answer";
}

export interface Relay {
  readonly port: number;
  /** The number of messages so far. */
  messages(): number;
  close(): Promise<void>;
}

/** Relays between a command and the database, and cuts the connection at one message only. */
export async function startRelay(port: number, cut?: Cut): Promise<Relay> {
  let messages = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(port, "127.0.0.1");
    const end = (): void => {
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on("error", end).on("close", end);
    }
    let isCut = false;
    client.on("data", (data) => {
      messages += 1;
      isCut = messages === cut?.n;
      if (isCut && cut?.lost === "message") end();
      else database.write(data);
    });
    database.on("data", (data) => {
      if (isCut) end();
      else client.write(data);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    messages: () => messages,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
