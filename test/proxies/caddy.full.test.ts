import { caddy } from "./caddy.ts";
import { whereInstalled } from "./program.ts";
import { testProxy } from "./rules.ts";

whereInstalled("caddy", (program) => testProxy(caddy(program)));
