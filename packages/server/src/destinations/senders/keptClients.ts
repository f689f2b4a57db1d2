/** A client that is kept for who uses it next. */
export interface Kept<Client> {
  readonly client: Client
  /** Of the settings that it was made for. */
  readonly fingerprint: string
  inUse: number
  usedAt: number
  /** Whether it is to be closed once nobody uses it. */
  isSpent: boolean
}

interface Options<Client> {
  readonly close: (client: Client) => void
  /** Whether a client has done enough, and another one is to be made for the next use. */
  readonly isWorn: (client: Client) => boolean
  /** How many are kept, beside those that are in use. */
  readonly limit: number
  /** How long one is kept without being used, in milliseconds. */
  readonly idleLimit: number
}

/** Keeps one client for each destination, for a number of them and a time. Times are in milliseconds. */
export const keptClients = <Client>({ close, idleLimit, isWorn, limit }: Options<Client>) => {
  const kept = new Map<string, Kept<Client>>()

  /** Whoever uses it may go on; nobody begins to. */
  const drop = (id: string, entry: Kept<Client>) => {
    if (kept.get(id) === entry) kept.delete(id)
    entry.isSpent = true
    if (entry.inUse === 0) close(entry.client)
  }

  const dropUnused = (now: number, surplus: number) => {
    const unused = [...kept]
      .filter(([, { inUse }]) => inUse === 0)
      .toSorted(([, one], [, other]) => one.usedAt - other.usedAt)
    unused.forEach(([id, entry], at) => {
      if (at < surplus || now - entry.usedAt >= idleLimit) drop(id, entry)
    })
  }

  return {
    /** The destination's client, or a new one where there is none for these settings. */
    acquire: (id: string, fingerprint: string, now: number, make: () => Client): Kept<Client> => {
      const before = kept.get(id)
      if (before !== undefined && before.fingerprint !== fingerprint) drop(id, before)
      if (!kept.has(id)) {
        dropUnused(now, kept.size - limit + 1)
        kept.set(id, { client: make(), fingerprint, inUse: 0, usedAt: now, isSpent: false })
      }
      const entry = kept.get(id)!
      entry.inUse += 1
      entry.usedAt = now
      return entry
    },
    release: (id: string, entry: Kept<Client>) => {
      entry.inUse -= 1
      if (entry.isSpent || isWorn(entry.client)) drop(id, entry)
    },
    /** Closes a client at once, whoever uses it. */
    end: (id: string, entry: Kept<Client>) => {
      drop(id, entry)
      close(entry.client)
    },
    /** Closes what was not used for long. */
    sweep: (now: number) => dropUnused(now, 0),
    closeAll: () => {
      for (const [id, entry] of kept) drop(id, entry)
    }
  }
}
