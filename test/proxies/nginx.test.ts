import { nginx } from "./nginx.ts";
import { whereInstalled } from "./program.ts";
import { provesItsRules } from "./rules.ts";

whereInstalled("nginx", (program) => provesItsRules(nginx(program)));
