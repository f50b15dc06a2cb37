import type { Template } from "./template.ts";

const words = (command: string): readonly string[] => command.split(" ");

/** The templates, by the name of the app. */
export const templates: Readonly<Record<string, Template | undefined>> = {
  next: {
    packages: ["create-next-app@16.4.3"],
    // Not the longer template, whose fonts come from the network when it is built.
    command: words("create-next-app NAME --empty --yes --use-npm --skip-install --disable-git"),
  },
  nest: {
    packages: ["@nestjs/cli@12.0.8", "@nestjs/schematics@12.0.6"],
    command: words("nest new NAME --skip-git --skip-install --package-manager npm"),
  },
  "react-router": {
    packages: ["create-react-router@8.4.0"],
    command: words("create-react-router NAME --yes --no-install --no-git-init"),
    used: "newest",
  },
  astro: {
    packages: ["create-astro@5.2.4"],
    command: words("create-astro NAME --template minimal --yes --no-install --no-git"),
    used: "newest",
  },
  sveltekit: {
    packages: ["sv@0.17.1"],
    command: words("sv create NAME --template minimal --types ts --no-add-ons --no-install"),
  },
};
