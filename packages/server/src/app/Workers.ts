import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Accounts } from "../accounts/Accounts.ts"
import { AccountRunner } from "../accounts/AccountRunner.ts"
import { AccountWaits } from "../accounts/AccountWaits.ts"
import { CallQuotas } from "../accounts/quotas/CallQuotas.ts"
import { silenceLimits } from "../alerts/silenceLimits.ts"
import { SilenceWatch } from "../alerts/SilenceWatch.ts"
import { deleteOldAuditLogs } from "../audit/AuditLogs.ts"
import { MaterializedCollections } from "../collections/MaterializedCollections.ts"
import { ConnectSessions } from "../connections/sessions/ConnectSessions.ts"
import { BatchWatch } from "../commands/batches/BatchWatch.ts"
import { commandLimits } from "../commands/commandLimits.ts"
import { CommandOutcomes } from "../commands/CommandOutcomes.ts"
import { CommandRunner } from "../commands/CommandRunner.ts"
import { CommandWaits } from "../commands/waits/CommandWaits.ts"
import { Confirmations } from "../commands/confirmation/Confirmations.ts"
import { Sessions } from "../dashboard/sessions/Sessions.ts"
import { Deliveries } from "../destinations/delivery/Deliveries.ts"
import { deliveryLimits } from "../destinations/delivery/deliveryLimits.ts"
import { DeliveryRunner } from "../destinations/delivery/DeliveryRunner.ts"
import { DeliveryWaits } from "../destinations/delivery/DeliveryWaits.ts"
import { FanOut } from "../destinations/delivery/FanOut.ts"
import { EmailConfirmations } from "../enrollments/email/EmailConfirmations.ts"
import { candidateLimits } from "../enrollments/candidateLimits.ts"
import { CandidateSweep } from "../enrollments/CandidateSweep.ts"
import { mailLimits } from "../enrollments/email/mailLimits.ts"
import { EventRetention } from "../events/Events.ts"
import { SiteChanges } from "../devices/SiteChanges.ts"
import { PublicationRunner } from "../home-assistant/PublicationRunner.ts"
import { dispatchLimits } from "../dispatches/dispatchLimits.ts"
import { DispatchRunner } from "../dispatches/DispatchRunner.ts"
import { ProgramDays } from "../dispatches/program-reports/ProgramDays.ts"
import { SiteResults } from "../dispatches/reports/SiteResults.ts"
import { FleetSums } from "../metrics/FleetSums.ts"
import { rollupLimits } from "../metrics/rollupLimits.ts"
import { RollupRunner } from "../metrics/RollupRunner.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { watchClocks } from "../platform/jobs/ClockWatch.ts"
import { every, whenDue } from "../platform/jobs/every.ts"
import { forgetPastFailures, limitPauses } from "../platform/jobs/isolation.ts"
import { endLeasesOfGone } from "../platform/jobs/heldLeases.ts"
import * as WorkSignals from "../platform/jobs/WorkSignals.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { Instances } from "../platform/observability/Instances.ts"
import { WorkspaceImports } from "../moves/WorkspaceImports.ts"
import { ReadingsMover } from "../readings/moving/ReadingsMover.ts"
import { GridPollRunner } from "../grid/GridPollRunner.ts"
import { GridBrokerRunner } from "../grid/notifications/GridBrokerRunner.ts"
import { HistoryDeletion } from "../readings/retention/HistoryDeletion.ts"
import { ReadingRetention } from "../readings/retention/ReadingRetention.ts"
import { WorkspaceRemoval } from "../readings/retention/WorkspaceRemoval.ts"
import { scheduleLimits } from "../schedules/scheduleLimits.ts"
import { ScheduleRunner } from "../schedules/ScheduleRunner.ts"
import { siteResourceLimits } from "../vtn/enrolled-sites/siteResourceLimits.ts"
import { SiteResources } from "../vtn/enrolled-sites/SiteResources.ts"
import { brokerLimits } from "../vtn/notifications/brokerLimits.ts"
import { BrokerPublisher } from "../vtn/notifications/BrokerPublisher.ts"
import { NotificationRunner } from "../vtn/notifications/NotificationRunner.ts"
import { deleteOldReports } from "../vtn/objects/ReportRetention.ts"
import { Publications } from "../vtn/publications/Publications.ts"

const publishSiteChanges = Effect.flatMap(SiteChanges, ({ publishSome }) =>
  Effect.repeat(publishSome, { while: (more) => more })
)

const publishDispatches = Effect.flatMap(Publications, ({ publishSome }) =>
  Effect.repeat(publishSome, { while: (found) => found > 0 })
)

const showSites = Effect.flatMap(SiteResources, ({ showSome }) =>
  Effect.repeat(showSome, { while: (found) => found > 0 })
)

const clearDeliveries = Effect.gen(function* () {
  const { skipIdle } = yield* FanOut
  const { clear } = yield* Deliveries
  yield* skipIdle
  yield* clear
})

/** Gives new events to destinations; the deliveries need not wait for the runner's next poll. */
const fanOut = Effect.gen(function* () {
  const { next } = yield* FanOut
  const { wake } = yield* DeliveryRunner
  yield* Effect.repeat(Effect.tap(next, wake), { while: (workspaces) => workspaces > 0 })
})

const confirmCommands = Effect.flatMap(Confirmations, ({ confirm }) =>
  Effect.repeat(confirm, { while: (more) => more })
)

const timeOutCommands = Effect.flatMap(CommandOutcomes, ({ timeOut }) =>
  Effect.repeat(timeOut, { while: (found) => found === commandLimits.timedOutTogether })
)

/** While there is more to drop, the next attempt comes after a minute instead of an hour. */
const dropOldReadings = Effect.gen(function* () {
  const { dropOld } = yield* ReadingRetention
  while (yield* dropOld) yield* Effect.sleep("1 minute")
})

/** While there is more to move, the next attempt comes after a minute instead of ten. */
const moveOldReadings = Effect.gen(function* () {
  const { move } = yield* ReadingsMover
  while (yield* move) yield* Effect.sleep("1 minute")
})

/** Ends everything that a process which is gone had leased. Returns whether there are other processes, which may go. */
const endLeases = Effect.gen(function* () {
  const owners = [
    yield* DeliveryRunner,
    yield* AccountRunner,
    yield* CommandRunner,
    yield* RollupRunner,
    yield* PublicationRunner,
    yield* GridPollRunner,
    yield* GridBrokerRunner,
    yield* NotificationRunner,
    yield* FleetSums
  ]
  return yield* endLeasesOfGone((holder) =>
    Effect.forEach(owners, (owner) => owner.endLeases(holder), { discard: true })
  )
})

/** Watches for instances that are gone, while there are others. */
const watchLeases = Effect.suspend(() => {
  let hasOthers = true
  const nextDue = Effect.sync(() => (hasOthers ? 0 : Infinity))
  return whenDue(
    "The leases of ended instances",
    { topics: ["lease holders"], pause: "2 seconds", nextDue },
    Effect.map(endLeases, (found) => {
      hasOthers = found
    })
  )
})

/** Keeps what was stored while a clock was ahead from waiting until that time comes. */
const clocks = Effect.gen(function* () {
  const { limit } = yield* CommandWaits
  const silence = yield* SilenceWatch
  const accounts = yield* AccountWaits
  const deliveries = yield* DeliveryWaits
  const mails = yield* EmailConfirmations
  const vtns = yield* GridPollRunner
  const results = yield* SiteResults
  const days = yield* ProgramDays
  const publications = yield* PublicationRunner
  const vtnBrokers = yield* GridBrokerRunner
  const notifications = yield* NotificationRunner
  const broker = yield* BrokerPublisher
  const sql = yield* SqlClient.SqlClient
  const pauses = Effect.provideService(limitPauses, SqlClient.SqlClient, sql)
  yield* watchClocks([
    { name: "commands", limit: () => limit },
    { name: "accounts", limit: accounts.limit },
    { name: "deliveries", limit: deliveries.limit },
    { name: "mails of enrollments", limit: () => mails.limitWaits },
    { name: "silent devices", limit: () => silence.limitWaits },
    { name: "polls of VTNs", limit: () => vtns.limitWaits },
    { name: "results of dispatches", limit: () => results.limitWaits },
    { name: "days of program reports", limit: () => days.limitWaits },
    { name: "connections to the brokers of VTNs", limit: () => vtnBrokers.limitWaits },
    { name: "publications to Home Assistant", limit: () => publications.limitWaits },
    { name: "notifications of OpenADR", limit: () => notifications.limitWaits },
    { name: "notifications of OpenADR over MQTT", limit: () => broker.limitWaits },
    { name: "failing work", limit: () => pauses }
  ])
})

const next = ({ nextDue }: { readonly nextDue: Effect.Effect<number, DatabaseUnavailable> }) => nextDue

/** Each ends in a scope of its own, so that one that waits for its jobs does not hold up the others. */
const runners = {
  accounts: Layer.effectDiscard(Effect.flatMap(AccountRunner, ({ work }) => work)),
  commands: Layer.effectDiscard(Effect.flatMap(CommandRunner, ({ work }) => work)),
  deliveries: Layer.effectDiscard(Effect.flatMap(DeliveryRunner, ({ work }) => work)),
  polls: Layer.effectDiscard(Effect.flatMap(GridPollRunner, ({ work }) => work)),
  publications: Layer.effectDiscard(Effect.flatMap(PublicationRunner, ({ work }) => work)),
  gridBrokers: Layer.effectDiscard(Effect.flatMap(GridBrokerRunner, ({ work }) => work)),
  notifications: Layer.effectDiscard(Effect.flatMap(NotificationRunner, ({ work }) => work)),
  rollups: Layer.effectDiscard(Effect.flatMap(RollupRunner, ({ work }) => work))
}

/** All background work: what is announced or has a time, with the shortest pause between two runs, and what is done from time to time. */
const jobs = Layer.mergeAll(
  runners.accounts,
  runners.commands,
  runners.deliveries,
  runners.polls,
  runners.publications,
  runners.gridBrokers,
  runners.notifications,
  runners.rollups,
  Layer.effectDiscard(
    Effect.all([
      whenDue(
        "The watch for silent devices",
        { topics: ["silent devices"], pause: silenceLimits.pauseMs, nextDue: Effect.flatMap(SilenceWatch, next) },
        Effect.flatMap(SilenceWatch, (watch) => watch.sweep)
      ),
      whenDue(
        "The events of changed sites' devices",
        { topics: ["site changes"], pause: "1 second", nextDue: Effect.flatMap(SiteChanges, next) },
        publishSiteChanges
      ),
      every(
        "The sums of fleets",
        rollupLimits.fleetPauseMs,
        Effect.flatMap(FleetSums, (fleets) => fleets.build)
      ),
      every(
        "The sums of the fleets' recent energy",
        rollupLimits.recentPauseMs,
        Effect.flatMap(FleetSums, (fleets) => fleets.sumRecent(rollupLimits.recentPauseMs))
      ),
      every(
        "The refresh of materialized collections",
        "30 seconds",
        Effect.flatMap(MaterializedCollections, (sets) => sets.refreshAll)
      ),
      every(
        "The deletion of removed histories",
        "1 minute",
        Effect.flatMap(HistoryDeletion, (all) => all.deleteAll)
      ),
      every("The retention of readings", "1 hour", dropOldReadings),
      every(
        "The retention of workspaces' readings",
        "1 minute",
        Effect.flatMap(WorkspaceRemoval, ({ removeOld }) => removeOld)
      ),
      every("The move of old readings into the archive", "10 minutes", moveOldReadings),
      every(
        "The retention of events",
        "1 hour",
        Effect.flatMap(EventRetention, (retention) => retention.dropOld)
      ),
      whenDue(
        "The fan-out of events",
        { topics: ["events"], pause: deliveryLimits.fanOutPauseMs, nextDue: Effect.flatMap(FanOut, next) },
        fanOut
      ),
      every(
        "The expiry of connect sessions",
        "1 minute",
        Effect.flatMap(ConnectSessions, (sessions) => sessions.clearExpired)
      ),
      whenDue(
        "The confirmation of commands",
        {
          topics: ["confirmations"],
          pause: commandLimits.comparisonPauseMs,
          nextDue: Effect.flatMap(Confirmations, next)
        },
        confirmCommands
      ),
      whenDue(
        "The time-outs of commands",
        {
          topics: ["time-outs"],
          pause: commandLimits.timeOutPauseMs,
          nextDue: Effect.flatMap(CommandOutcomes, ({ nextTimeOut }) => nextTimeOut)
        },
        timeOutCommands
      ),
      every(
        "The late results of commands",
        commandLimits.lateResultPauseMs,
        Effect.flatMap(Confirmations, ({ findLate }) => findLate)
      ),
      whenDue(
        "The watch over batches of commands",
        { topics: ["batches"], pause: commandLimits.batchPauseMs, nextDue: Effect.flatMap(BatchWatch, next) },
        Effect.flatMap(BatchWatch, ({ sweep }) => sweep)
      ),
      every(
        "The clearing of quotas' counts",
        "10 minutes",
        Effect.flatMap(CallQuotas, ({ clear }) => clear)
      ),
      every(
        "The removal of abandoned accounts",
        "1 hour",
        Effect.flatMap(Accounts, ({ discardAbandoned }) => discardAbandoned)
      ),
      whenDue(
        "The transitions of schedules",
        { topics: ["schedules"], pause: scheduleLimits.pauseMs, nextDue: Effect.flatMap(ScheduleRunner, next) },
        Effect.flatMap(ScheduleRunner, ({ runDue }) => runDue)
      ),
      whenDue(
        "The dispatches",
        { topics: ["dispatches"], pause: dispatchLimits.pauseMs, nextDue: Effect.flatMap(DispatchRunner, next) },
        Effect.flatMap(DispatchRunner, ({ runDue }) => runDue)
      ),
      whenDue(
        "The results of dispatched commands",
        {
          topics: ["dispatches"],
          pause: dispatchLimits.resultPauseMs,
          nextDue: Effect.flatMap(DispatchRunner, ({ nextOutcome }) => nextOutcome)
        },
        Effect.flatMap(DispatchRunner, ({ recordOutcomes }) => recordOutcomes)
      ),
      every(
        "The results of dispatched sites",
        dispatchLimits.resultsPauseMs,
        Effect.flatMap(SiteResults, ({ keepDue }) => keepDue)
      ),
      every(
        "The days of program reports",
        dispatchLimits.daysPauseMs,
        Effect.flatMap(ProgramDays, ({ keepDue }) => keepDue)
      ),
      whenDue(
        "The judging of waiting enrollments",
        { topics: ["candidates"], pause: candidateLimits.pauseMs, nextDue: Effect.flatMap(CandidateSweep, next) },
        Effect.flatMap(CandidateSweep, ({ sweep }) => sweep)
      ),
      whenDue(
        "The mails of enrollments",
        {
          topics: ["mails of enrollments"],
          pause: mailLimits.pauseMs,
          nextDue: Effect.flatMap(EmailConfirmations, next)
        },
        Effect.flatMap(EmailConfirmations, ({ sendDue }) => sendDue)
      ),
      whenDue(
        "The publication of dispatches",
        { topics: ["openadr publications"], pause: "1 second" },
        publishDispatches
      ),
      whenDue(
        "The resources of enrolled sites",
        {
          topics: ["openadr sites"],
          pause: siteResourceLimits.pauseMs,
          nextDue: Effect.flatMap(SiteResources, next)
        },
        showSites
      ),
      whenDue(
        "The notifications of OpenADR over MQTT",
        { topics: ["openadr broker"], pause: brokerLimits.pauseMs, nextDue: Effect.flatMap(BrokerPublisher, next) },
        Effect.flatMap(BrokerPublisher, ({ publishDue }) => publishDue)
      ),
      every(
        "The clearing of ended sessions",
        "10 minutes",
        Effect.flatMap(Sessions, ({ clearEnded }) => clearEnded)
      ),
      every(
        "The removal of abandoned imports",
        "1 hour",
        Effect.flatMap(WorkspaceImports, ({ removeAbandoned }) => removeAbandoned)
      ),
      clocks,
      watchLeases,
      every("The retention of deliveries", "1 hour", clearDeliveries),
      every("The clearing of past failures", "1 hour", forgetPastFailures),
      every("The retention of the audit log", "1 hour", deleteOldAuditLogs),
      every("The retention of reports of VENs", "1 hour", deleteOldReports)
    ])
  )
)

/** Heartbeats of instances in every role. */
const heartbeat = Layer.effectDiscard(
  Effect.gen(function* () {
    const { beat, leave } = yield* Instances
    yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.timeoutOption(leave, "1 second")))
    yield* every("The heartbeat", "15 seconds", beat)
  })
)

/** An instance in the role `api` leaves background work to the others, except for the commands of devices that have dialled it. */
export const Workers = Layer.merge(
  heartbeat,
  Layer.unwrap(Effect.map(ServerConfig, ({ role }) => (role === "api" ? runners.commands : jobs)))
).pipe(Layer.provide(WorkSignals.layer))
