import type { StreamChange, StreamDevice, StreamEvent, StreamSnapshot } from "@edp/domain/dashboard/StreamMessage"
import { recordedState } from "../../devices/deviceRow.ts"
import type { DeviceStateRow, StreamEventRow } from "./streamRows.ts"

const encoder = new TextEncoder()

/** A comment, which keeps proxies from closing the connection. */
export const heartbeat = encoder.encode(":\n\n")

/** The first bytes of a stream. Some browsers and proxies show nothing before two kilobytes have arrived. */
export const opening = (retryMs: number) => encoder.encode(`:${" ".repeat(2048)}\nretry: ${retryMs}\n\n`)

const message = (event: string, sequence: number, data: object) =>
  encoder.encode(`id: ${sequence}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

export const snapshotMessage = (snapshot: StreamSnapshot): Uint8Array =>
  message("snapshot", snapshot.sequence, snapshot)

/** `sequence` is that of the newest event that was sent before. */
export const changeMessage = (sequence: number, change: StreamChange): Uint8Array => message("change", sequence, change)

/** An event's ids and facts; null ids are absent. */
export const toStreamEvent = (row: StreamEventRow): StreamEvent =>
  ({
    kind: "event",
    sequence: row.sequence,
    id: row.id,
    type: row.type,
    timestamp: row.createdAt.toISOString(),
    ...(row.deviceId !== null && { deviceId: row.deviceId }),
    ...(row.siteId !== null && { siteId: row.siteId }),
    ...row.facts
  }) as StreamEvent

export const toDeviceState = ({
  at,
  id,
  onlineStatus,
  readingId,
  state
}: DeviceStateRow): Omit<StreamDevice, "kind"> => {
  const time = at === null ? null : at.toISOString()
  return {
    deviceId: id,
    onlineStatus,
    lastOnlineAt: time,
    state: state === null ? {} : { ...recordedState(readingId!, time!, state) }
  }
}
