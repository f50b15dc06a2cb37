// Runs after `npm ci`, on any version of Node.js, and links `node_modules/.bin/node`, which runs all
// scripts. npm 10 removes that link with the packages of other platforms. It also skips an optional
// package whose content has another digest than package-lock.json, and says nothing.
const { existsSync, linkSync, realpathSync, rmSync, symlinkSync } = require("node:fs");
const { join, relative } = require("node:path");
const { optionalDependencies } = require("./package.json");

const isWindows = process.platform === "win32";
const wanted = Object.entries(optionalDependencies).find(([name]) =>
  name.endsWith(`-${isWindows ? "win" : process.platform}-${process.arch}`),
);

function installed(name) {
  try {
    return require(`${name}/package.json`);
  } catch {
    return undefined;
  }
}

function link(program) {
  const folder = join(__dirname, "../../node_modules/.bin");
  const place = join(folder, isWindows ? "node.exe" : "node");
  if (existsSync(place) && realpathSync(place) === realpathSync(program)) return;
  rmSync(place, { force: true });
  if (isWindows) linkSync(program, place);
  else symlinkSync(relative(realpathSync(folder), realpathSync(program)), place);
}

// For other platforms there is no package, and the Node.js of the machine runs everything.
if (wanted !== undefined) {
  const [name, version] = wanted;
  const manifest = installed(name);
  if (manifest?.version === version) {
    link(require.resolve(`${name}/${manifest.bin.node}`));
  } else {
    console.error(
      `latchkey: npm has not installed ${name} ${version}: it could not be downloaded, or its digest is not that of package-lock.json (run npm ci again)`,
    );
    process.exitCode = 1;
  }
}
