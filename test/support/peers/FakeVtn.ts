import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Stored {
  readonly id: string
  readonly [field: string]: any
}

/** A request that the VTN received. */
export interface VtnRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly authorization: string | undefined
  readonly body: any
}

/** Undefined for the usual response. */
export type VtnReply = { readonly status: number; readonly body: unknown } | undefined

const readBody = async (request: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8")
}

const problem = (status: number, detail: string) => ({ status, body: { title: "Problem", status, detail } })

/**
 * A VTN of OpenADR 3.1 in memory, as far as a VEN needs one. Tests put programs and events into it, and read the requests and reports
 * that it received. `respond` replaces its response to some requests.
 */
export class FakeVtn {
  readonly requests: Array<VtnRequest> = []
  readonly programs: Array<Stored> = []
  readonly events: Array<Stored> = []
  readonly vens: Array<Stored> = []
  readonly reports: Array<Stored> = []
  /** All requests for a judge, without those to which a test has let it respond. */
  readonly exchanges: Array<{ readonly request: VtnRequest; readonly path: string; readonly status: number }> = []
  readonly subscriptions: Array<Stored> = []
  /** The response to `GET /notifiers`; undefined for a VTN that does not know it. */
  notifiers: object | undefined
  /** Topics by the path below `/notifiers/mqtt/topics`; there are no others. */
  topics: Readonly<Record<string, object>> = {}
  tokens = 0
  /** Lifetime of a token in seconds. */
  lifetime = 3600
  respond: (request: VtnRequest) => VtnReply | Promise<VtnReply> = () => undefined
  readonly client = { id: "ven-42", secret: "a secret of the utility" }
  readonly #server = createServer((request, response) => void this.#handle(request, response))
  #ids = 0

  async open() {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get url() {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/openadr3/3.1.0`
  }

  async close() {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #object(objectType: string, fields: object): Stored {
    const at = new Date(Date.parse("2026-01-01T00:00:00Z") + this.#ids * 1000).toISOString()
    return {
      id: `${objectType.toLowerCase()}-${++this.#ids}`,
      createdDateTime: at,
      modificationDateTime: at,
      objectType,
      ...fields
    }
  }

  program(fields: object = {}) {
    const program = this.#object("PROGRAM", { programName: `program ${this.#ids}`, ...fields })
    this.programs.push(program)
    return program
  }

  event(programID: string, fields: object) {
    const event = this.#object("EVENT", { programID, ...fields })
    this.events.push(event)
    return event
  }

  update(id: string, fields: object) {
    const at = this.events.findIndex((event) => event.id === id)
    this.events[at] = { ...this.events[at]!, ...fields }
  }

  remove(id: string) {
    this.events.splice(
      this.events.findIndex((event) => event.id === id),
      1
    )
  }

  #page(objects: ReadonlyArray<Stored>, query: URLSearchParams) {
    const [skip, limit] = [Number(query.get("skip") ?? 0), Number(query.get("limit") ?? 50)]
    return { status: 200, body: objects.slice(skip, skip + limit) }
  }

  #respond({ authorization, body, method, path, query }: VtnRequest) {
    if (path === "/auth/server") return { status: 200, body: { tokenURL: `${this.url}/auth/token` } }
    if (path === "/auth/token") {
      const form = new URLSearchParams(body)
      if (form.get("client_id") !== this.client.id || form.get("client_secret") !== this.client.secret) {
        return { status: 401, body: { error: "invalid_client" } }
      }
      return {
        status: 200,
        body: { access_token: `token-${++this.tokens}`, token_type: "Bearer", expires_in: this.lifetime }
      }
    }
    if (authorization !== `Bearer token-${this.tokens}`) return problem(401, "No valid token")
    if (path === "/programs") return this.#page(this.programs, query)
    if (path === "/events") return this.#page(this.events, query)
    if (path === "/vens" && method === "GET") {
      return this.#page(
        this.vens.filter(({ venName }) => venName === query.get("venName")),
        query
      )
    }
    if (path === "/vens") {
      const ven = this.#object("VEN", { clientID: this.client.id, venName: body.venName })
      this.vens.push(ven)
      return { status: 201, body: ven }
    }
    if (path === "/reports" && method === "GET") {
      return this.#page(
        this.reports.filter(({ eventID }) => eventID === query.get("eventID")),
        query
      )
    }
    if (path === "/reports") {
      const report = this.#object("REPORT", { ...body, clientID: this.client.id })
      this.reports.push(report)
      return { status: 201, body: report }
    }
    if (path === "/notifiers" && this.notifiers !== undefined) return { status: 200, body: this.notifiers }
    const topics = this.topics[path.replace("/notifiers/mqtt/topics/", "")]
    if (topics !== undefined) return { status: 200, body: { topics } }
    if (path.startsWith("/subscriptions")) return this.#subscription(method, path, query, body)
    return problem(404, "Unrecognized URL")
  }

  #subscription(method: string, path: string, query: URLSearchParams, body: any) {
    if (path === "/subscriptions" && method === "GET") {
      return this.#page(
        this.subscriptions.filter(({ clientName }) => clientName === query.get("clientName")),
        query
      )
    }
    if (path === "/subscriptions") {
      const subscription = this.#object("SUBSCRIPTION", { ...body, clientID: this.client.id })
      this.subscriptions.push(subscription)
      return { status: 201, body: subscription }
    }
    const at = this.subscriptions.findIndex(({ id }) => path === `/subscriptions/${id}`)
    const known = this.subscriptions[at]
    if (known === undefined) return problem(404, "No such subscription")
    if (method === "PUT") this.subscriptions[at] = { ...known, ...body }
    if (method === "DELETE") this.subscriptions.splice(at, 1)
    return { status: 200, body: this.subscriptions[at] ?? known }
  }

  async #handle(message: IncomingMessage, response: ServerResponse) {
    const text = await readBody(message)
    const url = new URL(message.url!, "http://vtn")
    const isJson = message.headers["content-type"] === "application/json"
    const request: VtnRequest = {
      method: message.method!,
      path: url.pathname.replace("/openadr3/3.1.0", ""),
      query: url.searchParams,
      authorization: message.headers.authorization,
      body: isJson ? JSON.parse(text) : text
    }
    this.requests.push(request)
    const own = await this.respond(request)
    const { body, status } = own ?? this.#respond(request)
    const path = url.href.slice(url.href.indexOf(request.path))
    if (own === undefined) this.exchanges.push({ request, path, status })
    if (status === 0) return void message.socket.destroy()
    response.writeHead(status, { "content-type": "application/json" })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }
}
