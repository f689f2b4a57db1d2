import type { CurrentKey } from "@edp/domain/auth/Authentication"
import { restrictions } from "@edp/domain/commands/commandInputs"
import type { CreateDispatch, DispatchedType } from "@edp/domain/dispatches/Dispatch"
import { type DispatchPreview, type LeftOutCode, PREVIEWED_SITES } from "@edp/domain/dispatches/DispatchPreview"
import { InvalidState, type NotFound, type ValidationError } from "@edp/domain/errors/ApiErrors"
import { modeCommand } from "@edp/domain/schedules/Schedule"
import { Clock, Context, Effect, Layer } from "effect"
import type { CommandDevice, CommandInput } from "../../commands/commandRow.ts"
import { inability, readCommandDevices } from "../../commands/issuing/CommandTargets.ts"
import { forecast } from "../../commands/preview/forecast.ts"
import { readHeldByUsers, readHomes } from "../../commands/preview/HomeReadingsTable.ts"
import { SiteLimits } from "../../commands/site-limits/SiteLimits.ts"
import { EnrolledSites } from "../../enrollments/enrolled-sites/EnrolledSites.ts"
import type { DatabaseUnavailable } from "../../platform/sql/DatabaseUnavailable.ts"
import { ProgramInstances } from "../../programs/ProgramInstances.ts"
import { settingsInput } from "../devices/devicePlan.ts"
import { checkedBaseline, checkedIntervals, modeInput } from "../dispatchInputs.ts"
import { heldOutCount } from "../DispatchRunner.ts"
import { type PreviewedDevice, previewSums } from "./previewSums.ts"

/** The power that a device draws in its newest state, W. */
const draws = ({ state }: CommandDevice) => {
  const { chargeRate, chargerWattage, chargingState } = (state ?? {}) as Readonly<Record<string, unknown>>
  const power = chargerWattage ?? chargeRate
  return chargingState === "charging" && typeof power === "number" ? Math.abs(power) : 0
}

/** Says what a dispatch would do, without storing it. */
export class DispatchPreviews extends Context.Service<
  DispatchPreviews,
  {
    /** Fails as the creation of the dispatch would. */
    readonly preview: (
      caller: CurrentKey["Service"],
      programInstanceId: string,
      input: CreateDispatch
    ) => Effect.Effect<DispatchPreview, ValidationError | NotFound | InvalidState | DatabaseUnavailable>
  }
>()("@edp/server/DispatchPreviews") {
  static readonly layer = Layer.effect(
    DispatchPreviews,
    Effect.gen(function* () {
      const instances = yield* ProgramInstances
      const enrolled = yield* EnrolledSites
      const limits = yield* SiteLimits
      const readDevices = yield* readCommandDevices
      const homes = yield* readHomes
      const heldByUsers = yield* readHeldByUsers

      return {
        preview: Effect.fn("DispatchPreviews.preview")(function* (caller, programInstanceId, input) {
          const { workspaceId } = caller
          const now = yield* Clock.currentTimeMillis
          const intervals = yield* checkedIntervals(input.intervals, now)
          const baseline = yield* checkedBaseline(input.baseline, intervals)
          const instance = yield* instances.require(workspaceId, programInstanceId)
          if (instance.status === "ARCHIVED") {
            return yield* new InvalidState({ message: "The program instance is archived" })
          }
          const { actions, durationSeconds, startsAt } = intervals[0]!
          const start = new Date(Math.max(now, Date.parse(startsAt)))
          const sites = yield* enrolled.at(workspaceId, programInstanceId, start)
          const counted = sites.slice(0, PREVIEWED_SITES)
          const devices = (yield* enrolled.devices(workspaceId, counted)).filter(({ type }) =>
            Object.hasOwn(actions, type)
          )
          const ids = devices.map(({ deviceId }) => deviceId)
          const known = new Map((yield* readDevices(ids)).map((device) => [device.id, device]))
          const held = yield* heldByUsers(ids, start)

          /** The command of a device, or why it gets none. */
          const judge = (
            deviceId: string
          ): LeftOutCode | { readonly device: CommandDevice; readonly input: CommandInput } => {
            const device = known.get(deviceId)
            if (device === undefined) return "not_able"
            const type = device.type as DispatchedType
            const mode = modeInput(type, actions[type]!, device)
            const command = modeCommand(type)
            if (mode === undefined || inability(device, command, mode.input, now) !== undefined) return "not_able"
            if (Object.keys(restrictions(command, mode.input, device)).length > 0) return "not_able"
            if (
              type === "thermostat" &&
              settingsInput(device.state as Readonly<Record<string, unknown>> | null) === undefined
            )
              return "settings_unknown"
            return held.has(deviceId) ? "held_by_user" : { device, input: mode.input }
          }
          const judged = new Map(ids.map((id) => [id, judge(id)]))
          const commands = [...judged.values()].flatMap((one) =>
            typeof one === "string"
              ? []
              : {
                  workspaceId,
                  deviceId: one.device.id,
                  type: modeCommand(one.device.type as DispatchedType),
                  input: one.input
                }
          )
          const { fit } = yield* limits.preview(commands)
          const fitting = new Map(fit.map((command) => [command.deviceId, command]))
          const following = fit.filter(
            ({ input, type }) => type === "battery:set-operating-mode" && input["enableGridInteraction"] !== true
          )
          const readings = following.length === 0 ? [] : yield* homes(following.map(({ deviceId }) => deviceId))
          const bySite = Map.groupBy(readings, ({ siteId }) => siteId)

          const previewed = devices.map(({ deviceId, siteId, type }): PreviewedDevice => {
            const one = judged.get(deviceId)!
            const place = { siteId, deviceId, isBattery: type === "battery", drawsW: 0 }
            if (typeof one === "string") return { ...place, expected: one }
            const command = fitting.get(deviceId)
            if (command === undefined) return { ...place, expected: "site_limit" }
            const expected = forecast(command.type, command.input, one.device, bySite.get(siteId) ?? [], now)
            return { ...place, expected, drawsW: draws(one.device) }
          })
          const withDevice = new Set(devices.map(({ siteId }) => siteId))
          const without = counted
            .filter(({ siteId }) => !withDevice.has(siteId))
            .map(({ siteId }): PreviewedDevice => ({
              siteId,
              deviceId: null,
              isBattery: false,
              expected: "no_device",
              drawsW: 0
            }))
          return {
            at: new Date(now).toISOString(),
            startsAt,
            durationSeconds,
            sites: sites.length,
            sitesCounted: counted.length,
            heldOutSites: heldOutCount({ baseline }, sites.length),
            ...previewSums([...previewed, ...without], durationSeconds)
          }
        })
      }
    })
  )
}
