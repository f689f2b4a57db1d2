import { HttpConnection, type Reply } from "../load/HttpConnection.ts"
import { median } from "../statistics.ts"

const PER_PAGE = 100
/** How many pages at either end are compared. */
const AT_AN_END = 300

interface Walk {
  readonly devices: number
  /** Median milliseconds a page at the beginning and at the end of the walk. */
  readonly first: number
  readonly last: number
}

const request = (key: string, cursor: string | undefined) =>
  `GET /v1/devices?perPage=${PER_PAGE}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`} HTTP/1.1\r\n` +
  `host: 127.0.0.1\r\nservice-api-key: ${key}\r\n\r\n`

const parseIds = (body: Buffer): ReadonlyArray<string> =>
  (JSON.parse(body.toString()) as { readonly data: ReadonlyArray<{ readonly id: string }> }).data.map(({ id }) => id)

/** Walks the whole list by its cursors. Fails unless every device comes exactly once, newest first. */
export const cursorWalk = async (port: number, key: string): Promise<Walk> => {
  const failed = Promise.withResolvers<never>()
  const connection = await HttpConnection.open(port, failed.reject)
  const ask = (cursor: string | undefined) =>
    Promise.race([failed.promise, new Promise<Reply>((resolve) => connection.send(request(key, cursor), resolve))])
  const times: Array<number> = []
  let devices = 0
  let previous = "d"
  let cursor: string | undefined
  do {
    const sent = performance.now()
    const { status, head, body } = await ask(cursor)
    times.push(performance.now() - sent)
    if (status !== 200) throw new Error(`Answered ${status}: ${body.toString().slice(0, 500)}`)
    for (const id of parseIds(body)) {
      if (id >= previous) throw new Error(`${id} comes after ${previous}`)
      previous = id
      devices += 1
    }
    cursor = /\r\nx-next-cursor: *([^\r]+)/i.exec(head)?.[1]
  } while (cursor !== undefined)
  connection.close()
  // The very first page has totals, which the pages of the walk have not, and the last one may be short.
  const pages = times.slice(1, -1)
  return { devices, first: median(pages.slice(0, AT_AN_END)), last: median(pages.slice(-AT_AN_END)) }
}
