import { readdirSync, readFileSync } from "node:fs"
import type { Manifest } from "@edp/adapter-kit/ManufacturerAdapter"
import { expect, it } from "vitest"
import { documentedAdapters } from "./contractCases.ts"

const folder = new URL("../../../docs/manufacturers/", import.meta.url)

const ways: Readonly<Record<Manifest["authorization"], string>> = {
  oauth2: "a sign-in at the manufacturer",
  form: "a form",
  inbound: "the device connects to the platform"
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
  const wanted = documentedAdapters
    .map(({ manifest }) => manifest)
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
  expect(lines.filter((line) => line.startsWith("| ["))).toEqual(wanted.map(row))
})

it("every page belongs to an adapter", () => {
  const pages = readdirSync(folder).filter((name) => name !== "README.md")
  expect(pages.toSorted()).toEqual(documentedAdapters.map(({ manifest }) => `${manifest.slug}.md`).toSorted())
})

const productRows = documentedAdapters
  .flatMap(({ manifest }) =>
    (manifest.products ?? [manifest]).map(
      ({ commands, deviceTypes, name, provenAgainst = manifest.provenAgainst }) => ({
        name,
        row: `| ${name} | [${manifest.name}](manufacturers/${manifest.slug}.md) | ${ways[manifest.authorization]} | ${deviceTypes.join(", ")} | ${listed(commands)} | ${provenAgainst} |`
      })
    )
  )
  .toSorted((a, b) => a.name.localeCompare(b.name, "en"))
  .map(({ row }) => row)

it("the table of products is what the manifests say", async () => {
  await expect(`# Products

The ${productRows.length} products that can be linked by name, with the manufacturer to choose for each. A product that is not here may still speak one of the protocols: look for
[OCPP](ocpp-stations.md), [SunSpec](manufacturers/sunspec.md) or the [MQTT broker](manufacturers/mqtt.md) in its manual, or [describe it in a file](local-devices.md).

The same list is \`GET /v1/products?q=wallbox+pulsar\`, \`edp manufacturers find wallbox pulsar\`, and the search field of the [connect page](connect-pages.md): all words count, and letters are forgiven
where nothing has them. These also know the device models of \`GET /v1/device-models\`, and an installation lists only adapters that have their settings.

No product was linked as hardware. "Proven against" says which counterpart the connection was tested with; the page of the manufacturer says more.

| Product | Manufacturer | Linked by | Devices | Commands | Proven against |
|---|---|---|---|---|---|
${productRows.join("\n")}

The table is made of the manifests of the adapters: \`npx vitest run test/adapters/contract/manufacturerTable.test.ts -u\` writes it.
`).toMatchFileSnapshot("../../../docs/products.md")
})
