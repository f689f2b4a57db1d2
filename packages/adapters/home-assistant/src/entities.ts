import { isObject } from "@edp/adapter-kit/decoding/jsonPath"

/** The state of an entity. */
export interface Entity {
  readonly state: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

export type Entities = ReadonlyMap<string, Entity>

const millis = (seconds: unknown, otherwise: number) =>
  typeof seconds === "number" && Number.isFinite(seconds) ? Math.round(seconds * 1000) : otherwise

/** The states of `get_states`. An entry of another form is left out. */
export const readStates = (result: unknown): Map<string, Entity> => {
  const entities = new Map<string, Entity>()
  for (const one of Array.isArray(result) ? result : []) {
    if (!isObject(one)) continue
    const { attributes, entity_id: id, last_updated: updated, state } = one
    if (typeof id !== "string" || typeof state !== "string") continue
    const at = typeof updated === "string" ? Date.parse(updated) : NaN
    entities.set(id, {
      state,
      attributes: isObject(attributes) ? attributes : {},
      updatedAt: Number.isFinite(at) ? at : 0
    })
  }
  return entities
}

const applyFull = (entities: Map<string, Entity>, id: string, value: unknown, now: number) => {
  if (!isObject(value) || typeof value["s"] !== "string") return
  entities.set(id, {
    state: value["s"],
    attributes: isObject(value["a"]) ? value["a"] : {},
    // `lu` is left out where it equals `lc`.
    updatedAt: millis(value["lu"] ?? value["lc"], now)
  })
}

const applyChange = (entities: Map<string, Entity>, id: string, change: unknown, now: number) => {
  const entity = entities.get(id)
  if (entity === undefined || !isObject(change)) return
  const added = isObject(change["+"]) ? change["+"] : {}
  const removed = isObject(change["-"]) && Array.isArray(change["-"]["a"]) ? change["-"]["a"] : []
  const attributes = { ...entity.attributes, ...(isObject(added["a"]) ? added["a"] : {}) }
  entities.set(id, {
    state: typeof added["s"] === "string" ? added["s"] : entity.state,
    attributes: Object.fromEntries(Object.entries(attributes).filter(([name]) => !removed.includes(name))),
    updatedAt: millis(added["lu"] ?? added["lc"], now)
  })
}

/** Applies an event of `subscribe_entities`: added, changed and removed entities. */
export const applyEvent = (entities: Map<string, Entity>, event: unknown, now: number): void => {
  if (!isObject(event)) return
  const { a, c, r } = event
  for (const [id, value] of Object.entries(isObject(a) ? a : {})) applyFull(entities, id, value, now)
  for (const [id, change] of Object.entries(isObject(c) ? c : {})) applyChange(entities, id, change, now)
  for (const id of Array.isArray(r) ? r : []) entities.delete(String(id))
}

/** Whether an entity has a value: a missing one is as good as unavailable. */
export const isKnown = (entity: Entity | undefined): entity is Entity =>
  entity !== undefined && entity.state !== "unavailable" && entity.state !== "unknown"
