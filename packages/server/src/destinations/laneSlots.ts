/** A lane that is worked on. */
export interface Slot {
  readonly destinationId: string
  /** When its present delivery was begun, in milliseconds. */
  begun: number
  isSlow: boolean
}

export interface SlotLimits {
  /** Lanes that are worked on at a time, and those of slow destinations beside them. */
  readonly usual: number
  readonly slow: number
  /** A delivery that takes so many milliseconds makes its destination a slow one, until one is quicker. */
  readonly slowAfter: number
}

/** So many destinations are remembered as quick ones. */
const REMEMBERED = 1000

/**
 * Who works on what. Destinations that take long have places of their own, so that they hold up nobody but each other,
 * however many they are. Those that have been quick are known, so that the others can be given less.
 */
export const makeLaneSlots = ({ usual, slow, slowAfter }: SlotLimits) => {
  const slots = new Set<Slot>()
  const slowOnes = new Set<string>()
  const quickOnes = new Set<string>()

  const isSlow = (destinationId: string) => {
    slowOnes.add(destinationId)
    quickOnes.delete(destinationId)
  }
  const isQuick = (destinationId: string) => {
    slowOnes.delete(destinationId)
    quickOnes.delete(destinationId)
    quickOnes.add(destinationId)
    const [oldest] = quickOnes
    if (quickOnes.size > REMEMBERED) quickOnes.delete(oldest!)
  }

  const count = (isSlow: boolean) => [...slots].filter((slot) => slot.isSlow === isSlow).length

  return {
    take: (destinationId: string, now: number): Slot => {
      const slot = { destinationId, begun: now, isSlow: slowOnes.has(destinationId) }
      slots.add(slot)
      return slot
    },
    /** The next delivery of the lane begins. */
    goOn: (slot: Slot, now: number) => {
      slot.begun = now
    },
    /** A delivery is through. */
    note: (slot: Slot, now: number) => {
      if (now - slot.begun >= slowAfter) isSlow(slot.destinationId)
      else isQuick(slot.destinationId)
    },
    free: (slot: Slot) => {
      slots.delete(slot)
    },
    /** Moves what takes long over to the slow ones, as far as there is room. */
    sweep: (now: number) => {
      let room = slow - count(true)
      for (const slot of slots) {
        if (slot.isSlow || now - slot.begun < slowAfter) continue
        isSlow(slot.destinationId)
        if (room <= 0) continue
        slot.isSlow = true
        room -= 1
      }
    },
    room: () => ({ usual: Math.max(0, usual - count(false)), slow: Math.max(0, slow - count(true)) }),
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
