import { serveRequests } from "../setting/childProcess.ts"
import { percentile } from "../statistics.ts"
import { HttpConnection } from "./HttpConnection.ts"
import type { Load, LoadResult } from "./Load.ts"
import { makeRequests } from "./requests.ts"

/** A closed loop: each connection sends its next request when it has the response to the last one. */
const run = ({ port, key, traffic, connections, seconds, requests }: Load) =>
  new Promise<LoadResult>((resolve, reject) => {
    const request = makeRequests(traffic, key)
    const times: Array<number> = []
    const open: Array<HttpConnection> = []
    let turn = 0
    let idle = 0
    let began = 0

    const fail = (error: Error) => {
      for (const connection of open) connection.close()
      reject(error)
    }

    const finish = () => {
      const elapsed = (performance.now() - began) / 1000
      for (const connection of open) connection.close()
      const sorted = Float64Array.from(times).sort()
      resolve({
        answered: times.length,
        perSecond: times.length / elapsed,
        p50: percentile(sorted, 0.5),
        p99: percentile(sorted, 0.99),
        longest: sorted.at(-1) ?? Number.NaN
      })
    }

    const next = (connection: HttpConnection) => {
      const sent = performance.now()
      if (requests === undefined ? sent - began >= seconds * 1000 : turn >= requests) {
        idle += 1
        if (idle === connections) finish()
        return
      }
      connection.send(request(turn++), ({ status, body }) => {
        if (status !== 200) return fail(new Error(`Answered ${status}: ${body.toString().slice(0, 500)}`))
        times.push(performance.now() - sent)
        next(connection)
      })
    }

    Promise.all(Array.from({ length: connections }, () => HttpConnection.open(port, fail))).then((opened) => {
      open.push(...opened)
      began = performance.now()
      for (const connection of opened) next(connection)
    }, reject)
  })

serveRequests(run)
