/** Below the 5 MiB limit of bulk endpoints, which includes the envelope. */
const MAX_BYTES = 4 * 1024 * 1024

/** Halves a batch until each part fits into a request. */
export const splitBySize = <A>(
  items: ReadonlyArray<A>,
  toBody: (item: A) => object
): ReadonlyArray<ReadonlyArray<A>> => {
  const bytes = Buffer.byteLength(JSON.stringify(items.map(toBody)))
  if (bytes <= MAX_BYTES || items.length <= 1) return [items]
  const half = items.length >> 1
  return [...splitBySize(items.slice(0, half), toBody), ...splitBySize(items.slice(half), toBody)]
}
