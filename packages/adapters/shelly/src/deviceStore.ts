import { Effect } from "effect"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import { type Holder, makeConnectionHolders } from "@edp/adapter-kit/inbound/connectionHolders"

/** Counts changes of the stored form. A record in another form is begun anew. */
const FORMAT = 1

/** The record of an account. */
export interface DeviceRecord {
  readonly format: number
  /** Null while the device is not connected. */
  readonly holder: Holder | null
  /** The device that has the account's address since it first used it. */
  readonly deviceId: string
}

export interface LoadedRecord {
  /** The version that the next write replaces: 0 if there is none. */
  readonly version: number
  readonly record: DeviceRecord | null
}

const deviceKey = (accountKey: string) => `device/${accountKey}`

/** Which device an address belongs to and which instance holds its connection, in the records of the platform. */
export const makeDeviceStore = (records: AdapterRecords, instance: string) => ({
  ...makeConnectionHolders(records, instance),
  load: (id: string): Effect.Effect<LoadedRecord> =>
    Effect.map(records.get(deviceKey(id)), (found) => {
      if (found === undefined) return { version: 0, record: null }
      const record = found.value as DeviceRecord
      return { version: found.version, record: record.format === FORMAT ? record : null }
    }),
  /** Whether the record was written: false if somebody else has written it since it was read. */
  save: (id: string, version: number, record: Omit<DeviceRecord, "format">): Effect.Effect<boolean> =>
    records.put(deviceKey(id), version, { format: FORMAT, ...record } satisfies DeviceRecord),
  remove: (id: string): Effect.Effect<void> => records.remove(deviceKey(id))
})
export type DeviceStore = ReturnType<typeof makeDeviceStore>
