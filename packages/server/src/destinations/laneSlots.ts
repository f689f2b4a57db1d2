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

/**
 * Who works on what. Destinations that take long have places of their own, so that they hold up nobody but each other,
 * however many they are.
 */
export const makeLaneSlots = ({ usual, slow, slowAfter }: SlotLimits) => {
  const slots = new Set<Slot>()
  const slowOnes = new Set<string>()

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
      if (now - slot.begun >= slowAfter) slowOnes.add(slot.destinationId)
      else slowOnes.delete(slot.destinationId)
    },
    free: (slot: Slot) => {
      slots.delete(slot)
    },
    /** Moves what takes long over to the slow ones, as far as there is room. */
    sweep: (now: number) => {
      let room = slow - count(true)
      for (const slot of slots) {
        if (slot.isSlow || now - slot.begun < slowAfter) continue
        slowOnes.add(slot.destinationId)
        if (room <= 0) continue
        slot.isSlow = true
        room -= 1
      }
    },
    room: () => ({ usual: Math.max(0, usual - count(false)), slow: Math.max(0, slow - count(true)) }),
    slowOnes: (): ReadonlyArray<string> => [...slowOnes],
    busy: () => {
      const counts = new Map<string, number>()
      for (const { destinationId } of slots) counts.set(destinationId, (counts.get(destinationId) ?? 0) + 1)
      return [...counts].map(([destinationId, count]) => ({ destinationId, count }))
    },
    size: () => slots.size
  }
}
