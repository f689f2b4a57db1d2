/** Bulk endpoints take 5 MiB, of which the envelope needs a little. */
const MAX_BYTES = 4 * 1024 * 1024

/** Halves a batch until each part fits into a body. */
export const splitBySize = <A>(
  items: ReadonlyArray<A>,
  bodyOf: (item: A) => object
): ReadonlyArray<ReadonlyArray<A>> => {
  const bytes = Buffer.byteLength(JSON.stringify(items.map(bodyOf)))
  if (bytes <= MAX_BYTES || items.length <= 1) return [items]
  const half = items.length >> 1
  return [...splitBySize(items.slice(0, half), bodyOf), ...splitBySize(items.slice(half), bodyOf)]
}
