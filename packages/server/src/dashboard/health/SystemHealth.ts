import {
  HEALTH_ITEMS,
  type HealthTable,
  type SystemHealth as Health,
  workTasks
} from "@edp/domain/dashboard/SystemHealth"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { Clock, Context, Effect, Exit, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Adapters } from "../../accounts/adapter-hosts/Adapters.ts"
import { ServerConfig } from "../../platform/config/ServerConfig.ts"
import { Backlogs, MOST, type WaitingWork } from "./Backlogs.ts"
import { type Instance, Instances } from "../../platform/observability/Instances.ts"
import { RateLimitStore } from "../../platform/rate-limits/RateLimitStore.ts"
import { connectionUse } from "../../platform/sql/pooledClient.ts"
import { quotaUse } from "./quotaUse.ts"
import { type PartitionRow, SystemHealthRepository } from "./SystemHealthRepository.ts"

/** A part that takes longer is unknown. */
const PATIENCE = "3 seconds"

const NANOSECONDS = 1e6

const iso = (date: Date) => date.toISOString()

const isoOrNull = (date: Date | null) => date?.toISOString() ?? null

const seconds = (value: number | null) => (value === null ? null : Math.max(0, Math.round(value * 10) / 10))

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = yield* Clock.monotonicTimeNanos
    const value = yield* effect
    const milliseconds = Number((yield* Clock.monotonicTimeNanos) - began) / NANOSECONDS
    return { value, milliseconds: Math.round(milliseconds * 100) / 100 }
  })

/**
 * Measures a part of the response. A part that fails or takes too long is unknown, and leaves the others.
 *
 * @param measuredAt The time of a value that was measured earlier; otherwise it is now.
 */
const part = <A, E>(name: string, measure: Effect.Effect<A, E>, measuredAt?: (value: A) => Date) =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.timeoutOption(measure, PATIENCE))
    const measured = iso(new Date(yield* Clock.currentTimeMillis))
    if (Exit.isFailure(exit)) {
      yield* Effect.logWarning(`The health of ${name} could not be read`, exit.cause)
      return { asOf: measured, value: null, reason: "failed" as const }
    }
    if (Option.isNone(exit.value)) return { asOf: measured, value: null, reason: "timed_out" as const }
    const { value } = exit.value
    return { asOf: measuredAt === undefined ? measured : iso(measuredAt(value)), value, reason: null }
  })

const toInstance = (ownId: string, { isSilent, seenAt, startedAt, role, ...rest }: Instance) => ({
  ...rest,
  role: role as Health["service"]["role"],
  isThis: rest.id === ownId,
  startedAt: startedAt.toISOString(),
  lastSeenAt: seenAt.toISOString(),
  isSilent
})

const startOfMonth = (now: number, ahead: number) => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + ahead)
}

const startOfDay = (now: number, ahead: number) => {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + ahead)
}

const toTable = (table: HealthTable["table"], all: ReadonlyArray<PartitionRow>, now: number): HealthTable => {
  const rows = all.filter((row) => row.table === table)
  const start = table === "readings" ? startOfMonth : startOfDay
  const has = (ahead: number) => rows.some(({ from }) => from?.getTime() === start(now, ahead))
  return {
    table,
    partitions: rows.slice(0, HEALTH_ITEMS).map(({ bytes, from, name, rows: estimate, to }) => ({
      name,
      from: isoOrNull(from),
      to: isoOrNull(to),
      rows: estimate,
      bytes
    })),
    total: rows.length,
    rows: rows.reduce((sum, row) => sum + (row.rows ?? 0), 0),
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    currentExists: has(0),
    nextExists: has(1)
  }
}

const toTasks = (found: ReadonlyArray<WaitingWork>) =>
  workTasks.flatMap((task) =>
    found
      .filter((each) => each.task === task)
      .map(({ oldestSeconds, waiting }) => ({
        task,
        waiting,
        isCapped: waiting >= MOST,
        oldestSeconds: seconds(oldestSeconds)
      }))
  )

/** Reports the state of the service to those who run it, and an organization how its own destinations and accounts are. */
export class SystemHealth extends Context.Service<
  SystemHealth,
  { readonly get: (caller: CurrentKey["Service"]) => Effect.Effect<Health> }
>()("@edp/server/dashboard/SystemHealth") {
  static readonly layer = Layer.effect(
    SystemHealth,
    Effect.gen(function* () {
      const repository = yield* SystemHealthRepository
      const sql = yield* SqlClient.SqlClient
      const backlogs = yield* Backlogs
      const instances = yield* Instances
      const adapters = yield* Adapters
      const limits = yield* RateLimitStore
      const { redisUrl } = yield* ServerConfig

      /** This instance responds, whether its latest heartbeat has been written or not. */
      const listInstances = Effect.gen(function* () {
        const now = new Date(yield* Clock.currentTimeMillis)
        const others = (yield* instances.list).filter(({ id }) => id !== instances.own.id)
        const own = { ...instances.own, seenAt: now, isSilent: false }
        return [own, ...others].slice(0, HEALTH_ITEMS).map((each) => toInstance(instances.own.id, each))
      })

      const work = Effect.map(
        part("background work", backlogs.work, ({ asOf }) => asOf),
        ({ value, ...rest }) => ({ ...rest, value: value && toTasks(value.tasks) })
      )

      const destinations = (organizationId: string) =>
        Effect.map(repository.destinations(organizationId), ({ counts, rows }) => ({
          ...counts,
          items: rows.map((row) => ({
            ...row,
            isCapped: row.waiting >= repository.mostDeliveries,
            oldestSeconds: seconds(row.oldestSeconds),
            failingSince: isoOrNull(row.failingSince),
            deactivatedAt: isoOrNull(row.deactivatedAt)
          }))
        }))

      const quotas = (organizationId: string) =>
        Effect.gen(function* () {
          const calls = yield* repository.calls(organizationId)
          return quotaUse(
            adapters.running.map(({ manifest }) => manifest),
            calls,
            yield* Clock.currentTimeMillis
          )
        })

      const accounts = (organizationId: string) =>
        Effect.map(repository.accounts(organizationId), ({ counts, rows }) => ({
          ...counts,
          items: rows.map((row) => ({ ...row, expiresAt: isoOrNull(row.expiresAt), since: isoOrNull(row.since) }))
        }))

      const partitions = Effect.gen(function* () {
        const rows = yield* repository.partitions
        const now = yield* Clock.currentTimeMillis
        return (["readings", "events"] as const).map((table) => toTable(table, rows, now))
      })

      const database = Effect.gen(function* () {
        const { milliseconds } = yield* timed(repository.ping)
        const { migrations, server } = yield* repository.database
        return {
          kind: repository.driver === "pglite" ? ("embedded" as const) : ("postgresql" as const),
          ...server,
          pingMilliseconds: milliseconds,
          migrations: { ...migrations, known: repository.knownMigrations },
          connections: connectionUse(sql) ?? null
        }
      })

      const redis = Effect.gen(function* () {
        if (Option.isNone(redisUrl)) return { state: "not_configured" as const, pingMilliseconds: null }
        const { milliseconds, value } = yield* timed(limits.healthy)
        return value
          ? { state: "connected" as const, pingMilliseconds: milliseconds }
          : { state: "unreachable" as const, pingMilliseconds: null }
      })

      return {
        get: Effect.fn("SystemHealth.get")(function* ({ organizationId }) {
          const { nodeVersion, role, startedAt, version } = instances.own
          const parts = yield* Effect.all(
            {
              instances: part("the instances", listInstances),
              work: work,
              destinations: part("destinations", destinations(organizationId)),
              quotas: part("quotas", quotas(organizationId)),
              accounts: part("accounts", accounts(organizationId)),
              partitions: part("partitions", partitions),
              database: part("the database", database),
              redis: part("Redis", redis)
            },
            // A few connections at a time: requests need the others.
            { concurrency: 2 }
          )
          const now = yield* Clock.currentTimeMillis
          return {
            asOf: new Date(now).toISOString(),
            service: {
              role: role as Health["service"]["role"],
              version,
              nodeVersion,
              startedAt: startedAt.toISOString(),
              uptimeSeconds: Math.max(0, Math.round((now - startedAt.getTime()) / 1000))
            },
            ...parts
          } as Health
        })
      }
    })
  )
}
