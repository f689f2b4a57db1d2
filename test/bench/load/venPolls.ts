import { Agent, request } from "node:http"
import { setTimeout } from "node:timers/promises"
import { serveRequests } from "../setting/childProcess.ts"
import type { VenCredentials } from "../setting/seedVens.ts"

const BASE = "/openadr3/3.1.0"
/** Every VEN asks once in this time. */
const PERIOD_MS = 60_000
/** A token lasts an hour. */
const RENEWALS_MS = 3_600_000

export interface Polls {
  readonly port: number
  readonly vens: ReadonlyArray<VenCredentials>
  /** How long they poll; 0 has each get its first token and nothing else. */
  readonly seconds: number
}

export type Timed = "events" | "programs" | "token"

export interface Polled {
  /** Milliseconds from the time at which each request was due until its response was whole. */
  readonly times: Readonly<Record<Timed, ReadonlyArray<number>>>
  /** Responses by their status, other than 200; 0 for none. */
  readonly refused: Readonly<Record<string, number>>
  /** Seconds that the first tokens of all VENs took. */
  readonly firstTokens: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 })

const call = (port: number, method: string, path: string, headers: Record<string, string>, body = "") =>
  new Promise<{ readonly status: number; readonly text: string }>((resolve) => {
    const sent = request({ host: "127.0.0.1", port, method, path: BASE + path, headers, agent }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => resolve({ status: response.statusCode!, text: Buffer.concat(parts).toString("utf8") }))
      response.on("error", () => resolve({ status: 0, text: "" }))
    })
    sent.setTimeout(30_000, () => sent.destroy())
    sent.on("error", () => resolve({ status: 0, text: "" }))
    sent.end(body)
  })

/** The tokens of the VENs, which go from one request of the benchmark to the next. */
const tokens: Array<string> = []

const poll = async ({ port, seconds, vens }: Polls): Promise<Polled> => {
  const times: Record<Timed, Array<number>> = { events: [], programs: [], token: [] }
  const refused: Record<string, number> = {}

  const issue = async (n: number) => {
    const { id, secret } = vens[n]!
    const form = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret })
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    const { status, text } = await call(port, "POST", "/auth/token", headers, form.toString())
    if (status === 200) tokens[n] = JSON.parse(text).access_token
    return status
  }
  const read = async (n: number, path: string) => {
    const { status } = await call(port, "GET", path, { authorization: `Bearer ${tokens[n]}` })
    return status
  }
  const timed = async (kind: Timed, due: number, ask: Promise<number>) => {
    const status = await ask
    times[kind].push(performance.now() - due)
    if (status !== 200) refused[status] = (refused[status] ?? 0) + 1
  }

  const began = performance.now()
  let next = tokens.length
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      while (next < vens.length) await issue(next++)
    })
  )
  const firstTokens = (performance.now() - began) / 1000

  // The load does not wait for responses: a slow service gets no fewer requests.
  const open: Array<Promise<void>> = []
  const start = performance.now()
  const polls = Math.round((seconds * 1000 * vens.length) / PERIOD_MS)
  const renewals = Math.max(1, Math.round(RENEWALS_MS / PERIOD_MS))
  for (let count = 0; count < polls; count++) {
    const due = start + (count * PERIOD_MS) / vens.length
    const wait = due - performance.now()
    if (wait > 0) await setTimeout(wait)
    const n = count % vens.length
    const query = `targets=${vens[n]!.target}`
    open.push(timed("events", due, read(n, `/events?active=true&${query}`)))
    open.push(timed("programs", due, read(n, `/programs?${query}`)))
    if (count % renewals === 0) open.push(timed("token", due, issue(n)))
  }
  await Promise.all(open)
  return { times, refused, firstTokens }
}

serveRequests(poll)
