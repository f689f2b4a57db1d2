import type { LookupFunction, Socket } from "node:net"
import { type Broker, type Connection, type ConnectionPool, GenericError, UserError } from "@platformatic/kafka"
import { literalAddress } from "../../platform/network/publicAddress.ts"

/** How brokers are found and judged. */
export interface BrokerRules {
  readonly refused: (host: string) => string | undefined
  readonly addressesOf: (host: string) => Promise<ReadonlyArray<string>>
  readonly lookup: LookupFunction
}

/** A broker that may not be called. The client makes no second try. */
export class RefusedBroker extends UserError {
  constructor(host: string, reason: string) {
    super(`The broker ${host} is refused: ${reason}`)
  }
}

/** Bytes that one connection may answer in all: brokers answer some hundred to an event, and mostly some thousand about themselves. */
export const ANSWERS_LIMIT = 8 * 1024 * 1024

type Told = (error: Error | null, found?: Connection) => void
/** Told of what an answer has made go wrong inside of the client: requests that wait may wait in vain from then on. */
export type Broken = (error: unknown) => void
type Listener = (...given: Array<unknown>) => void

/**
 * What a broker sends is parsed in the listeners of its socket, and callbacks run from there. An exception in them, such as by an answer
 * that no real broker gives, ends the connection and not the process.
 */
const guardListeners = (socket: Socket, event: string, broken: Broken) => {
  for (const listener of socket.listeners(event) as Array<Listener>) {
    socket.removeListener(event, listener)
    socket.on(event, (...given: Array<unknown>) => {
      try {
        listener.apply(socket, given)
      } catch (error) {
        socket.destroy()
        broken(error)
      }
    })
  }
}

const guardSocket = (socket: Socket, broken: Broken) => {
  const ready = "encrypted" in socket ? "secureConnect" : "connect"
  socket.once(ready, () => {
    guardListeners(socket, "data", broken)
    socket.on("data", () => {
      if (socket.bytesRead <= ANSWERS_LIMIT) return
      socket.destroy()
      broken(new Error("It answers too much."))
    })
  })
}

const guardConnection = (connection: Connection, broken: Broken) => {
  // One that fails twice, as with an error after it has ended, has nobody left to hear of it.
  connection.on("error", () => {})
  // The socket is made directly after this is told, and connects later; there is none where making it fails.
  connection.once("connecting", () =>
    queueMicrotask(() => {
      if (connection.socket !== undefined) guardSocket(connection.socket, broken)
    })
  )
}

/**
 * What the client of one cluster hands to every TLS connection. Servers are told the name that they are called by, which an
 * address is none of (RFC 6066): Node.js refuses one. The client knows one setting for all its connections, so this one tells
 * the host that is being dialled; the client reads it directly after `connecting`.
 */
export class TlsSettings {
  readonly minVersion = "TLSv1.2"
  readonly lookup: LookupFunction
  #host = ""

  constructor(lookup: LookupFunction) {
    this.lookup = lookup
    // An own property: the client copies what it is given with each connection.
    Object.defineProperty(this, "servername", {
      enumerable: true,
      get: () => (literalAddress(this.#host) === undefined ? this.#host : undefined)
    })
  }

  /** The next connection that is made is one to this host. */
  dials(host: string): void {
    this.#host = host
  }
}

/**
 * Has a client dial brokers by these rules, the ones that it is told to begin with and the ones that those name to it: by spelling,
 * and by every address that the name resolves to. Without encryption the very address that was looked at is dialled; with it the
 * connection resolves the name by `lookup`, because the certificate is the name's.
 */
export const guardConnections = (
  pool: ConnectionPool,
  rules: BrokerRules,
  tls: TlsSettings | undefined,
  broken: Broken
): void => {
  const dial = pool.get.bind(pool) as (broker: Broker, callback: Told) => void
  const dialled = (broker: Broker) =>
    new Promise<Connection>((resolve, reject) => {
      dial(broker, (error, found) => (error === null ? resolve(found!) : reject(error)))
    }).catch((error: unknown) => {
      // Not an error of the network, which the pool has drawn its conclusions from: it threw, and keeps a connection that never was.
      if (!(error instanceof GenericError)) broken(error)
      throw error
    })
  const reach = async (broker: Broker) => {
    const reason = rules.refused(broker.host)
    if (reason !== undefined) throw new RefusedBroker(broker.host, reason)
    if (tls !== undefined) return await dialled(broker)
    const places = (await rules.addressesOf(broker.host)).map((host) => ({ host, port: broker.port }))
    let failure: unknown
    for (const place of places) {
      try {
        return await dialled(place)
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
  pool.on("connecting", ({ broker, connection }) => {
    guardConnection(connection, broken)
    connection.once("connecting", () => tls?.dials(broker!.host))
  })
  pool.get = ((broker: Broker, callback?: Told) => {
    // Brokers that the cluster names as leaders and does not describe are none: the client knows what to make of that.
    const found = broker === undefined ? dialled(broker) : reach(broker)
    if (callback === undefined) return found
    void found.then((connection) => callback(null, connection), callback).catch(broken)
    return undefined
  }) as ConnectionPool["get"]
}
