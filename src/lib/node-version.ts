import { Fault } from "./fault.ts";

const OLDEST_NODE = 24;
const { node, bun, deno } = process.versions;

// Each entry of the package imports this file first: older Node versions would fail later, for a
// reason that does not name the version.
if (bun === undefined && deno === undefined && Number.parseInt(node, 10) < OLDEST_NODE) {
  const text = `Latchkey needs Node.js ${OLDEST_NODE} or newer; this is ${process.version}`;
  throw new Fault("node_too_old", text);
}
