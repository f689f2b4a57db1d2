import { Clock, DateTime, Effect } from "effect"
import type { AdapterAlert, DeviceObservation, LinkedDevice } from "@edp/adapter-kit/Account"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { Permissions } from "./access.ts"
import { availableCommands, interventions } from "./interventions.ts"
import {
  type LiveStatus,
  orNull,
  readCalendarHistory,
  readLiveStatus,
  readSiteInfo,
  type SiteInfo
} from "./responses.ts"
import type { CommandLogEntry } from "./CommandLog.ts"
import { batteryId, batteryStatic } from "./devices.ts"
import { siteReadings, unknownValues } from "./energySite.ts"
import { type FleetApi, sitePath, type TeslaAccount } from "./FleetApi.ts"
import { notedObstacles } from "./VehicleReader.ts"
import { completeUntil, energyBetween, type IntervalEnergy } from "./history.ts"
import type { SiteMemory } from "./memory.ts"

const MINUTE = 60_000
/** Settings and ratings change rarely. */
const INFO_PACE = 15 * MINUTE
const HISTORY_PACE = 15 * MINUTE
/** A gap of the platform's readings longer than this is left to the powers. */
const HISTORY_REACH = 24 * 60 * MINUTE
/** A command changes the settings at once; a while longer, Tesla may still show the old ones. */
const CONFIRMING = 3 * MINUTE

export interface SiteReport {
  readonly observations: ReadonlyArray<DeviceObservation>
  readonly alerts: ReadonlyArray<AdapterAlert>
  readonly memory: SiteMemory | null
}

const isDue = (last: number, pace: number, now: number) => now - last >= pace

const isRecent = (entry: CommandLogEntry | undefined, now: number) =>
  entry !== undefined && entry.obstacle === null && now - entry.at < CONFIRMING

/** An alert while a site is cut off from the grid, and its end. */
const islanding = (
  energySiteId: string,
  { island_status }: LiveStatus,
  wasOffGrid: boolean
): { readonly offGrid: boolean; readonly alerts: ReadonlyArray<AdapterAlert> } => {
  // A missing value says nothing of the grid.
  const status = orNull(island_status)
  const offGrid = status === null ? wasOffGrid : status.startsWith("off_grid")
  if (!offGrid && !wasOffGrid) return { offGrid, alerts: [] }
  const alert: AdapterAlert = {
    manufacturerDeviceId: batteryId(energySiteId),
    externalId: `off-grid:${energySiteId}`,
    type: "ISLANDING",
    subtype: null,
    severity: "WARNING",
    title: "The site has no grid and runs on its own energy",
    description: null,
    providerCode: status,
    resolved: !offGrid
  }
  return { offGrid, alerts: [alert] }
}

interface History {
  readonly energy: IntervalEnergy | null
  readonly energyUntil: number | null
  readonly historyAt: number
}

export const makeSiteReader = (api: FleetApi) => {
  /** Energies since the last ones. The first reading only notes where they begin. A failed call is tried again later. */
  const readHistory = (account: TeslaAccount, energySiteId: string, known: SiteMemory | undefined, info: SiteInfo) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const until = known?.energyUntil ?? null
      const last = known?.historyAt ?? 0
      const unchanged: History = { energy: null, energyUntil: until, historyAt: last }
      if (!isDue(last, HISTORY_PACE, now)) return unchanged
      const from = Math.max(until ?? now - 2 * HISTORY_PACE, now - HISTORY_REACH)
      const history = yield* api.read(account, `${sitePath(energySiteId)}/calendar_history`, readCalendarHistory, {
        kind: "energy",
        period: "day",
        start_date: DateTime.formatIso(DateTime.makeUnsafe(from)),
        end_date: DateTime.formatIso(DateTime.makeUnsafe(now)),
        time_zone: orNull(info.installation_time_zone) ?? "UTC"
      })
      const complete = completeUntil(history) ?? until
      return {
        energy: until === null || complete === null ? null : energyBetween(history, from, complete),
        energyUntil: complete === null ? null : Math.max(complete, until ?? 0),
        historyAt: now
      }
    }).pipe(
      Effect.catch((error: AdapterError) =>
        Effect.logDebug(`No energies of the site: ${error.message}`).pipe(
          Effect.as({ energy: null, energyUntil: known?.energyUntil ?? null, historyAt: known?.historyAt ?? 0 })
        )
      )
    )

  /** Reads a site: its powers each time, settings and energies at their own paces. */
  return Effect.fn("Tesla.readSite")(function* (
    account: TeslaAccount,
    energySiteId: string,
    devices: ReadonlyArray<LinkedDevice>,
    known: SiteMemory | undefined,
    command: CommandLogEntry | undefined,
    permissions: Permissions
  ) {
    const now = yield* Clock.currentTimeMillis
    const live = yield* api.read(account, `${sitePath(energySiteId)}/live_status`, readLiveStatus)
    const isInfoDue = known === undefined || isDue(known.infoAt, INFO_PACE, now) || isRecent(command, now)
    const info = isInfoDue ? yield* api.read(account, `${sitePath(energySiteId)}/site_info`, readSiteInfo) : known.info
    const { energy, energyUntil, historyAt } = yield* readHistory(account, energySiteId, known, info)
    const readings = siteReadings(energySiteId, live, info, now, energy)
    const { alerts, offGrid } = islanding(energySiteId, live, known?.offGrid ?? false)

    const noted = notedObstacles(command, true)
    const observe = ({ manufacturerDeviceId, type }: LinkedDevice): ReadonlyArray<DeviceObservation> => {
      if (type !== "battery" && type !== "inverter" && type !== "charger") return []
      const reading = readings.find((one) => one.manufacturerDeviceId === manufacturerDeviceId)
      const isBattery = type === "battery"
      return [
        {
          manufacturerDeviceId,
          observedAt: reading?.observedAt ?? now,
          state: reading?.state ?? null,
          asleep: false,
          coordinates: null,
          staticState: isBattery && isInfoDue ? batteryStatic(info) : null,
          commands: availableCommands(type, permissions.scopes),
          interventions: interventions({
            type,
            scopes: permissions.scopes,
            pairing: null,
            stormModeActive: orNull(live.storm_mode_active),
            obstacles: noted,
            keyDomain: permissions.keyDomain
          }),
          ...(noted.length > 0 && { interventionsAt: command!.at }),
          problems: isBattery ? unknownValues(info) : []
        }
      ]
    }
    const memory: SiteMemory = {
      info,
      infoAt: isInfoDue ? now : known.infoAt,
      energyUntil,
      historyAt,
      offGrid
    }
    const isChanged = isInfoDue || historyAt !== known.historyAt || offGrid !== known.offGrid
    return { observations: devices.flatMap(observe), alerts, memory: isChanged ? memory : null } satisfies SiteReport
  })
}
