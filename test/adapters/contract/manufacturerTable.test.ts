import { readdirSync, readFileSync } from "node:fs"
import { builtInAdapters } from "@edp/server/adapters/builtInAdapters"
import type { Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { expect, it } from "vitest"

const folder = new URL("../../../docs/manufacturers/", import.meta.url)

const ways: Readonly<Record<Manifest["authorization"], string>> = {
  oauth2: "a sign-in at the manufacturer",
  form: "a form",
  inbound: "the device dials the platform"
}

const listed = (names: ReadonlyArray<string>) =>
  names.length === 0 ? "none" : names.map((one) => `\`${one}\``).join(", ")

/** The row of an adapter, from its manifest. */
const row = ({ authorization, commands, deviceTypes, name, polling, slug }: Manifest) =>
  `| [${name}](${slug}.md) | \`${slug}\` | ${ways[authorization]} | ${deviceTypes.join(", ")} | ${listed(commands)} | ${
    polling === null ? "as it reports" : `${polling.busy} to ${polling.idle} s`
  } |`

const lines = readFileSync(new URL("README.md", folder), "utf8").split("\n")

it("the table of manufacturers is what the manifests say", () => {
  const wanted = builtInAdapters.map(({ manifest }) => manifest).toSorted((a, b) => a.name.localeCompare(b.name, "en"))
  expect(lines.filter((line) => line.startsWith("| ["))).toEqual(wanted.map(row))
})

it("every page belongs to an adapter", () => {
  const pages = readdirSync(folder).filter((name) => name !== "README.md")
  expect(pages.toSorted()).toEqual(builtInAdapters.map(({ manifest }) => `${manifest.slug}.md`).toSorted())
})
