import { haproxy } from "./haproxy.ts";
import { whereInstalled } from "./program.ts";
import { testProxy } from "./rules.ts";

whereInstalled("haproxy", (program) => testProxy(haproxy(program)));
