import type { DispatchInterval } from "@edp/domain/dispatches/Dispatch"
import { toDuration } from "@edp/domain/openadr/durations"
import type { EventRequest } from "@edp/domain/openadr/OpenAdrObjects"
import type { OpenAdrSignal } from "@edp/domain/openadr/OpenAdrPublication"

/** The fields of a dispatch that its event shows. */
export interface PublishedDispatch {
  readonly name: string
  readonly startsAt: Date
  readonly intervals: ReadonlyArray<DispatchInterval>
  readonly priority: number
  readonly randomizeStartSeconds: number
}

const NAME_LENGTH = 128

/** OpenADR counts power that is drawn as positive, and so does every device type but the battery. */
const drawnKw = (deviceType: string, powerW: number) => {
  const drawn = deviceType === "battery" ? -powerW : powerW
  // Never -0, which JSON would show as 0 and a comparison as a change.
  return drawn === 0 ? 0 : drawn / 1000
}

const payloads = ({ actions }: DispatchInterval, signal: OpenAdrSignal) => {
  if (signal.payloadType !== "DISPATCH_SETPOINT") return [{ type: signal.payloadType, values: [signal.level] }]
  const action = actions[signal.deviceType]
  return action !== undefined && "targetPowerW" in action
    ? [{ type: signal.payloadType, values: [drawnKw(signal.deviceType, action.targetPowerW as number)] }]
    : []
}

/** The event of a dispatch. In an interval that asks nothing of the signal's device type, the event has no payload. */
export const dispatchEvent = (
  programID: string,
  dispatch: PublishedDispatch,
  signal: OpenAdrSignal,
  targets: ReadonlyArray<string>
): EventRequest => ({
  programID,
  eventName: dispatch.name.slice(0, NAME_LENGTH).toWellFormed(),
  priority: dispatch.priority,
  targets,
  payloadDescriptors: [
    {
      objectType: "EVENT_PAYLOAD_DESCRIPTOR",
      payloadType: signal.payloadType,
      ...(signal.payloadType === "DISPATCH_SETPOINT" && { units: "KW" })
    }
  ],
  reportDescriptors: [{ payloadType: "USAGE", units: "KWH" }],
  intervalPeriod: {
    start: dispatch.startsAt.toISOString(),
    duration: toDuration(dispatch.intervals[0]?.durationSeconds ?? 0),
    ...(dispatch.randomizeStartSeconds > 0 && { randomizeStart: toDuration(dispatch.randomizeStartSeconds) })
  },
  intervals: dispatch.intervals.map((interval, id) => ({
    id,
    intervalPeriod: { start: interval.startsAt, duration: toDuration(interval.durationSeconds) },
    payloads: payloads(interval, signal)
  }))
})
