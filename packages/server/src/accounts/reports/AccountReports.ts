import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AccountReport, DiscoveredDevice } from "@edp/adapter-kit/Account"
import { Ids } from "../../platform/Ids.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { transactionsOn } from "../../platform/sql/transaction.ts"
import { TelemetryWriter } from "../../readings/ingest/TelemetryWriter.ts"
import { type KeptTimes, KeptReadings } from "../../readings/retention/KeptReadings.ts"
import { AccountAlerts } from "./AccountAlerts.ts"
import { AccountsRepository } from "../AccountsRepository.ts"
import { AccountWorkRepository } from "../AccountWorkRepository.ts"
import type { AccountRow } from "../accountRow.ts"
import type { AccountDevice } from "../../devices/linkedDeviceRow.ts"
import { DeviceImport } from "../devices/DeviceImport.ts"
import { listedDevices } from "../devices/listedDevices.ts"
import { pastReadings } from "./pastReadings.ts"
import { reportedChanges } from "./reportedChanges.ts"

const DAY = 86_400_000

/** The most characters of problems that are kept. */
const PROBLEMS_LENGTH = 2000

/** Past readings that are written together: a report may have those of months. */
const WRITTEN_TOGETHER = 1000

/** A report with what is stored of its account. */
export interface ReportedAccount {
  readonly account: AccountRow
  readonly devices: ReadonlyArray<AccountDevice>
  /** The problem of the last report; null for none. */
  readonly problem: string | null
  /** The claim under which the account was read. Without it nothing but readings is written. */
  readonly claim?: string | undefined
}

/** Stores what adapters report: readings, changes of devices, alerts and listings. */
export class AccountReports extends Context.Service<
  AccountReports,
  {
    readonly store: (reported: ReportedAccount, report: AccountReport) => Effect.Effect<void, DatabaseUnavailable>
    /** The same for a device that reports by itself. An account that is being linked only keeps the listing. */
    readonly receive: (accountId: string, report: AccountReport) => Effect.Effect<void, DatabaseUnavailable>
    /** Raises one alert for what the adapter did not understand, and settles it once everything is understood. */
    readonly noteProblem: (
      reported: Pick<ReportedAccount, "account" | "problem">,
      problem: string | null
    ) => Effect.Effect<void, DatabaseUnavailable>
  }
>()("@edp/server/accounts/AccountReports") {
  static readonly layer = Layer.effect(
    AccountReports,
    Effect.gen(function* () {
      const accounts = yield* AccountsRepository
      const work = yield* AccountWorkRepository
      const writer = yield* TelemetryWriter
      const kept = yield* KeptReadings
      const imports = yield* DeviceImport
      const alerts = yield* AccountAlerts
      const ids = yield* Ids
      const transaction = transactionsOn(yield* SqlClient.SqlClient)

      const noteProblem = Effect.fnUntraced(function* (
        { account, problem: before }: Pick<ReportedAccount, "account" | "problem">,
        problem: string | null
      ) {
        if (problem === before) return
        yield* work.setProblem(account.id, problem)
        if (problem === null) return yield* alerts.settle(account, ["answers"])
        yield* Effect.logWarning(`Responses for the account ${account.id} were not understood: ${problem}`)
        // The alert is raised once, however the values vary.
        if (before === null) yield* alerts.raise(account, "answers", problem)
      })

      const store = Effect.fnUntraced(function* (
        { account, claim, devices: stored, problem }: ReportedAccount,
        report: AccountReport
      ) {
        let devices = stored
        if (report.devices !== null) {
          yield* imports.compare(account, report.devices, claim)
          devices = yield* accounts.devices([account.id])
        }
        const now = yield* Clock.currentTimeMillis
        const begin = ({ droppedBefore, retentionDays }: KeptTimes) =>
          Math.max(droppedBefore, retentionDays === undefined ? 0 : now - retentionDays * DAY)
        const keptFrom = (deviceType: string) =>
          Math.max(begin(kept.times()), begin(kept.timesIn(account.workspaceId, deviceType) ?? kept.times()))
        const byId = new Map(devices.map((device) => [device.manufacturerDeviceId, device]))
        const found = reportedChanges(report.observations, byId, now, keptFrom)
        const past = pastReadings(report.history ?? [], byId, now, keptFrom)

        for (let first = 0; first < past.readings.length; first += WRITTEN_TOGETHER) {
          yield* writer.write(
            past.readings
              .slice(first, first + WRITTEN_TOGETHER)
              .map((reading) => ({ ...reading, id: ids.readingAt(now, reading.deviceId) })),
            { separable: true }
          )
        }
        yield* writer.write(
          found.readings.map((reading) => ({ ...reading, id: ids.readingAt(now, reading.deviceId) })),
          { separable: true }
        )
        for (const [status, devices] of Map.groupBy(found.statuses, ({ status }) => status)) {
          yield* writer.setReportedStatus(
            devices.map(({ id }) => id),
            status
          )
        }
        if (found.changes.length > 0) yield* imports.change(account, found.changes, claim)
        const record = Effect.gen(function* () {
          if (claim !== undefined && !(yield* work.holds(account.id, claim))) return
          if (found.seenAgain.length > 0) yield* imports.dateInterventions(found.seenAgain)
          if (report.memory !== undefined) yield* work.setMemory(account.id, report.memory)
          yield* alerts.report(
            account,
            report.alerts,
            new Map(devices.map(({ id, manufacturerDeviceId }) => [manufacturerDeviceId, id]))
          )
          const sentences = [...found.problems, ...past.problems].join("; ").slice(0, PROBLEMS_LENGTH)
          yield* noteProblem({ account, problem }, sentences === "" ? null : sentences)
        })
        yield* claim === undefined ? record : transaction(record)
      })

      const keepListing = (account: AccountRow, devices: ReadonlyArray<DiscoveredDevice> | null) =>
        devices === null
          ? Effect.void
          : Effect.asVoid(accounts.setDiscovered(account.id, listedDevices(account.discovered ?? [], devices).listed))

      return {
        store: Effect.fn("AccountReports.store")(store),
        noteProblem,
        receive: Effect.fn("AccountReports.receive")(function* (accountId, report) {
          const account = yield* accounts.get(accountId)
          if (account === undefined) return
          if (account.status === "pending") {
            yield* keepListing(account, report.devices)
            if (report.memory !== undefined) yield* work.setMemory(account.id, report.memory)
            return
          }
          if (account.status !== "connected") return
          const devices = yield* accounts.devices([accountId])
          const state = yield* work.state(accountId)
          yield* store({ account, devices, problem: state?.problem ?? null }, report)
        })
      }
    })
  )
}
