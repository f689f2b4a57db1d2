import type { DispatchInterval, DispatchStatus, ParticipantState } from "@edp/domain/dispatches/Dispatch"
import { expect } from "vitest"

export interface SeenDispatch {
  readonly id: string
  readonly status: DispatchStatus
  readonly startsAt: Date
  readonly voluntary: boolean
  readonly dueAt: Date | null
}

export interface SeenSite {
  readonly dispatchId: string
  readonly siteId: string
  readonly state: ParticipantState
  readonly heldOut: boolean
}

export interface SeenPlace {
  readonly dispatchId: string
  readonly deviceId: string
  readonly phase: string
  readonly dueAt: Date | null
  readonly status: DispatchStatus
  readonly priority: number
  readonly intervals: ReadonlyArray<DispatchInterval>
  readonly siteState: ParticipantState
  readonly siteStartsAt: Date
}

const nextStatuses: Readonly<Record<DispatchStatus, ReadonlyArray<DispatchStatus>>> = {
  draft: ["scheduled", "cancelled"],
  scheduled: ["running", "completed", "cancelled"],
  running: ["completed", "cancelled"],
  completed: [],
  cancelled: []
}

const nextStates: Readonly<Record<ParticipantState, ReadonlyArray<ParticipantState>>> = {
  notified: ["running", "unresponsive", "failed", "done", "opted_out"],
  running: ["unresponsive", "failed", "done", "opted_out"],
  unresponsive: ["running", "failed", "done", "opted_out"],
  failed: ["running", "unresponsive", "done", "opted_out"],
  done: [],
  opted_out: []
}

/** Checks that dispatches and sites have only gone forward since the last look. A run may have taken several steps. */
export const expectLegal = (
  dispatchesBefore: ReadonlyMap<string, SeenDispatch>,
  dispatches: ReadonlyArray<SeenDispatch>,
  sitesBefore: ReadonlyMap<string, SeenSite>,
  sites: ReadonlyArray<SeenSite>
) => {
  for (const { id, status } of dispatches) {
    const before = dispatchesBefore.get(id)?.status ?? status
    expect(
      [before, ...nextStatuses[before], ...nextStatuses[before].flatMap((one) => nextStatuses[one])],
      id
    ).toContain(status)
  }
  for (const site of sites) {
    const key = `${site.dispatchId} ${site.siteId}`
    const before = sitesBefore.get(key)
    if (before === undefined) continue
    expect([before.state, ...nextStates[before.state]], key).toContain(site.state)
    if (before.heldOut) expect(site.heldOut, key).toBe(true)
  }
  const known = new Set(sites.map(({ dispatchId, siteId }) => `${dispatchId} ${siteId}`))
  for (const [key, { dispatchId, state }] of sitesBefore) {
    // Sites vanish before the start alone.
    if (known.has(key)) continue
    expect([key, state]).toEqual([key, "notified"])
    expect(["draft", "scheduled"], key).toContain(dispatchesBefore.get(dispatchId)!.status)
  }
}

/** The interval that holds, and the time that is left of it, in milliseconds. */
const present = ({ intervals }: SeenPlace, now: number) => {
  for (const { durationSeconds, startsAt } of intervals) {
    const from = Date.parse(startsAt)
    const left = from + durationSeconds * 1000 - now
    if (from <= now && left > 0) return { left }
  }
  return undefined
}

/**
 * Checks after a run that each device is held by the dispatch that goes before, if any, and by no other: of those that run there now the one
 * with the lowest priority number, of equal ones the earliest.
 */
export const expectOneHolder = (places: ReadonlyArray<SeenPlace>, now: number) => {
  for (const [deviceId, all] of Map.groupBy(places, (place) => place.deviceId)) {
    const begun = all.filter(({ siteStartsAt }) => siteStartsAt.getTime() <= now)
    const holders = begun.filter(({ phase }) => phase === "commanded")
    const contenders = begun.filter(
      (place) => place.status === "running" && place.siteState !== "opted_out" && present(place, now) !== undefined
    )
    const [first] = contenders.toSorted(
      (one, other) => one.priority - other.priority || (one.dispatchId < other.dispatchId ? -1 : 1)
    )
    expect(holders.length, deviceId).toBeLessThanOrEqual(1)
    const [holder] = holders
    if (first === undefined) expect(holder, deviceId).toBeUndefined()
    // In the last minute of an interval nobody takes a device over.
    else if (contenders.every((one) => present(one, now)!.left >= 60_000)) {
      expect(holder?.dispatchId, deviceId).toBe(first.dispatchId)
    }
  }
}
