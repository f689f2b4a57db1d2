/** Descriptions of one broker, and their characters in all. */
const COUNT_LIMIT = 5_000
const SIZE_LIMIT = 8_000_000

/** The newest description of each topic. What is beyond the limits is not kept, so a flood of topics costs no memory. */
export const makeDescriptionStore = () => {
  const kept = new Map<string, string>()
  let size = 0
  let isFull = false
  return {
    all: kept as ReadonlyMap<string, string>,
    /** Whether descriptions were left out. */
    isFull: () => isFull,
    /** Returns whether anything changed. An empty payload removes the description. */
    put: (topic: string, payload: string): boolean => {
      const former = kept.get(topic)
      if (former === payload) return false
      const change = payload.length + topic.length - (former === undefined ? 0 : former.length + topic.length)
      if (payload === "") {
        if (former !== undefined) size -= former.length + topic.length
        return kept.delete(topic)
      }
      if (size + change > SIZE_LIMIT || (former === undefined && kept.size >= COUNT_LIMIT)) {
        isFull = true
        return false
      }
      kept.set(topic, payload)
      size += change
      return true
    }
  }
}
