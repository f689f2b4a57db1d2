import type { DeviceObservation } from "@edp/adapter-kit/Account"
import type { DeviceStatus } from "./deviceStatus.ts"
import type { MeasuredComponent } from "./components.ts"
import type { DeviceTimes } from "./deviceTimes.ts"
import { observeComponent } from "./readings.ts"

interface Reported {
  /** By the monotonic clock. */
  readonly at: number
  readonly text: string
  readonly chargingState: unknown
}

/** The readings that are due, and when the rest will be; Infinity if nothing waits. */
export interface DueReadings {
  readonly observations: ReadonlyArray<DeviceObservation>
  readonly nextAt: number
}

/**
 * Decides which components of a device are reported: changes at most every `reportEvery`, a charger that starts or stops at most every
 * `switchEvery`, and a state that the device has shown again after `repeatAfter`.
 */
export const makeReportPacing = ({
  repeatAfter,
  reportEvery,
  switchEvery
}: Pick<DeviceTimes, "repeatAfter" | "reportEvery" | "switchEvery">) => {
  const reported = new Map<string, Reported>()
  return {
    /** Everything is due again, for an account that keeps readings from now on. */
    forget: () => reported.clear(),
    /**
     * @param arrivedAt Milliseconds since 1970: when the device showed this status.
     * @param running Milliseconds of the monotonic clock, by which pauses go.
     */
    due: (
      components: ReadonlyArray<MeasuredComponent>,
      status: DeviceStatus,
      arrivedAt: number,
      running: number
    ): DueReadings => {
      const observations: Array<DeviceObservation> = []
      let nextAt = Number.POSITIVE_INFINITY
      for (const component of components) {
        if (component.incompatible !== null) continue
        const { manufacturerDeviceId, type } = component
        const { missing, problems, state } = observeComponent(component, type, status)
        const shown = missing.length > 0 ? null : state
        if (shown === null && problems.length === 0) continue
        const text = JSON.stringify([shown, problems])
        const last = reported.get(manufacturerDeviceId)
        const chargingState = "chargingState" in state ? state.chargingState : undefined
        if (last !== undefined) {
          const wait =
            text === last.text ? repeatAfter : chargingState === last.chargingState ? reportEvery : switchEvery
          if (running < last.at + wait) {
            if (text !== last.text) nextAt = Math.min(nextAt, last.at + wait)
            continue
          }
        }
        reported.set(manufacturerDeviceId, { at: running, text, chargingState })
        observations.push({
          manufacturerDeviceId,
          observedAt: arrivedAt,
          state: shown,
          asleep: false,
          coordinates: null,
          staticState: null,
          commands: null,
          interventions: null,
          problems
        })
      }
      return { observations, nextAt }
    }
  }
}
