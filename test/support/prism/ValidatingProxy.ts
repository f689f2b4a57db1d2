import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { Exchange } from "./Exchange.ts"
import { type Judge, prismJudge } from "./judge.ts"
import { respondWith, ask } from "./passOn.ts"

/** Counts over all services. */
export interface Tally {
  /** Exchanges of operations that the document has. */
  checked: number
  /** Other exchanges: unknown routes, HEAD, OPTIONS, health and metrics. */
  outside: number
  readonly operations: Set<string>
}

interface Front {
  readonly server: Server
  /** The violations since the last call. */
  violations: ReadonlyArray<string>
}

// The service itself refuses headers that are too long.
const generous = { maxHeaderSize: 1024 * 1024, keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 0 }

/**
 * Stands in front of services and has each exchange judged against an OpenAPI document before the client gets its
 * response. Requests and responses pass byte by byte: what the service says to a wrong request is its own response.
 */
export class ValidatingProxy {
  readonly tally: Tally = { checked: 0, outside: 0, operations: new Set() }
  private readonly agent = new Agent({ keepAlive: true })
  private readonly fronts = new Map<string, Front>()
  private readonly judge: Judge

  constructor(document: object) {
    this.judge = prismJudge(document)
  }

  /** The address of a service through the proxy. */
  async inFrontOf(service: string): Promise<string> {
    const server = createServer(generous, (incoming, outgoing) => {
      this.pass(new URL(service), front, incoming, outgoing).catch(() => outgoing.destroy())
    })
    const front: Front = { server, violations: [] }
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    this.fronts.set(address, front)
    return address
  }

  /** The violations since the last call, at an address or anywhere. */
  takeViolations(address?: string): ReadonlyArray<string> {
    const fronts = address === undefined ? [...this.fronts.values()] : [this.fronts.get(address)!]
    const found = fronts.flatMap(({ violations }) => violations)
    for (const front of fronts) front.violations = []
    return found
  }

  close() {
    this.agent.destroy()
    for (const { server } of this.fronts.values()) {
      server.close()
      server.closeAllConnections()
    }
  }

  private async pass(service: URL, front: Front, incoming: IncomingMessage, outgoing: ServerResponse) {
    const { exchange, response } = await ask(service, this.agent, incoming, outgoing)
    front.violations = [...front.violations, ...(await this.violationsOf(exchange))]
    respondWith(outgoing, response, exchange.bytes)
  }

  private async violationsOf(exchange: Exchange) {
    const { operation, violations } = await this.judge(exchange)
    if (operation === undefined) {
      this.tally.outside += 1
      return []
    }
    this.tally.checked += 1
    this.tally.operations.add(operation)
    return violations.map(
      (violation) => `${exchange.method} ${exchange.path} (${operation}) answered ${exchange.status}: ${violation}`
    )
  }
}
