import { whereInstalled } from "./program.ts";

whereInstalled("latchkey-has-no-such-proxy", () => {
  throw new Error("found what is not there");
});
