import { readdirSync, readFileSync } from "node:fs"

const folder = new URL("./devices/", import.meta.url)

/** The documents of the templates that come with the service, by slug, to be read with `readTemplate`: the files of `devices`. */
export const builtInTemplates: Readonly<Record<string, unknown>> = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => [name.slice(0, -".json".length), JSON.parse(readFileSync(new URL(name, folder), "utf8"))])
)
