import { randomUUID } from "node:crypto"
import { Clock, Effect } from "effect"
import { LONGEST_PAST_DAYS } from "@edp/domain/accounts/Simulator"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import { advance, beginSite, type SiteEvent } from "../physics/simulate.ts"
import type { SiteProfile } from "../physics/SiteProfile.ts"
import type { SiteState } from "../physics/SiteState.ts"
import { accountKey, type AccountRecord, type StoredSite } from "./AccountRecord.ts"
import { findTestAccount, testAccountHome, type TestAccount } from "./testAccounts.ts"
import { timeOn } from "./virtualClock.ts"

const DAY = 86_400_000
/** Homes begin this long before their account, so that their first reading is not their first minute. */
const WARM_UP = 2 * DAY
/** States of the last day can be asked for; the stored state is at most twice as old. */
export const HISTORY = DAY
/** The stored state of a home whose past was not reported yet is at most this old. */
const LONGEST_PAST = LONGEST_PAST_DAYS * DAY + 2 * WARM_UP
/** A longer timeline is shortened at once. */
const MAX_TIMELINE = 500
/** Accounts whose present states are in memory, about 5 kB each. Others are computed from the stored state. */
const MAX_IN_MEMORY = 10_000
/** Steps of a long simulation between which other work runs. */
const SLICE = DAY

/** An account at an instant. */
export interface LiveAccount {
  readonly id: string
  readonly record: AccountRecord
  readonly version: number
  /** The time on the account's clock. */
  readonly time: number
  /** The states of `record.sites` at that time. */
  readonly states: ReadonlyArray<SiteState>
}

/** A change of an account: the new record, and a result for the caller. */
export type Change<A> = (account: LiveAccount) => { readonly record: AccountRecord; readonly result: A }

export interface Accounts {
  /** The account now. A test account that was never used begins. */
  readonly find: (id: string) => Effect.Effect<LiveAccount | undefined>
  readonly change: <A>(id: string, change: Change<A>) => Effect.Effect<A | undefined>
  readonly create: (id: string, record: AccountRecord) => Effect.Effect<boolean>
  readonly remove: (id: string) => Effect.Effect<boolean>
  /** The states of a site at times of the last day, in order; a time that is not known any more has none. */
  readonly statesAt: (site: StoredSite, times: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<SiteState>>
  readonly list: (
    after: string | undefined
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly record: AccountRecord }>>
}

/** When the homes of an account begin that is made now. */
export const beginning = (now: number): number => Math.floor((now - WARM_UP) / DAY) * DAY

export const beginHome = (profile: SiteProfile): StoredSite => ({ profile, state: beginSite(profile), timeline: [] })

/** Adds an event to a site, after the others of that time. `time` is the present of the site or later. */
export const scripted = (site: StoredSite, event: SiteEvent, time: number): StoredSite => {
  const earlier = site.timeline.filter(({ at }) => at <= time)
  return { ...site, timeline: [...earlier, { at: time, event }, ...site.timeline.slice(earlier.length)] }
}

/** A test account before its first use. `time` is that of its clock. */
export const newTestAccount = (account: TestAccount, time: number): AccountRecord => {
  const startsAt = beginning(time)
  const home = beginHome(testAccountHome(account, startsAt))
  const site = account.deviceFaults.reduce(
    (so, fault) => scripted(so, { type: "fault", deviceId: null, fault, until: null }, home.state.asOf),
    home
  )
  return {
    revision: "",
    name: account.name,
    clock: null,
    faults: account.faults.map((fault) => ({ ...fault, from: startsAt, until: null })),
    sites: [site],
    given: []
  }
}

/** Advances in slices, between which the process does other work. */
const advanceFar = Effect.fnUntraced(function* (site: StoredSite, from: SiteState, to: number) {
  let state = from
  while (to - state.asOf > SLICE) {
    state = advance(site.profile, state, site.timeline, state.asOf + SLICE)
    yield* Effect.yieldNow
  }
  return advance(site.profile, state, site.timeline, to)
})

/** Moves the stored state forward to a day ago and drops what has taken effect by then. */
const shorten = Effect.fnUntraced(function* (site: StoredSite, time: number) {
  const keep = site.timeline.length > MAX_TIMELINE ? time : time - HISTORY
  const state = yield* advanceFar(site, site.state, keep)
  return { ...site, state: { ...state, applied: 0 }, timeline: site.timeline.slice(state.applied) }
})

const isLong = ({ past }: AccountRecord, site: StoredSite, time: number) =>
  time - site.state.asOf > (past === undefined ? 2 * HISTORY : LONGEST_PAST) || site.timeline.length > MAX_TIMELINE

/** The accounts over their records, which all instances of the platform share. */
export const makeAccounts = (records: AdapterRecords): Accounts => {
  const present = new Map<string, { readonly revision: string; readonly states: ReadonlyArray<SiteState> }>()

  /** The account used last is the last one. */
  const remember = ({ id, record: { revision }, states }: LiveAccount) => {
    present.delete(id)
    present.set(id, { revision, states })
    if (present.size > MAX_IN_MEMORY) present.delete(present.keys().next().value!)
  }

  const read = Effect.fnUntraced(function* (id: string) {
    const stored = yield* records.get(accountKey(id))
    // Only this folder writes these records.
    if (stored !== undefined) return { record: stored.value as AccountRecord, version: stored.version }
    const account = findTestAccount(id)
    if (account === undefined) return undefined
    return { record: newTestAccount(account, yield* Clock.currentTimeMillis), version: 0 }
  })

  const live = Effect.fnUntraced(function* (
    id: string,
    { record, version }: { record: AccountRecord; version: number }
  ) {
    const time = timeOn(record.clock, yield* Clock.currentTimeMillis)
    const known = present.get(id)
    const states = yield* Effect.forEach(record.sites, (site, index) =>
      advanceFar(site, known?.revision === record.revision ? known.states[index]! : site.state, time)
    )
    return { id, record, version, time, states } satisfies LiveAccount
  })

  /** Undefined if another instance wrote the record first. */
  const write = Effect.fnUntraced(function* (account: LiveAccount, record: AccountRecord) {
    const sites = yield* Effect.forEach(record.sites, (site) =>
      isLong(record, site, account.time) ? shorten(site, account.time) : Effect.succeed(site)
    )
    const shortened = { ...record, sites, revision: randomUUID() }
    const isWritten = yield* records.put(accountKey(account.id), account.version, shortened)
    if (!isWritten) return undefined
    const written = yield* live(account.id, { record: shortened, version: account.version + 1 })
    remember(written)
    return written
  })

  const find: Accounts["find"] = Effect.fnUntraced(function* (id) {
    for (;;) {
      const stored = yield* read(id)
      if (stored === undefined) return undefined
      const account = yield* live(id, stored)
      const mustWrite =
        stored.version === 0 || stored.record.sites.some((site) => isLong(stored.record, site, account.time))
      if (!mustWrite) {
        remember(account)
        return account
      }
      const written = yield* write(account, stored.record)
      if (written !== undefined) return written
    }
  })

  const change = Effect.fnUntraced(function* <A>(id: string, apply: Change<A>) {
    for (;;) {
      const stored = yield* read(id)
      if (stored === undefined) return undefined
      const account = yield* live(id, stored)
      const { record, result } = apply(account)
      if (record === account.record) return result
      if ((yield* write(account, record)) !== undefined) return result
    }
  })

  return {
    find,
    change,
    create: (id, record) => records.put(accountKey(id), 0, { ...record, revision: randomUUID() }),
    remove: Effect.fnUntraced(function* (id) {
      const isKnown = (yield* records.get(accountKey(id))) !== undefined
      yield* records.remove(accountKey(id))
      present.delete(id)
      return isKnown
    }),
    statesAt: Effect.fnUntraced(function* (site, times) {
      const states: Array<SiteState> = []
      let state = site.state
      for (const time of times) {
        if (time < state.asOf) continue
        state = yield* advanceFar(site, state, time)
        states.push(state)
      }
      return states
    }),
    list: (after) =>
      Effect.map(records.list(accountKey(""), 500, after === undefined ? undefined : accountKey(after)), (found) =>
        found.map(({ key, value }) => ({
          id: key.slice(accountKey("").length),
          record: value as AccountRecord
        }))
      )
  }
}
