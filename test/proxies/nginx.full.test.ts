import { test } from "node:test";
import { text } from "../docs/pages.ts";
import { withPlaces } from "./examples.ts";
import { around, nginx, runNginx } from "./nginx.ts";
import { whereInstalled } from "./program.ts";
import { assertOwnRequestIds } from "./request-id.ts";
import { testProxy } from "./rules.ts";

whereInstalled("nginx", (program) => {
  testProxy(nginx(program));

  test("nginx with two instances: a client cannot choose its request ID", async (t) => {
    await assertOwnRequestIds(
      t,
      async ({ gate, host, port }) => {
        const sites = withPlaces(text("docs/scaling/nginx.conf"), {
          "listen 80;": `listen ${host}:${port};`,
          "10.0.0.11:3000": gate,
          "10.0.0.12:3000": `${gate} backup`,
          "example.org": "example.test",
        });
        await runNginx(t, program, around(sites), { host, port });
      },
      ["http://auth.example.test/login"],
    );
  });
});
