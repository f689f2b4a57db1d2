import { Effect } from "effect"
import type { AdapterRecords } from "../AdapterHost.ts"

/** The connection that a device has opened, and that may write its record. */
export interface Holder {
  /** The process. */
  readonly instance: string
  readonly connection: string
}

const instanceKey = (instance: string) => `instance/${instance}`

/** An instance that has not been heard of for so long has died, and its connections with it. */
const INSTANCE_DIES_AFTER_MS = 60_000
const FORGET_INSTANCES_AFTER_MS = 3_600_000

const seenAt = (value: unknown) => (value as { readonly seenAt: number }).seenAt

/** Which instances live that hold connections of devices, in the records of an adapter. */
export const makeConnectionHolders = (records: AdapterRecords, instance: string) => {
  let beats = 0
  return {
    instance,
    /** Shows the other instances that this one runs. */
    beat: (now: number): Effect.Effect<void> =>
      Effect.map(records.put(instanceKey(instance), beats, { seenAt: now }), (written) => {
        if (written) beats += 1
      }),
    /** The other instance that holds a connection; undefined if none does that lives. */
    otherInstance: (holder: Holder | null, now: number): Effect.Effect<string | undefined> =>
      holder === null || holder.instance === instance
        ? Effect.undefined
        : Effect.map(records.get(instanceKey(holder.instance)), (found) =>
            found !== undefined && now - seenAt(found.value) < INSTANCE_DIES_AFTER_MS ? holder.instance : undefined
          ),
    leave: records.remove(instanceKey(instance)),
    /** Removes what instances that have died left behind. */
    forgetInstances: (now: number): Effect.Effect<void> =>
      Effect.flatMap(records.list(instanceKey(""), 100), (all) =>
        Effect.forEach(
          all.filter(({ value }) => now - seenAt(value) > FORGET_INSTANCES_AFTER_MS),
          ({ key }) => records.remove(key),
          { discard: true }
        )
      )
  }
}
