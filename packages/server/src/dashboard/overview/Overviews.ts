import type { CurrentKey } from "@edp/domain/auth/Authentication"
import type { Overview, OverviewEnergy } from "@edp/domain/dashboard/Overview"
import type { MetricName } from "@edp/domain/metrics/Metric"
import type { MetricPoint } from "@edp/domain/metrics/MetricSeries"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { Clock, Context, Effect, Layer } from "effect"
import { AlertConfigurations } from "../../alerts/AlertConfigurations.ts"
import { QUARTER } from "../../energy/intervals.ts"
import { Metrics } from "../../metrics/Metrics.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { reusing } from "../../platform/batching/reusing.ts"
import { compareDays, importedFrom } from "./comparedEnergy.ts"
import { toPower } from "./overviewFigures.ts"
import { OverviewRepository } from "./OverviewRepository.ts"

type Caller = CurrentKey["Service"]

const KEPT_RESULTS = 500

/** The energy of today changes by the quarter of an hour: what took long is reused for a minute, in milliseconds. */
const ENERGY_REUSE_LIMIT = 60_000

/** Each row has the total, which the response has once. */
const split = <Item extends { readonly total: number }>(rows: ReadonlyArray<Item>) => ({
  count: rows[0]?.total ?? 0,
  first: rows
})

const iso = (at: number) => new Date(at).toISOString()

/** Today until the last quarter of an hour that is over, and the same hours of the same weekday, in a time zone. */
const comparedDays = (now: number, timezone: string) => {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).startOfDay()
  const from = today.epochMilliseconds
  const to = Math.max(from, Math.floor(now / QUARTER) * QUARTER)
  const before = today.toPlainDate().subtract({ days: 7 }).toZonedDateTime({ timeZone: timezone }).epochMilliseconds
  return { from, to, comparedFrom: before, comparedTo: before + (to - from) }
}

/** Tells what a workspace does now and what needs somebody, for the first page of the dashboard. */
export class Overviews extends Context.Service<
  Overviews,
  {
    readonly get: (caller: Caller) => Effect.Effect<Overview, DatabaseUnavailable>
    readonly energy: (caller: Caller) => Effect.Effect<OverviewEnergy, DatabaseUnavailable>
  }
>()("@edp/server/dashboard/Overviews") {
  static readonly layer = Layer.effect(
    Overviews,
    Effect.gen(function* () {
      const repository = yield* OverviewRepository
      const configurations = yield* AlertConfigurations
      const metrics = yield* Metrics

      const get = yield* reusing(KEPT_RESULTS, (workspaceId: string) =>
        Effect.gen(function* () {
          const now = new Date(yield* Clock.currentTimeMillis)
          const rules = yield* configurations.readRules(workspaceId)
          const read = yield* Effect.all(
            {
              power: repository.power(workspaceId, now),
              workspace: repository.workspace(workspaceId),
              alerts: repository.alerts(workspaceId, rules),
              accounts: repository.accounts(workspaceId),
              destinations: repository.destinations(workspaceId),
              devices: repository.silentDevices(workspaceId, now),
              dispatches: repository.dispatches(workspaceId, now),
              schedules: repository.schedules(workspaceId)
            },
            // A few connections at a time: requests need the others.
            { concurrency: 3 }
          )
          const schedules = split(read.schedules)
          return {
            asOf: now.toISOString(),
            devices: read.workspace?.devices ?? 0,
            ...toPower(read.power),
            attention: {
              alerts: split(read.alerts),
              accounts: split(read.accounts),
              destinations: split(read.destinations),
              devices: split(read.devices)
            },
            dispatches: read.dispatches,
            schedules: { count: schedules.count, next: schedules.first }
          } as Overview
        })
      )

      const energy = yield* reusing(
        KEPT_RESULTS,
        (workspaceId: string) =>
          Effect.gen(function* () {
            const { timezone = "UTC" } = (yield* repository.workspace(workspaceId)) ?? {}
            const span = comparedDays(yield* Clock.currentTimeMillis, timezone)
            /** A workspace that is too large to be computed at once, and has no sums yet, has no points. */
            const read = (metric: MetricName, from: number, to: number, deviceType?: DeviceType) =>
              from === to
                ? Effect.succeed<ReadonlyArray<MetricPoint>>([])
                : metrics
                    .read({ id: "overview", workspaceId }, metric, {
                      from: iso(from),
                      to: iso(to),
                      period: "15m",
                      timezone,
                      ...(deviceType && { deviceType: [deviceType] })
                    })
                    .pipe(
                      Effect.map((response) => ("data" in response ? response.data : [])),
                      Effect.orElseSucceed((): ReadonlyArray<MetricPoint> => [])
                    )
            const days = (from: number, to: number) =>
              Effect.all(
                {
                  generation: read("generation", from, to),
                  load: read("load", from, to),
                  net: read("grid", from, to, "meter"),
                  exported: read("production", from, to, "meter")
                },
                { concurrency: 2 }
              ).pipe(Effect.map(({ net, ...series }) => ({ ...series, imported: importedFrom(net, series.exported) })))
            const [today, before] = [yield* days(span.from, span.to), yield* days(span.comparedFrom, span.comparedTo)]
            return {
              from: iso(span.from),
              to: iso(span.to),
              comparedFrom: iso(span.comparedFrom),
              comparedTo: iso(span.comparedTo),
              energies: compareDays(today, before)
            } satisfies OverviewEnergy
          }),
        ENERGY_REUSE_LIMIT
      )

      return {
        get: Effect.fn("Overviews.get")(({ workspaceId }) => get(workspaceId, {})),
        energy: Effect.fn("Overviews.energy")(({ workspaceId }) => energy(workspaceId, {}))
      }
    })
  )
}
