import { whereInstalled } from "./program.ts";

whereInstalled("latchkey-has-no-such-proxy", () => {
  throw new Error("found a program that does not exist");
});
