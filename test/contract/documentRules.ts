import type { RuleDefinition, RulesetDefinition } from "@stoplight/spectral-core"
import published from "@stoplight/spectral-owasp-ruleset"
import { oas } from "@stoplight/spectral-rulesets"

/** Lists of ids that the specification gives no bound and no pages. */
const unbounded = "/^(connectedSiteIds|connectedDeviceIds|customerIds)$/"

// Its declarations say `default` of what is the module itself.
const owasp = published as unknown as RulesetDefinition & { readonly rules: Readonly<Record<string, object>> }

const openapi = oas as unknown as typeof owasp

/** A rule as it was published, looking at less. */
const lookingAt = (name: string, given: string | Array<string>): RuleDefinition & object => {
  const rule = owasp.rules[name] ?? openapi.rules[name]
  if (rule === undefined) throw new Error(`There is no rule ${name}`)
  return { ...rule, given } as RuleDefinition & object
}

/**
 * The findings of Spectral in the OpenAPI document: its rules for such documents and those of the OWASP API Security
 * Top 10, all of them. Four look at less than they were published to, each for the reason beside it.
 */
export const documentRules: RulesetDefinition = {
  extends: [oas as RulesetDefinition, owasp],
  rules: {
    // It compiles the schema again for each body, which takes most of the linter's time. openapi.test.ts compares these examples.
    "oas3-valid-media-example": lookingAt("oas3-valid-media-example", [
      "$..headers..[?(@ && @.schema && (@.example !== void 0 || @.examples))]",
      "$..parameters..[?(@ && @.schema && (@.example !== void 0 || @.examples))]"
    ]),
    // Ids of what belongs to a record: bounded by what the workspace holds, not by the contract.
    "owasp:api4:2023-array-limit": lookingAt("owasp:api4:2023-array-limit", [
      `$..[?(@ && @.type=="array" && !@property.match(${unbounded}))]`,
      // A union of types, such as an array or null.
      `$..[?(@ && @.type && @.type.constructor.name === "Array" && @.type.includes("array") && !@property.match(${unbounded}))]`
    ]),
    // Only a valid key has limits to report; the response to any other must not distinguish them.
    "owasp:api4:2023-rate-limit": lookingAt(
      "owasp:api4:2023-rate-limit",
      "$.paths[*]..responses[?(@property.match(/^(2|4)/) && @property !== '401')]"
    ),
    // As published it takes every field of a record that is called `headers` for the headers of a response.
    "owasp:api8:2023-define-cors-origin": lookingAt("owasp:api8:2023-define-cors-origin", [
      "$.paths[*][*].responses[*].headers",
      "$.components.responses[*].headers"
    ])
  }
}
