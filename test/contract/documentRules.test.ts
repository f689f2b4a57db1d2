import { readFileSync } from "node:fs"
import { type ISpectralDiagnostic, Spectral } from "@stoplight/spectral-core"
import { beforeAll, describe, expect, it } from "vitest"
import { documentRules } from "./documentRules.ts"

/** Records that stand in many events. */
const repeated = /\/(?:Device|Customer|Site)$/

/**
 * The document, but that events name no such records: the linter looks at a record wherever it stands, each stands in several
 * of the twenty events, and by themselves they are looked at anyhow.
 */
const read = (): any => {
  const document = JSON.parse(readFileSync(new URL("../../packages/domain/openapi.json", import.meta.url), "utf8"))
  for (const [name, { properties }] of Object.entries<any>(document.components.schemas)) {
    if (!name.endsWith("EventData")) continue
    for (const [field, { $ref, anyOf }] of Object.entries<any>(properties)) {
      if (repeated.test($ref ?? anyOf?.[0].$ref ?? ""))
        properties[field] = { anyOf: [{ type: "object" }, { type: "null" }] }
    }
  }
  return document
}

const spectral = new Spectral()
spectral.setRuleset(documentRules)

const format = ({ code, path, message }: ISpectralDiagnostic) => `${code} at ${path.join("/")}: ${message}`
const complaints = async (document: object) => (await spectral.run(document as never)).map(format)

describe("the OpenAPI document, checked by a third-party linter", () => {
  it("breaks none of its OpenAPI rules and none of its OWASP API Security Top 10 rules", async () => {
    expect(await complaints(read())).toEqual([])
  })

  describe("narrowed linter rules still report violations:", () => {
    let found: ReadonlyArray<string>

    beforeAll(async () => {
      const document = read()
      delete document.components.schemas.SitePage.properties.data.maxItems
      delete document.paths["/v1/sites"].get.responses["200"].headers["X-RateLimit-Limit"]
      delete document.components.responses.NOT_FOUND.headers["Access-Control-Allow-Origin"]
      document.components.headers["X-RateLimit-Remaining"].example = "many"
      // Three paths and what they refer to are enough, and quickly read.
      const { "/v1/sites": sites, "/v1/sites/{id}": site, "/v1/alerts/{id}": alert } = document.paths
      found = await complaints({
        ...document,
        paths: { "/v1/sites": sites, "/v1/sites/{id}": site, "/v1/alerts/{id}": alert }
      })
    })

    it.each([
      ["an array without a bound", "owasp:api4:2023-array-limit at components/schemas/SitePage/properties/data"],
      ["a response without the limits", "owasp:api4:2023-rate-limit at paths//v1/sites/get/responses/200/headers"],
      ["an example of a header", "oas3-valid-media-example at components/headers/X-RateLimit-Remaining"],
      ["an error that no page may read", "owasp:api8:2023-define-cors-origin at components/responses/NOT_FOUND/headers"]
    ])("%s", (_, complaint) => {
      expect(found.filter((one) => one.startsWith(complaint))).not.toEqual([])
    })
  })
})
