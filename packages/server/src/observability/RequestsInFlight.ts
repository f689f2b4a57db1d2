import { Context } from "effect"

/** How many requests this process is answering at the moment. The server counts them; work that can wait looks at it. */
export const RequestsInFlight = Context.Reference<{ count: number }>("@edp/server/observability/RequestsInFlight", {
  defaultValue: () => ({ count: 0 })
})
