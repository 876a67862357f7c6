// Bundles all views into ../static, which is committed, so that whoever installs or reads the lessons needs no node.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url)), target = join(here, "../static");

/** A hash over all sources. tests/js/test_bundle.py takes the same one, and fails where a bundle names another. */
function hashOfSources() {
  const hash = createHash("sha256");
  const files = readdirSync(here, { recursive: true, encoding: "utf8" }).map((file) => file.split(sep).join("/"));
  const sources = files.filter((file) => !file.startsWith("node_modules/") && /\.(js|css)$|^package\.json$/.test(file));
  for (const file of sources.sort()) hash.update(`${file}\0`).update(readFileSync(join(here, file))).update("\0");
  return hash.digest("hex");
}

const line = `/* Made by \`make js\` from autograd_core/widgets/js, sha256 ${hashOfSources()} */`;
const options = /** @type {const} */ ({
  bundle: true, minify: true, format: "esm", target: "es2023", charset: "utf8", legalComments: "none",
  banner: { js: line, css: line }, logLevel: "info",
});
const entryPoints = { widgets: "index.js", stub: "stub.js", view: "view.js" };
await build({ ...options, absWorkingDir: here, entryPoints, outdir: target });
const styles = { widgets: "index.css", view: "view.css" };
await build({ ...options, absWorkingDir: here, entryPoints: styles, outdir: target });
