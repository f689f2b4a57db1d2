import { readingSchemas } from "../devices/DeviceState.ts"
import { type Json, refName } from "./document.ts"

const camel = (word: string) => word.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

const criteria = ["Rule", "All", "Any", "Not", "Condition"].map((name) => `Criteria${name}`)

/** The components in which an unknown field is an error in requests too: states by device type, and criteria. */
export const closedNames: ReadonlySet<string> = new Set([
  ...Object.keys(readingSchemas).map((type) => `${camel(type)}Reading`),
  ...criteria,
  "Criteria",
  "NoCriteria"
])

/** The alternatives of a component exclude one another, which the generator states of exact schemas alone. */
export const exclusive = (spec: Json, name: string): void => {
  const { anyOf, ...rest } = spec.components.schemas[name]
  spec.components.schemas[name] = { ...rest, oneOf: anyOf }
}

/** The `type` of a device or an event determines its variant. */
export const discriminate = (spec: Json, name: string): void => {
  const schemas: Json = spec.components.schemas
  const { anyOf, ...rest } = schemas[name]
  const mapping = Object.fromEntries(
    anyOf.map((variant: Json) => [schemas[refName(variant)!].properties.type.enum[0], variant.$ref])
  )
  schemas[name] = { ...rest, oneOf: anyOf, discriminator: { propertyName: "type", mapping } }
}
