import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { processHasEnded } from "../platform/observability/strayExceptions.ts"
import { SqlClient } from "effect/sql"
import { makeDatabaseState } from "../platform/sql/databaseState.ts"
import { replicaIn } from "../platform/replicas/readReplica.ts"
import { RateLimitStore } from "../platform/rate-limits/RateLimitStore.ts"

const open = { "cache-control": "no-store" }

const live = HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers: open })
const ended = HttpServerResponse.jsonUnsafe({ status: "ended" }, { status: 503, headers: open })

/**
 * `/health/live`: the process can work; 503 when only a restart helps. `/health/ready`: the service can respond to requests; reports
 * what is missing.
 */
export const HealthLive = Layer.mergeAll(
  HttpRouter.use((router) =>
    Effect.flatMap(processHasEnded, (hasEnded) =>
      router.add(
        "GET",
        "/health/live",
        Effect.sync(() => (hasEnded() ? ended : live))
      )
    )
  ),
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const limits = yield* RateLimitStore
      const database = yield* makeDatabaseState
      const replica = replicaIn(yield* SqlClient.SqlClient)
      const ready = Effect.gen(function* () {
        const checks = {
          database: yield* database,
          // Each instance then counts limits alone, which is no reason to take it out of service.
          rateLimits: (yield* limits.healthy) ? ("ok" as const) : ("degraded" as const),
          // Reads then run on the primary.
          ...(replica !== undefined && { replica: yield* replica.state })
        }
        const missing = checks.database !== "ok"
        return HttpServerResponse.jsonUnsafe(
          { status: missing ? "unavailable" : "ok", checks },
          { status: missing ? 503 : 200, headers: open }
        )
      })
      yield* router.add("GET", "/health/ready", ready)
    })
  )
)
