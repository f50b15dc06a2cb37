import assert from "node:assert/strict";
import { test } from "node:test";
import { readNavigation, readRoutes } from "../../site/pages.ts";

const INDEX = `# Documentation

Find the page in this list.

## Get started

- [Quick start](../README.md): run it
- [Run with systemd](deploy/systemd.md), [run with Docker](deploy/README.md)

## Use it in an app

- On Node.js: [Express](frameworks/express.md), [h3](frameworks/h3.md)
- [Security](../SECURITY.md) and the [assessment](asvs.md#level-1)
`;

test("every page of the index has an address", () => {
  assert.deepEqual(Object.fromEntries(readRoutes(INDEX)), {
    "README.md": "",
    "docs/deploy/systemd.md": "deploy/systemd",
    "docs/deploy/README.md": "deploy",
    "docs/frameworks/express.md": "frameworks/express",
    "docs/frameworks/h3.md": "frameworks/h3",
    "SECURITY.md": "security",
    "docs/README.md": "documentation",
  });
});

test("the navigation has the sections, links and order of the index", () => {
  assert.deepEqual(readNavigation(INDEX), [
    {
      label: "Get started",
      items: [
        { label: "Quick start", link: "/" },
        { label: "Run with systemd", link: "/deploy/systemd/" },
        { label: "Run with Docker", link: "/deploy/" },
      ],
    },
    {
      label: "Use it in an app",
      items: [
        {
          label: "On Node.js",
          items: [
            { label: "Express", link: "/frameworks/express/" },
            { label: "h3", link: "/frameworks/h3/" },
          ],
        },
        { label: "Security", link: "/security/" },
      ],
    },
  ]);
});
