import { writeFile } from "node:fs/promises";
import { hash } from "@node-rs/bcrypt";
import { nameOf, PASSWORD, type Peer } from "./peer.ts";

/** The default of htpasswd for bcrypt. */
const COST = 5;

/** Only the data; nginx itself is the server. */
export const peer: Peer = {
  async plant(folder) {
    const names = [nameOf(0), nameOf(1)];
    const passwordHash = await hash(PASSWORD, COST);
    await writeFile(
      `${folder}/htpasswd`,
      names.map((name) => `${name}:${passwordHash}\n`).join(""),
    );
    return names.map((name) => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString("base64")}`);
  },
  serve() {
    throw new Error("nginx is a program of its own");
  },
};
