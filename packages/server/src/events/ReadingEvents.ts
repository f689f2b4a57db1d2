import type { Device } from "@edp/domain/devices/Device"
import type { Event } from "@edp/domain/events/Event"
import { Context, Effect, Layer } from "effect"
import { DeviceEvents } from "../devices/DeviceEvents.ts"
import { Devices } from "../devices/Devices.ts"
import { recordedState } from "../devices/toDevice.ts"
import { type EventRow, toEvent, type ToldReading } from "./eventRow.ts"
import { EventsRepository } from "./EventsRepository.ts"

/** The device as it is now, with the state that the event tells of. */
const withReading = (device: Device, { at, id, state }: ToldReading) => {
  const time = at.toISOString()
  return { ...device, state: recordedState(id, time, state), lastOnlineAt: time } as Device
}

/** Events as they are answered. */
export class ReadingEvents extends Context.Service<
  ReadingEvents,
  {
    /**
     * Those that tell of a reading are put together: its state, and for the rest the device, its customer and its site as
     * they are now. They are left out once the device has left the workspace or the reading is no longer kept.
     */
    readonly render: (workspaceId: string, rows: ReadonlyArray<EventRow>) => Effect.Effect<ReadonlyArray<Event>>
  }
>()("@edp/server/ReadingEvents") {
  static readonly layer = Layer.effect(
    ReadingEvents,
    Effect.gen(function* () {
      const repository = yield* EventsRepository
      const devices = yield* Devices
      const deviceEvents = yield* DeviceEvents

      const told = Effect.fnUntraced(function* (workspaceId: string, rows: ReadonlyArray<EventRow>) {
        if (rows.length === 0) return new Map<string, object>()
        const readings = yield* repository.readings(workspaceId, rows)
        const loaded = yield* devices.load([...new Set(readings.map(({ deviceId }) => deviceId))])
        const deviceOf = new Map(loaded.map((device) => [device.id, device]))
        const found = readings.filter(({ deviceId }) => deviceOf.has(deviceId))
        const events = yield* deviceEvents.tell(
          workspaceId,
          found.map((reading) => ({
            type: "DEVICE_UPDATED",
            device: withReading(deviceOf.get(reading.deviceId)!, reading),
            changed: ["state"]
          }))
        )
        return new Map(found.map(({ id }, at) => [id, events[at]!.data]))
      })

      return {
        render: Effect.fnUntraced(function* (workspaceId, rows) {
          const data = yield* told(
            workspaceId,
            rows.filter(({ payload }) => payload === null)
          )
          return rows.flatMap((row) => {
            const payload = row.payload ?? data.get(row.id)
            return payload === undefined ? [] : [toEvent(row, payload)]
          })
        })
      }
    })
  )
}
