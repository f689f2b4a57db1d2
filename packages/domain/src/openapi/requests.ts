import { componentsOf, type Json, operationsOf, refName, rewrite, schemaRef, schemasOf } from "./document.ts"

const isClosed = (schema: Json) => JSON.stringify(schema).includes('"additionalProperties":false')

const open = (schema: Json): Json =>
  rewrite(schema, ({ additionalProperties, ...rest }) =>
    additionalProperties === undefined || additionalProperties === false ? rest : { ...rest, additionalProperties }
  )

/**
 * A body may carry fields that the service does not know, which it ignores; an answer never does. A component that both
 * stand on is therefore split: requests take `<Name>Input`. `closed` names the components in which an unknown field is an
 * error in requests too.
 */
export const openRequests = (spec: Json, closed: ReadonlySet<string>): void => {
  const schemas: Json = spec.components.schemas
  const operations = operationsOf(spec).map(({ operation }) => operation)
  const responses = operations.flatMap(({ responses }) => Object.values<Json>(responses).flatMap(schemasOf))
  const answered = componentsOf(spec, responses)
  const sent = [
    ...componentsOf(
      spec,
      operations.flatMap(({ requestBody }) => schemasOf(requestBody))
    )
  ].filter((name) => !closed.has(name))
  const standsOnClosed = (name: string) =>
    [...componentsOf(spec, [schemaRef(name)])].some((part) => !closed.has(part) && isClosed(schemas[part]))
  const renamed = new Map(
    sent.filter((name) => answered.has(name) && standsOnClosed(name)).map((name) => [name, `${name}Input`])
  )
  const toInput = (schema: Json): Json =>
    rewrite(schema, (node) => {
      const name = renamed.get(refName(node) ?? "")
      return name === undefined ? node : { ...node, ...schemaRef(name) }
    })
  for (const name of sent) {
    if (!answered.has(name) || renamed.has(name)) schemas[renamed.get(name) ?? name] = toInput(open(schemas[name]))
  }
  for (const { requestBody } of operations) {
    for (const media of Object.values<Json>(requestBody?.content ?? {})) media.schema = toInput(open(media.schema))
  }
}
