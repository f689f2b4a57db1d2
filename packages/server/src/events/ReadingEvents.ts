import type { Device } from "@edp/domain/devices/Device"
import type { Event } from "@edp/domain/events/Event"
import { Context, Effect, Layer } from "effect"
import { DeviceEvents } from "../devices/DeviceEvents.ts"
import { Devices } from "../devices/Devices.ts"
import { recordedState } from "../devices/deviceRow.ts"
import type { DatabaseUnavailable } from "../platform/sql/DatabaseUnavailable.ts"
import { type DepartedDevice, type EventRow, EventsRepository, type EventReading, toEvent } from "./EventsRepository.ts"

/** The device with the state of the event's reading; without one if the reading is no longer kept. */
const withReading = (device: Device, { at, id, state }: EventReading) => {
  const time = at.toISOString()
  const known = "id" in device.state && device.state.id === id ? device.state : {}
  return { ...device, state: state === null ? known : recordedState(id, time, state), lastOnlineAt: time } as Device
}

const changed = ["state"]

/** Renders events. */
export class ReadingEvents extends Context.Service<
  ReadingEvents,
  {
    /**
     * Events without a payload are rendered from a reading: its state, and the device, its customer and its site as they are
     * now, or as they were when the device left the workspace.
     */
    readonly render: (
      workspaceId: string,
      rows: ReadonlyArray<EventRow>
    ) => Effect.Effect<ReadonlyArray<Event>, DatabaseUnavailable>
  }
>()("@edp/server/ReadingEvents") {
  static readonly layer = Layer.effect(
    ReadingEvents,
    Effect.gen(function* () {
      const repository = yield* EventsRepository
      const devices = yield* Devices
      const deviceEvents = yield* DeviceEvents

      const ofDeparted = (reading: EventReading, { device, ...place }: DepartedDevice) =>
        [reading.id, { device: withReading(device, reading), ...place, changed }] as const

      const ofPresent = Effect.fnUntraced(function* (
        workspaceId: string,
        readings: ReadonlyArray<EventReading>,
        deviceById: ReadonlyMap<string, Device>
      ) {
        const events = yield* deviceEvents.build(
          workspaceId,
          readings.map((reading) => ({
            type: "DEVICE_UPDATED",
            device: withReading(deviceById.get(reading.deviceId)!, reading),
            changed
          }))
        )
        return readings.map(({ id }, at) => [id, events[at]!.data] as const)
      })

      /** A device that is deleted meanwhile is looked up once more, among the departed ones. */
      const rendered = Effect.fnUntraced(function* (
        workspaceId: string,
        rows: ReadonlyArray<EventRow>,
        looks: number
      ): Effect.fn.Return<ReadonlyMap<string, object>, DatabaseUnavailable> {
        if (rows.length === 0) return new Map()
        const readings = yield* repository.readings(workspaceId, rows)
        const departed = readings.flatMap((reading) =>
          reading.departed === null ? [] : [ofDeparted(reading, reading.departed)]
        )
        const present = readings.filter((reading) => reading.departed === null)
        const loaded = yield* devices.load([...new Set(present.map(({ deviceId }) => deviceId))])
        const deviceById = new Map(loaded.map((device) => [device.id, device]))
        const found = present.filter(({ deviceId }) => deviceById.has(deviceId))
        const lost = new Set(present.filter(({ deviceId }) => !deviceById.has(deviceId)).map(({ id }) => id))
        const events = found.length === 0 ? [] : yield* ofPresent(workspaceId, found, deviceById)
        const again =
          looks > 1
            ? yield* rendered(
                workspaceId,
                rows.filter(({ id }) => lost.has(id)),
                looks - 1
              )
            : []
        return new Map([...departed, ...events, ...again])
      })

      return {
        render: Effect.fnUntraced(function* (workspaceId, rows) {
          const data = yield* rendered(
            workspaceId,
            rows.filter(({ payload }) => payload === null),
            2
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
