import { Context } from "effect"

/** So many requests are in flight only in a process that cannot keep up. */
const MANY = 8

/** The number of requests that this process is answering. Work that can wait reads it. */
export const RequestsInFlight = Context.Reference<{ count: number }>(
  "@edp/server/platform/observability/RequestsInFlight",
  {
    defaultValue: () => ({ count: 0 })
  }
)

/** Whether work that can wait should be paced. */
export const isBusy = ({ count }: { readonly count: number }) => count >= MANY
