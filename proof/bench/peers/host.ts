/** Runs one peer in its installation: fills its folder, or serves it. */
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { Peer } from "./peer.ts";

const [task, name, folder = "", count] = process.argv.slice(2);
const { peer }: { peer: Peer } = await import(`./${name}.ts`);

if (task === "plant") {
  const cookies = await peer.plant(folder, Number(count));
  await writeFile(`${folder}/cookies.json`, JSON.stringify(cookies));
  process.exit();
}
createServer(await peer.serve(folder)).listen(Number(process.env.PORT), "127.0.0.1");
