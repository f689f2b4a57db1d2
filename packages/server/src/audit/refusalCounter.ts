import type { RefusalReason } from "@edp/domain/audit/AuditLog"
import type { AuditOrigin } from "./auditRow.ts"

/** A refused use of a key. */
export interface RefusedUse {
  readonly actorId: string
  readonly endpoint: string
  readonly reason: RefusalReason
  readonly address: string | null
}

/** Equal uses within a minute that begins with the first. */
interface Entry {
  readonly use: RefusedUse
  readonly origin: AuditOrigin
  readonly until: number
  uses: number
  lastAt: number
  /** How many of the uses are written, and when the rest is due. */
  written: number
  dueAt: number
}

/** The state of an entry that is to be written. */
export interface DueRefusal {
  readonly entry: Entry
  readonly uses: number
  readonly lastAt: number
}

export interface RefusalLimits {
  /** Most entries in memory; uses over the limit are not recorded. */
  readonly entries: number
  /** Most entries of one key with an address. */
  readonly addresses: number
}

const MINUTE = 60_000
/** The first use is written soon, repetitions less often. */
const REWRITTEN_AFTER = 5000

const counterKey = ({ actorId, address, endpoint, reason }: RefusedUse) => `${actorId} ${endpoint} ${reason} ${address}`

/**
 * Counts refused uses until they are written. Its memory is bounded: a key has at most `addresses` entries with an
 * address a minute, and over that limit one entry per endpoint and reason.
 */
export const refusalCounter = ({ addresses, entries: most }: RefusalLimits) => {
  const entries = new Set<Entry>()
  const current = new Map<string, Entry>()
  const addressCounts = new Map<string, number>()

  const running = (use: RefusedUse, now: number) => {
    const entry = current.get(counterKey(use))
    return entry !== undefined && now < entry.until ? entry : undefined
  }

  const begin = (use: RefusedUse, now: number, findOrigin: (address: string | null) => AuditOrigin) => {
    const entry = {
      use,
      origin: findOrigin(use.address),
      until: now + MINUTE,
      uses: 0,
      lastAt: now,
      written: 0,
      dueAt: now
    }
    entries.add(entry)
    current.set(counterKey(use), entry)
    if (use.address !== null) addressCounts.set(use.actorId, (addressCounts.get(use.actorId) ?? 0) + 1)
    return entry
  }

  const end = (entry: Entry) => {
    const { use } = entry
    entries.delete(entry)
    if (current.get(counterKey(use)) === entry) current.delete(counterKey(use))
    if (use.address === null) return
    const left = addressCounts.get(use.actorId)! - 1
    if (left === 0) addressCounts.delete(use.actorId)
    else addressCounts.set(use.actorId, left)
  }

  return {
    /** False when the use is over the limit. */
    note: (use: RefusedUse, now: number, findOrigin: (address: string | null) => AuditOrigin): boolean => {
      const keepsAddress = (addressCounts.get(use.actorId) ?? 0) < addresses
      const counted = running(use, now) === undefined && !keepsAddress ? { ...use, address: null } : use
      const known = running(counted, now)
      if (known === undefined && entries.size >= most) return false
      const entry = known ?? begin(counted, now, findOrigin)
      entry.uses++
      entry.lastAt = now
      return true
    },
    /** The entries to write now, the longest waiting first; `all` includes those that are not due yet. */
    due: (now: number, atMost: number, all = false): ReadonlyArray<DueRefusal> => {
      const due: Array<DueRefusal> = []
      for (const entry of entries) {
        if (due.length === atMost) break
        const { dueAt, lastAt, until, uses, written } = entry
        if (uses > written && (all || now >= Math.min(dueAt, until))) due.push({ entry, uses, lastAt })
        else if (uses === written && now >= until) end(entry)
      }
      return due
    },
    /** Marks entries as written. */
    settle: (written: ReadonlyArray<DueRefusal>, now: number) => {
      for (const { entry, uses } of written) {
        entry.written = uses
        entry.dueAt = now + REWRITTEN_AFTER
        // Moves it behind the entries that wait.
        entries.delete(entry)
        entries.add(entry)
      }
    },
    size: () => entries.size
  }
}
