import { EnergyRollups } from "@edp/server/metrics/EnergyRollups"
import { ReadingRetention } from "@edp/server/readings/retention/ReadingRetention"
import { Clock, Effect, Logger } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import { clockAt } from "./measuring.ts"

const DAY = 86_400_000

/** The retention in days: longer than the age of readings in tests, so that none is rejected. */
export const RETENTION = 400

/** The background work of an instance, done when a test says so. */
export const retiring = (app: TestApp) => {
  const rollAll = async (): Promise<void> => {
    if ((await app.run(Effect.flatMap(EnergyRollups, ({ rollSome }) => rollSome))) > 0) return rollAll()
  }
  return {
    rollAll,
    /** Drops what is before, as far as it can be; returns whether something is left to do soon. */
    dropOld: (keptFrom: number) =>
      app.run(
        Effect.flatMap(ReadingRetention, ({ dropOld }) => dropOld).pipe(
          Effect.provideService(Clock.Clock, clockAt(keptFrom + (RETENTION + 1) * DAY)),
          Effect.provide(Logger.layer([]))
        )
      ),
    /** Lets the time pass in which those who began to read before have ended. */
    letPass: () => app.sql((sql) => sql`UPDATE readings_floor SET frozen_at = frozen_at - interval '1 hour'`),
    /** The tables of the readings. */
    months: async () => {
      const rows = await app.sql(
        (sql) => sql<{ readonly name: string }>`SELECT relname AS name FROM pg_inherits JOIN pg_class
          ON pg_class.oid = inhrelid WHERE inhparent = 'readings'::regclass ORDER BY relname`
      )
      return rows.map(({ name }) => name)
    }
  }
}
