import type { ApiClient } from "@edp/domain/Client"
import { Effect } from "effect"
import { CliFailure } from "../CliFailure.ts"
import { describeFailure } from "../describeFailure.ts"

/** Enough waits of growing length to outlast a restart of the service. */
export const RETRIES = 12

/** What a call fails with, as a person is told it. */
export const told = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, CliFailure, R> =>
  Effect.mapError(call, (error) => new CliFailure(describeFailure(error)))

/** The workspace that a client's key writes to. */
export const workspaceOf = Effect.fnUntraced(function* (client: ApiClient) {
  const { data } = yield* told(client.workspaces.list({ query: { perPage: 1 } }))
  return data[0]!.id
})
