import { readFileSync } from "node:fs";
import { satteri } from "@astrojs/markdown-satteri";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";

const sidebar = JSON.parse(readFileSync(new URL("navigation.json", import.meta.url), "utf8"));

/** Loads the scripts on every page. */
const scripts = {
  name: "scripts",
  hooks: {
    "astro:config:setup"({ injectScript }) {
      for (const name of ["code-tabs", "recipe-search", "scrollable", "search"]) {
        injectScript("page", `import "/src/${name}.js";`);
      }
    },
  },
};

/** A header cell without text announces nothing: it becomes an ordinary cell. */
const emptyHeaderCells = {
  name: "empty-header-cells",
  element: {
    filter: ["th"],
    visit(node, context) {
      if (node.children.length === 0) context.replaceNode(node, { ...node, tagName: "td" });
    },
  },
};

export default defineConfig({
  integrations: [
    starlight({
      title: "Latchkey",
      logo: { src: "./src/key.svg", alt: "" },
      customCss: ["./src/styles.css"],
      components: { Search: "./src/Search.astro" },
      // The build runs it.
      pagefind: false,
      sidebar,
      // Pages end with links to what comes next.
      pagination: false,
      expressiveCode: {
        shiki: { langAlias: { caddyfile: "nginx", haproxy: "nginx" } },
        frames: { extractFileNameFromCode: false },
        defaultProps: { frame: "none" },
        // A copied tab stays a tab.
        tabWidth: 0,
        styleOverrides: {
          borderRadius: "0.5rem",
          borderColor: "var(--edge)",
          codeBackground: "var(--sl-color-bg-nav)",
        },
      },
    }),
    scripts,
  ],
  image: { layout: "constrained" },
  markdown: {
    processor: satteri({ features: { smartPunctuation: false }, hastPlugins: [emptyHeaderCells] }),
  },
});
