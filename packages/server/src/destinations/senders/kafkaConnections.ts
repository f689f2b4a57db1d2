import type { LookupFunction, Socket } from "node:net"
import { type Broker, type Connection, type ConnectionPool, GenericError, UserError } from "@platformatic/kafka"
import { literalAddress } from "../../platform/network/publicAddress.ts"

/** How broker names are checked and resolved. */
export interface BrokerRules {
  readonly refused: (host: string) => string | undefined
  readonly findAddresses: (host: string) => Promise<ReadonlyArray<string>>
  readonly lookup: LookupFunction
}

/** A broker that may not be called. The client does not retry this error. */
export class RefusedBroker extends UserError {
  constructor(host: string, reason: string) {
    super(`The broker ${host} is refused: ${reason}`)
  }
}

/** Bytes that one connection may read in total. A response to an event has some hundred bytes, metadata usually some thousand. */
export const RESPONSES_LIMIT = 8 * 1024 * 1024

type ConnectCallback = (error: Error | null, found?: Connection) => void
/** Called when a response broke the client: its pending requests may never end. */
export type Broken = (error: unknown) => void
type Listener = (...given: Array<unknown>) => void

/**
 * Responses are parsed in the listeners of a socket, and callbacks run from there. An exception in one, such as by a
 * malformed response, ends the connection instead of the process.
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
      if (socket.bytesRead <= RESPONSES_LIMIT) return
      socket.destroy()
      broken(new Error("It responds with too much."))
    })
  })
}

const guardConnection = (connection: Connection, broken: Broken) => {
  // A connection that fails after it has ended has no other listener.
  connection.on("error", () => {})
  // The socket is created right after this event and connects later. It is missing if creating it fails.
  connection.once("connecting", () =>
    queueMicrotask(() => {
      if (connection.socket !== undefined) guardSocket(connection.socket, broken)
    })
  )
}

/**
 * The TLS options for all connections of one client. `servername` must be a name (RFC 6066): Node.js refuses an address. The
 * client has one setting for all brokers, so this one returns the host being dialled, which the client reads right after
 * `connecting`.
 */
export class TlsSettings {
  readonly minVersion = "TLSv1.2"
  readonly lookup: LookupFunction
  #host = ""

  constructor(lookup: LookupFunction) {
    this.lookup = lookup
    // An own property, because the client copies its options for each connection.
    Object.defineProperty(this, "servername", {
      enumerable: true,
      get: () => (literalAddress(this.#host) === undefined ? this.#host : undefined)
    })
  }

  /** The next connection goes to this host. */
  dials(host: string): void {
    this.#host = host
  }
}

/**
 * Makes a client dial brokers by these rules, both the configured brokers and those that the cluster names: by spelling and by
 * every address that the name resolves to. Without encryption the checked address itself is dialled; with encryption the
 * connection resolves the name by `lookup`, because the certificate is for the name.
 */
export const guardConnections = (
  pool: ConnectionPool,
  rules: BrokerRules,
  tls: TlsSettings | undefined,
  broken: Broken
): void => {
  const dial = pool.get.bind(pool) as (broker: Broker, callback: ConnectCallback) => void
  const dialled = (broker: Broker) =>
    new Promise<Connection>((resolve, reject) => {
      dial(broker, (error, found) => (error === null ? resolve(found!) : reject(error)))
    }).catch((error: unknown) => {
      // The pool handles network errors. Any other exception leaves a connection in it that does not exist.
      if (!(error instanceof GenericError)) broken(error)
      throw error
    })
  const reach = async (broker: Broker) => {
    const reason = rules.refused(broker.host)
    if (reason !== undefined) throw new RefusedBroker(broker.host, reason)
    if (tls !== undefined) return await dialled(broker)
    const addresses = (await rules.findAddresses(broker.host)).map((host) => ({ host, port: broker.port }))
    let failure: unknown
    for (const address of addresses) {
      try {
        return await dialled(address)
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
  pool.get = ((broker: Broker, callback?: ConnectCallback) => {
    // The cluster may name a leader that it does not describe; the client handles that.
    const found = broker === undefined ? dialled(broker) : reach(broker)
    if (callback === undefined) return found
    void found.then((connection) => callback(null, connection), callback).catch(broken)
    return undefined
  }) as ConnectionPool["get"]
}
