import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient } from "effect/sql"
import { RateLimitStore } from "../rate-limits/RateLimitStore.ts"

const open = { "cache-control": "no-store" }

/** `/health/live`: the process answers. `/health/ready`: it can serve; says what is missing. */
export const HealthLive = Layer.mergeAll(
  HttpRouter.add("GET", "/health/live", HttpServerResponse.jsonUnsafe({ status: "ok" }, { headers: open })),
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const limits = yield* RateLimitStore
      const database = sql`SELECT 1`.pipe(
        Effect.timeout("2 seconds"),
        Effect.as("ok" as const),
        Effect.catchCause(() => Effect.succeed("unreachable" as const))
      )
      const ready = Effect.gen(function* () {
        const checks = {
          database: yield* database,
          // Limits are then counted by each instance alone: worth knowing, no reason to take it out of service.
          rateLimits: (yield* limits.healthy) ? ("ok" as const) : ("degraded" as const)
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
