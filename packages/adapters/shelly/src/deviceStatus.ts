import { type Fields, isFields } from "./frames.ts"

/** Kinds of components whose status holds measured values, and the fields that are kept of each. */
const keptFields = {
  em: ["total_act_power", "total_current", "a_voltage", "a_act_power", "b_act_power", "c_act_power"],
  emdata: ["total_act", "total_act_ret"],
  em1: ["act_power", "voltage", "current"],
  em1data: ["total_act_energy", "total_act_ret_energy"],
  pm1: ["apower", "voltage", "current", "aenergy", "ret_aenergy"],
  switch: ["output", "apower", "voltage", "current", "aenergy", "ret_aenergy", "timer_started_at"]
} as const satisfies Record<string, ReadonlyArray<string>>
export type ComponentKind = keyof typeof keptFields

/** Fields that are objects, and what is kept of them. */
const counterFields = ["total", "minute_ts"] as const

type Value = number | boolean
/** The status of a component: what is not known is absent. */
export type ComponentStatus = Readonly<Record<string, Value | Readonly<Record<string, Value>>>>

/** The newest status of each component of a device, by its key such as `em:0`. Its size is bounded, whatever a device sends. */
export type DeviceStatus = ReadonlyMap<string, ComponentStatus>

const KEY = /^(em|emdata|em1|em1data|pm1|switch):(\d{1,3})$/
/** A device has some ten of them. */
const MAX_COMPONENTS = 32

export interface ComponentKey {
  readonly kind: ComponentKind
  readonly id: number
}

/** The kind and number in a key such as `switch:0`; undefined for a component without measured values. */
export const parseKey = (key: string): ComponentKey | undefined => {
  const found = KEY.exec(key)
  return found === null ? undefined : { kind: found[1] as ComponentKind, id: Number(found[2]) }
}

const isValue = (value: unknown): value is Value =>
  typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))

const overlay = (
  before: Readonly<Record<string, unknown>>,
  names: ReadonlyArray<string>,
  changes: Fields
): Record<string, Value> => {
  const kept: Record<string, Value> = {}
  for (const name of names) {
    const value = Object.hasOwn(changes, name) ? changes[name] : before[name]
    if (isValue(value)) kept[name] = value
  }
  return kept
}

const overlayComponent = (kind: ComponentKind, before: ComponentStatus, changes: Fields): ComponentStatus => {
  const counters: Record<string, Readonly<Record<string, Value>>> = {}
  for (const name of keptFields[kind]) {
    const known = before[name]
    const counter = isFields(known) ? known : {}
    const change = changes[name]
    if (isFields(change)) counters[name] = overlay(counter, counterFields, change)
    else if (isFields(known) && !Object.hasOwn(changes, name)) counters[name] = known
  }
  return { ...overlay(before, keptFields[kind], changes), ...counters }
}

/** Overlays the changes of a notification over the status that is known. */
export const mergeStatus = (status: DeviceStatus, changes: Fields): DeviceStatus => {
  const merged = new Map(status)
  for (const [key, change] of Object.entries(changes)) {
    const component = parseKey(key)
    if (component === undefined || !isFields(change)) continue
    if (!merged.has(key) && merged.size >= MAX_COMPONENTS) continue
    merged.set(key, overlayComponent(component.kind, merged.get(key) ?? {}, change))
  }
  return merged
}

/** The status in a whole report, which replaces what was known: components that it does not name are gone. */
export const readStatus = (report: Fields): DeviceStatus => mergeStatus(new Map(), report)

/** Replaces the status of one component by a whole one. */
export const replaceComponent = (status: DeviceStatus, key: string, report: Fields): DeviceStatus => {
  const others = new Map(status)
  others.delete(key)
  return mergeStatus(others, { [key]: report })
}
