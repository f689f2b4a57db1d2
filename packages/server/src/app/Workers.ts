import { Effect, Layer } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import { AccountRunner } from "../accounts/AccountRunner.ts"
import { CallQuotas } from "../accounts/CallQuotas.ts"
import * as accounts from "../accounts/layer.ts"
import * as alerts from "../alerts/layer.ts"
import { SilenceWatch } from "../alerts/SilenceWatch.ts"
import { AuditRetention } from "../audit/AuditLogs.ts"
import * as audit from "../audit/layer.ts"
import { MaterializedCollections } from "../collections/MaterializedCollections.ts"
import * as collections from "../collections/layer.ts"
import { ConnectSessions } from "../connections/ConnectSessions.ts"
import * as connections from "../connections/layer.ts"
import { BatchWatch } from "../commands/BatchWatch.ts"
import { CommandOutcomes, TIMED_OUT_AT_ONCE } from "../commands/CommandOutcomes.ts"
import { CommandRunner } from "../commands/CommandRunner.ts"
import { Confirmations } from "../commands/Confirmations.ts"
import * as commands from "../commands/layer.ts"
import { Sessions } from "../dashboard/Sessions.ts"
import * as dashboard from "../dashboard/layer.ts"
import { Deliveries } from "../destinations/delivery/Deliveries.ts"
import { DeliveryRunner } from "../destinations/delivery/DeliveryRunner.ts"
import { FanOut } from "../destinations/delivery/FanOut.ts"
import * as destinations from "../destinations/layer.ts"
import { CandidateSweep } from "../enrollments/CandidateSweep.ts"
import * as enrollments from "../enrollments/layer.ts"
import { EventRetention } from "../events/Events.ts"
import * as devices from "../devices/layer.ts"
import { SiteChanges } from "../devices/SiteChanges.ts"
import * as dispatches from "../dispatches/layer.ts"
import { DispatchRunner } from "../dispatches/DispatchRunner.ts"
import * as events from "../events/layer.ts"
import { FleetSums } from "../metrics/FleetSums.ts"
import * as metrics from "../metrics/layer.ts"
import { rollUp } from "../metrics/EnergyRollups.ts"
import { ServerConfig } from "../platform/config/ServerConfig.ts"
import { every } from "../platform/jobs/every.ts"
import { Instances } from "../platform/observability/Instances.ts"
import * as readings from "../readings/layer.ts"
import { HistoryDeletion } from "../readings/retention/HistoryDeletion.ts"
import { ReadingRetention } from "../readings/retention/ReadingRetention.ts"
import * as schedules from "../schedules/layer.ts"
import { ScheduleRunner } from "../schedules/ScheduleRunner.ts"
import { ports } from "./Api.ts"

const publishSiteChanges = Effect.flatMap(SiteChanges, ({ publishSome }) =>
  Effect.repeat(publishSome, { while: (more) => more })
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
  Effect.repeat(timeOut, { while: (found) => found === TIMED_OUT_AT_ONCE })
)

/** After a failure, or while there is more to drop, the next attempt comes after a minute instead of an hour. */
const dropOldReadings = Effect.gen(function* () {
  const { dropOld } = yield* ReadingRetention
  const isMoreLeft = Effect.catchCause(dropOld, (cause) =>
    Effect.as(Effect.logWarning("Old readings could not be dropped yet", cause), true)
  )
  while (yield* isMoreLeft) yield* Effect.sleep("1 minute")
})

/** All background work, and the pause after each run. */
const jobs = Layer.mergeAll(
  Layer.effectDiscard(
    Effect.all([
      every(
        "The watch for silent devices",
        "1 second",
        Effect.flatMap(SilenceWatch, (watch) => watch.sweep)
      ),
      every("The events of changed sites' devices", "1 second", publishSiteChanges),
      every("The energy rollup", "2 seconds", rollUp),
      every(
        "The sums of fleets",
        "5 minutes",
        Effect.flatMap(FleetSums, (fleets) => fleets.build)
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
        "The retention of events",
        "1 hour",
        Effect.flatMap(EventRetention, (retention) => retention.dropOld)
      ),
      every("The fan-out of events", "200 millis", fanOut),
      Effect.flatMap(DeliveryRunner, ({ work }) => work),
      every(
        "The expiry of connect sessions",
        "1 minute",
        Effect.flatMap(ConnectSessions, (sessions) => sessions.clearExpired)
      ),
      Effect.flatMap(AccountRunner, ({ work }) => work),
      Effect.flatMap(CommandRunner, ({ work }) => work),
      every("The confirmation of commands", "500 millis", confirmCommands),
      every("The time-outs of commands", "1 second", timeOutCommands),
      every(
        "The late results of commands",
        "10 seconds",
        Effect.flatMap(Confirmations, ({ findLate }) => findLate)
      ),
      every(
        "The watch over batches of commands",
        "1 second",
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
      every(
        "The transitions of schedules",
        "1 second",
        Effect.flatMap(ScheduleRunner, ({ runDue }) => runDue)
      ),
      every(
        "The dispatches",
        "1 second",
        Effect.flatMap(DispatchRunner, ({ runDue }) => runDue)
      ),
      every(
        "The results of dispatched commands",
        "2 seconds",
        Effect.flatMap(DispatchRunner, ({ noteOutcomes }) => noteOutcomes)
      ),
      every(
        "The judging of waiting enrollments",
        "5 seconds",
        Effect.flatMap(CandidateSweep, ({ sweep }) => sweep)
      ),
      every(
        "The clearing of ended sessions",
        "10 minutes",
        Effect.flatMap(Sessions, ({ clearEnded }) => clearEnded)
      ),
      every("The retention of deliveries", "1 hour", clearDeliveries),
      every(
        "The retention of the audit log",
        "1 hour",
        Effect.flatMap(AuditRetention, (retention) => retention.deleteOld)
      )
    ])
  )
).pipe(
  Layer.provide(dashboard.sessions),
  Layer.provide([alerts.layer, audit.layer, collections.layer, destinations.layer, devices.layer, events.layer]),
  Layer.provide([
    commands.running,
    accounts.layer,
    connections.layer,
    metrics.layer,
    readings.layer,
    schedules.layer,
    enrollments.layer,
    dispatches.layer
  ]),
  Layer.provide(ports)
)

/** Signs of life, of instances in every role. */
const heartbeat = Layer.effectDiscard(
  Effect.gen(function* () {
    const { beat, leave } = yield* Instances
    yield* Effect.addFinalizer(() => Effect.ignoreCause(Effect.timeoutOption(leave, "1 second")))
    yield* every("The sign of life", "15 seconds", beat)
  })
).pipe(Layer.provide(Instances.layer))

/** An instance in the role `api` leaves background work to the others. */
export const Workers = Layer.merge(
  heartbeat,
  Layer.unwrap(Effect.map(ServerConfig, ({ role }) => (role === "api" ? Layer.empty : jobs)))
)
