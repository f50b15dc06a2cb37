/** Preloaded: holds a command, whose threads exist by then, until it is watched. */
import { once } from "node:events";
import { stat } from "node:fs/promises";

await stat("/");
process.send?.("held");
await once(process, "message");
process.disconnect?.();
