import type { RefusalReason } from "@edp/domain/audit/AuditLog"
import type { AuditOrigin } from "./auditRow.ts"

/** A refused use of a key. */
export interface RefusedUse {
  readonly actorId: string
  readonly endpoint: string
  readonly reason: RefusalReason
  readonly address: string | null
}

/** Uses that are alike, of a minute that begins with the first of them. */
interface Entry {
  readonly use: RefusedUse
  readonly origin: AuditOrigin
  readonly until: number
  uses: number
  lastAt: number
  /** How many of the uses are written, and from when on the rest is due. */
  written: number
  dueAt: number
}

/** An entry as it is to be written now. */
export interface DueRefusal {
  readonly entry: Entry
  readonly uses: number
  readonly lastAt: number
}

export interface LedgerLimits {
  /** Entries in memory at most: what comes beyond is not kept. */
  readonly entries: number
  /** Entries of one key that tell its addresses apart. */
  readonly addresses: number
}

const MINUTE = 60_000
/** A use is written soon, those that follow it less often. */
const REWRITTEN_AFTER = 5000

const nameOf = ({ actorId, address, endpoint, reason }: RefusedUse) => `${actorId} ${endpoint} ${reason} ${address}`

/**
 * Counts refused uses until they are written. Whatever comes, it holds a bounded number of entries: of a key in a minute
 * not more than a few addresses, and beyond them one for every endpoint and reason.
 */
export const refusalLedger = ({ addresses, entries: most }: LedgerLimits) => {
  const entries = new Set<Entry>()
  const current = new Map<string, Entry>()
  const told = new Map<string, number>()

  const running = (use: RefusedUse, now: number) => {
    const entry = current.get(nameOf(use))
    return entry !== undefined && now < entry.until ? entry : undefined
  }

  const begin = (use: RefusedUse, now: number, originOf: (address: string | null) => AuditOrigin) => {
    const entry = {
      use,
      origin: originOf(use.address),
      until: now + MINUTE,
      uses: 0,
      lastAt: now,
      written: 0,
      dueAt: now
    }
    entries.add(entry)
    current.set(nameOf(use), entry)
    if (use.address !== null) told.set(use.actorId, (told.get(use.actorId) ?? 0) + 1)
    return entry
  }

  const end = (entry: Entry) => {
    const { use } = entry
    entries.delete(entry)
    if (current.get(nameOf(use)) === entry) current.delete(nameOf(use))
    if (use.address === null) return
    const left = told.get(use.actorId)! - 1
    if (left === 0) told.delete(use.actorId)
    else told.set(use.actorId, left)
  }

  return {
    /** Answers whether the use is counted. */
    note: (use: RefusedUse, now: number, originOf: (address: string | null) => AuditOrigin): boolean => {
      const isTold = (told.get(use.actorId) ?? 0) < addresses
      const kept = running(use, now) === undefined && !isTold ? { ...use, address: null } : use
      const known = running(kept, now)
      if (known === undefined && entries.size >= most) return false
      const entry = known ?? begin(kept, now, originOf)
      entry.uses++
      entry.lastAt = now
      return true
    },
    /** What is to be written, of those that wait longest, so many at most; with `all` also what could wait. */
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
    /** They are written. */
    settle: (written: ReadonlyArray<DueRefusal>, now: number) => {
      for (const { entry, uses } of written) {
        entry.written = uses
        entry.dueAt = now + REWRITTEN_AFTER
        // What was written goes behind what waits.
        entries.delete(entry)
        entries.add(entry)
      }
    },
    size: () => entries.size
  }
}
