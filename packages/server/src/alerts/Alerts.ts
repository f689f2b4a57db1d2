import type { AcknowledgeAlert, Alert, CreateAlert } from "@edp/domain/alerts/Alert"
import type { CurrentKey } from "@edp/domain/auth/Authentication"
import {
  DeviceNotFound,
  Forbidden,
  NotFound,
  type SiteNotFound,
  type SiteNotInWorkspace,
  type ValidationError,
  invalid
} from "@edp/domain/errors/ApiErrors"
import type { PageOf } from "@edp/domain/shared/Page"
import { parseTimestamp } from "@edp/domain/shared/Timestamps"
import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { EventOutbox } from "../platform/outbox/EventOutbox.ts"
import { Ids, issuedAt } from "../platform/Ids.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { paginateCounted } from "../platform/sql/lists.ts"
import { transactionsOn } from "../platform/sql/transaction.ts"
import { isInScope } from "../devices/deviceSelection.ts"
import { AlertConfigurations } from "./AlertConfigurations.ts"
import { type AlertChange, acknowledged, ignored, newAlert, resolved, toAlert } from "./alertRow.ts"
import { AlertsRepository, type Filters } from "./AlertsRepository.ts"

type Caller = CurrentKey["Service"]
type Query = Filters & { readonly page?: number; readonly perPage?: number }

/** Problems of devices and sites, and their handling. */
export class Alerts extends Context.Service<
  Alerts,
  {
    readonly list: (caller: Caller, query: Query) => Effect.Effect<PageOf<Alert>, DatabaseUnavailable>
    /** The number of open alerts that lists show, by severity. */
    readonly countOpen: (
      workspaceId: string
    ) => Effect.Effect<Readonly<Record<Alert["severity"], number>>, DatabaseUnavailable>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Alert, NotFound | DatabaseUnavailable>
    readonly create: (
      caller: Caller,
      input: CreateAlert
    ) => Effect.Effect<
      Alert,
      ValidationError | SiteNotFound | SiteNotInWorkspace | DeviceNotFound | DatabaseUnavailable
    >
    readonly acknowledge: (
      caller: Caller,
      id: string,
      input: AcknowledgeAlert
    ) => Effect.Effect<Alert, NotFound | ValidationError | DatabaseUnavailable>
    readonly ignore: (caller: Caller, id: string) => Effect.Effect<Alert, NotFound | DatabaseUnavailable>
    readonly resolve: (caller: Caller, id: string) => Effect.Effect<Alert, NotFound | DatabaseUnavailable>
    readonly ofDevice: (
      caller: Caller,
      deviceId: string,
      query: Query
    ) => Effect.Effect<PageOf<Alert>, DeviceNotFound | Forbidden | DatabaseUnavailable>
  }
>()("@edp/server/Alerts") {
  static readonly layer = Layer.effect(
    Alerts,
    Effect.gen(function* () {
      const repository = yield* AlertsRepository
      const configurations = yield* AlertConfigurations
      const outbox = yield* EventOutbox
      const ids = yield* Ids
      const sql = yield* SqlClient.SqlClient

      const found = Effect.fnUntraced(function* <E>(rows: Effect.Effect<ReadonlyArray<Alert>, E>) {
        const [alert] = yield* rows
        return alert ?? (yield* new NotFound({}))
      })
      const findDevice = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const [device] = yield* repository.device(caller.workspaceId, id)
        return device ?? (yield* new DeviceNotFound({}))
      })
      const deviceAtSite = Effect.fnUntraced(function* (caller: Caller, id: string, site: string) {
        const { siteId, referenceId: _, ...fields } = yield* findDevice(caller, id)
        return siteId === site ? fields : yield* invalid({ deviceId: "Must be a device at the site" })
      })
      const list = ({ workspaceId }: Caller, query: Query) =>
        Effect.flatMap(configurations.readRules(workspaceId), (rules) =>
          paginateCounted(
            query,
            10,
            (limit, offset) => repository.list(workspaceId, query, rules, limit, offset),
            repository.count(workspaceId, query, rules),
            toAlert
          )
        )
      const telling = <E>(type: "ALERT_CREATED" | "ALERT_UPDATED", write: Effect.Effect<Alert, E>) =>
        Effect.gen(function* () {
          const alert = yield* write
          yield* outbox.publish([{ type, workspaceId: alert.workspaceId, data: { alert } }])
          return alert
        }).pipe(transactionsOn(sql))
      const move = (caller: Caller, id: string, change: (occasion: { at: Date; by: string }) => AlertChange) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          telling(
            "ALERT_UPDATED",
            found(
              repository.change(caller.workspaceId, id, change({ at: new Date(now), by: caller.ownerId ?? caller.id }))
            )
          )
        )

      return {
        list: Effect.fn("Alerts.list")(list),
        countOpen: Effect.fn("Alerts.countOpen")(function* (workspaceId) {
          const rules = yield* configurations.readRules(workspaceId)
          const counts = { CRITICAL: 0, WARNING: 0, INFO: 0 }
          for (const { n, severity } of yield* repository.countOpen(workspaceId, rules)) counts[severity] = n
          return counts
        }),
        get: Effect.fn("Alerts.get")((caller, id) => found(repository.get(caller.workspaceId, id))),
        create: Effect.fn("Alerts.create")(function* (caller, input) {
          yield* repository.requireGivenSite(caller.workspaceId, input.siteId)
          const device = input.deviceId ? yield* deviceAtSite(caller, input.deviceId, input.siteId) : undefined
          const id = yield* ids.next
          const created = { id, workspaceId: caller.workspaceId, at: new Date(issuedAt(id)) }
          const insert = repository.insert(newAlert(input, created, device))
          return yield* telling(
            "ALERT_CREATED",
            Effect.map(insert, ([alert]) => alert!)
          )
        }),
        acknowledge: Effect.fn("Alerts.acknowledge")(function* (caller, id, { snoozeUntil }) {
          const until = typeof snoozeUntil === "string" ? new Date(parseTimestamp(snoozeUntil)!) : null
          if (until !== null && until.getTime() <= (yield* Clock.currentTimeMillis)) {
            return yield* invalid({ snoozeUntil: "Must be in the future" })
          }
          return yield* move(caller, id, (occasion) => acknowledged(occasion, until))
        }),
        ignore: Effect.fn("Alerts.ignore")((caller, id) => move(caller, id, ignored)),
        resolve: Effect.fn("Alerts.resolve")((caller, id) => move(caller, id, resolved)),
        ofDevice: Effect.fn("Alerts.ofDevice")(function* (caller, deviceId, query) {
          const device = yield* findDevice(caller, deviceId)
          if (!isInScope(caller, deviceId, device)) return yield* new Forbidden({})
          return yield* list(caller, { ...query, ofDevice: deviceId })
        })
      }
    })
  )
}
