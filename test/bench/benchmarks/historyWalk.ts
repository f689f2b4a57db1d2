import { HttpConnection, type Reply } from "../load/HttpConnection.ts"
import { median } from "../statistics.ts"

const PER_PAGE = 100
/** How many pages at either end are compared. */
const AT_AN_END = 300

export interface Walked {
  /** The path of the history. */
  readonly path: string
  /** The oldest and the newest reading, milliseconds since 1970, and what is between two of them. */
  readonly first: number
  readonly last: number
  readonly step: number
}

interface Walk {
  /** Median milliseconds a page at the beginning and at the end of the walk. */
  readonly first: number
  readonly last: number
}

type Order = "asc" | "desc"

const request = (path: string, key: string) =>
  `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nservice-api-key: ${key}\r\n\r\n`

const parseTimes = (body: Buffer): ReadonlyArray<number> =>
  (JSON.parse(body.toString()) as { readonly data: ReadonlyArray<{ readonly createdAt: string }> }).data.map(
    (reading) => Date.parse(reading.createdAt)
  )

const iso = (at: number) => new Date(at).toISOString()

/**
 * Walks the pages at both ends of a history by their cursors; those at the end go on from a page that was read by
 * itself, with the range of the whole. Fails where a reading is missing or comes twice.
 */
export const historyWalk = async (port: number, key: string, walked: Walked, order: Order): Promise<Walk> => {
  const { path, first, last, step } = walked
  const failed = Promise.withResolvers<never>()
  const connection = await HttpConnection.open(port, failed.reject)
  const sign = order === "asc" ? 1 : -1

  const page = async (from: number, to: number, cursor: string | undefined) => {
    const query = `from=${iso(from)}&to=${iso(to)}&order=${order}&perPage=${PER_PAGE}`
    const text = request(`${path}?${query}${cursor === undefined ? "" : `&cursor=${cursor}`}`, key)
    const sent = performance.now()
    const response = await Promise.race([
      failed.promise,
      new Promise<Reply>((resolve) => connection.send(text, resolve))
    ])
    const milliseconds = performance.now() - sent
    if (response.status !== 200)
      throw new Error(`Answered ${response.status}: ${response.body.toString().slice(0, 500)}`)
    const next = /\r\nx-next-cursor: *([^\r]+)/i.exec(response.head)?.[1]
    return { milliseconds, next, times: parseTimes(response.body) }
  }

  /** From the cursor on, after the reading of that time. */
  const walk = async (begin: string, after: number, pages: number) => {
    const times: Array<number> = []
    let [expected, cursor]: [number, string | undefined] = [after, begin]
    while (cursor !== undefined && times.length < pages) {
      const response = await page(first, last + 1, cursor)
      times.push(response.milliseconds)
      for (const at of response.times) {
        expected += sign * step
        if (at !== expected) throw new Error(`${iso(at)} instead of ${iso(expected)}`)
      }
      cursor = response.next
    }
    return { milliseconds: median(times), reached: expected, ended: cursor === undefined }
  }

  const [start, end] = order === "asc" ? [first, last] : [last, first]
  const begun = await page(first, last + 1, undefined)
  const near = end - sign * step * (AT_AN_END * PER_PAGE + PER_PAGE - 1)
  const nearEnd = await (order === "asc" ? page(near, last + 1, undefined) : page(first, near + 1, undefined))
  const begin = () => walk(begun.next!, start + sign * step * (PER_PAGE - 1), AT_AN_END)
  const finish = () => walk(nearEnd.next!, nearEnd.times.at(-1)!, Number.POSITIVE_INFINITY)
  // Once for nothing: what comes first finds everything cold.
  await begin()
  await finish()
  const [beginning, ending] = [await begin(), await finish()]
  connection.close()
  if (!ending.ended || ending.reached !== end) throw new Error(`The walk ended at ${iso(ending.reached)}`)
  return { first: beginning.milliseconds, last: ending.milliseconds }
}
