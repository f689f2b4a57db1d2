/** A lane that is worked on. */
export interface Slot {
  readonly destinationId: string
  readonly workspaceId: string
  /** When its present delivery was begun, in milliseconds; Infinity while none is. */
  begun: number
  isSlow: boolean
}

export interface SlotLimits {
  /** Lanes that are in hand at a time, and those of slow destinations beside them. */
  readonly usual: number
  readonly slow: number
  /** Deliveries to one destination that are under way at a time. */
  readonly atOnce: number
  /** A delivery that takes so many milliseconds makes its destination a slow one, until one is quicker. */
  readonly slowAfter: number
}

/** So many destinations are remembered as quick ones. */
const REMEMBERED = 1000
/** After so many failures in a row nobody waits for a destination any more. */
const TOLERATED = 3

interface Doorway {
  under: number
  failures: number
  readonly waiting: Array<(isLet: boolean) => void>
}

/**
 * Who works on what. Destinations that take long have places of their own, so that they hold up nobody but each other,
 * however many they are; and lanes that wait for one that takes long or fails are let go. Those that have been quick are
 * known, so that the others can be given less. No workspace has more places of a kind than are free besides, so there is always
 * room for another one: half of the places for one alone, a third for each of two.
 */
export const makeLaneSlots = ({ usual, slow, atOnce, slowAfter }: SlotLimits) => {
  const slots = new Set<Slot>()
  const doorways = new Map<string, Doorway>()
  const slowOnes = new Set<string>()
  const quickOnes = new Set<string>()

  const doorwayOf = (destinationId: string) => {
    const doorway = doorways.get(destinationId) ?? { under: 0, failures: 0, waiting: [] }
    doorways.set(destinationId, doorway)
    return doorway
  }
  const dismiss = (destinationId: string) => {
    quickOnes.delete(destinationId)
    for (const answer of doorways.get(destinationId)?.waiting.splice(0) ?? []) answer(false)
  }
  const isSlow = (destinationId: string) => {
    slowOnes.add(destinationId)
    dismiss(destinationId)
  }
  const isQuick = (destinationId: string) => {
    slowOnes.delete(destinationId)
    quickOnes.delete(destinationId)
    quickOnes.add(destinationId)
    const [oldest] = quickOnes
    if (quickOnes.size > REMEMBERED) quickOnes.delete(oldest!)
  }
  const count = (isSlow: boolean) => {
    let counted = 0
    for (const slot of slots) if (slot.isSlow === isSlow) counted += 1
    return counted
  }
  const heldBy = (isSlow: boolean): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const slot of slots) {
      if (slot.isSlow === isSlow) counts.set(slot.workspaceId, (counts.get(slot.workspaceId) ?? 0) + 1)
    }
    return counts
  }

  return {
    take: (destinationId: string, workspaceId: string): Slot => {
      const slot = { destinationId, workspaceId, begun: Infinity, isSlow: slowOnes.has(destinationId) }
      slots.add(slot)
      return slot
    },
    /** Asks to begin a delivery. The answer comes when there is room, and is no where it is better to let go. */
    enter: ({ destinationId }: Slot, answer: (isLet: boolean) => void): (() => void) => {
      const doorway = doorwayOf(destinationId)
      if (doorway.under < atOnce) {
        doorway.under += 1
        answer(true)
        return () => {}
      }
      doorway.waiting.push(answer)
      return () => {
        const at = doorway.waiting.indexOf(answer)
        if (at >= 0) doorway.waiting.splice(at, 1)
      }
    },
    /** A delivery that was let in is through. */
    leave: (slot: Slot, succeeded: boolean, now: number) => {
      const { destinationId } = slot
      const doorway = doorwayOf(destinationId)
      const took = now - slot.begun
      slot.begun = Infinity
      doorway.under -= 1
      doorway.failures = succeeded ? 0 : doorway.failures + 1
      if (took >= slowAfter) isSlow(destinationId)
      else if (succeeded) isQuick(destinationId)
      else if (doorway.failures >= TOLERATED) dismiss(destinationId)
      const next = doorway.waiting.shift()
      if (next !== undefined) {
        doorway.under += 1
        next(true)
      } else if (doorway.under === 0 && doorway.failures === 0) doorways.delete(destinationId)
    },
    free: (slot: Slot) => {
      slots.delete(slot)
    },
    /** Moves what takes long over to the slow ones, as far as there is room for its workspace. */
    sweep: (now: number) => {
      let room = slow - count(true)
      const held = heldBy(true)
      for (const slot of slots) {
        if (slot.isSlow || now - slot.begun < slowAfter) continue
        isSlow(slot.destinationId)
        const mine = held.get(slot.workspaceId) ?? 0
        if (mine >= room) continue
        slot.isSlow = true
        held.set(slot.workspaceId, mine + 1)
        room -= 1
      }
    },
    room: () => ({ usual: Math.max(0, usual - count(false)), slow: Math.max(0, slow - count(true)) }),
    /** How many places of a kind each workspace has. */
    held: (isSlow: boolean) => [...heldBy(isSlow)].map(([workspaceId, count]) => ({ workspaceId, count })),
    slowOnes: (): ReadonlyArray<string> => [...slowOnes],
    quickOnes: (): ReadonlyArray<string> => [...quickOnes],
    busy: () => {
      const counts = new Map<string, number>()
      for (const { destinationId } of slots) counts.set(destinationId, (counts.get(destinationId) ?? 0) + 1)
      return [...counts].map(([destinationId, count]) => ({ destinationId, count }))
    },
    size: () => slots.size
  }
}
