import { Context } from "effect"

/** So many requests wait only where the process is behind with them. */
const MANY = 8

/** How many requests this process is answering at the moment. The server counts them; work that can wait looks at it. */
export const RequestsInFlight = Context.Reference<{ count: number }>(
  "@edp/server/platform/observability/RequestsInFlight",
  {
    defaultValue: () => ({ count: 0 })
  }
)

/** Whether work that can wait should give way. */
export const isBusy = ({ count }: { readonly count: number }) => count >= MANY
