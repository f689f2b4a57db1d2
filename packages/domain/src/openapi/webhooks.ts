import { componentOf } from "../events/Event.ts"
import { eventTypes } from "../events/EventType.ts"
import { type Json, schemaRef } from "./document.ts"

const prose =
  "Sent as the body of a POST to those who subscribe to it. The same event may be sent more than once: its `id` stays."

/** What is sent to others, one entry an event, with the components that describe its body. */
export const describeWebhooks = (spec: Json): void => {
  spec.webhooks = Object.fromEntries(
    eventTypes.map((type) => {
      const name = componentOf(type)
      const post = {
        tags: ["Events"],
        summary: spec.components.schemas[name].description,
        description: prose,
        operationId: `on${name}`,
        security: [],
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: schemaRef(name),
              examples: { [name]: { $ref: `#/components/examples/${name}` } }
            }
          }
        },
        responses: { "2XX": { description: "Taken; the body of the answer does not matter" } }
      }
      return [type, { post }]
    })
  )
}
