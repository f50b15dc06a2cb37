import node from "@astrojs/node";
import { defineConfig } from "astro/config";

export default defineConfig({
  output: "server",
  adapter: node({ mode: "standalone" }),
  // The host that browsers use: Astro refuses forms of others, except on localhost.
  security: { allowedDomains: [{ hostname: "app.example.org" }] },
});
