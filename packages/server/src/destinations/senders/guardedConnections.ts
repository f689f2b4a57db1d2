import type { LookupFunction, Socket } from "node:net"
import { type Broker, type Connection, type ConnectionPool, UserError } from "@platformatic/kafka"

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
  // The socket is made directly after this is told, and connects later.
  connection.once("connecting", () => queueMicrotask(() => guardSocket(connection.socket, broken)))
}

/**
 * Has a client dial brokers by these rules, the ones that it is told to begin with and the ones that those name to it: by spelling,
 * and by every address that the name resolves to. Without encryption the very address that was looked at is dialled; with it the
 * connection resolves the name by `lookup`, because the certificate is the name's.
 */
export const guardConnections = (
  pool: ConnectionPool,
  rules: BrokerRules,
  isEncrypted: boolean,
  broken: Broken
): void => {
  const dial = pool.get.bind(pool) as (broker: Broker, callback: Told) => void
  const dialled = (broker: Broker) =>
    new Promise<Connection>((resolve, reject) => {
      dial(broker, (error, found) => (error === null ? resolve(found!) : reject(error)))
    })
  const reach = async (broker: Broker) => {
    const reason = rules.refused(broker.host)
    if (reason !== undefined) throw new RefusedBroker(broker.host, reason)
    if (isEncrypted) return await dialled(broker)
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
  pool.on("connecting", ({ connection }) => guardConnection(connection, broken))
  pool.get = ((broker: Broker, callback?: Told) => {
    // Brokers that the cluster names as leaders and does not describe are none: the client knows what to make of that.
    const found = broker === undefined ? dialled(broker) : reach(broker)
    if (callback === undefined) return found
    void found.then((connection) => callback(null, connection), callback).catch(broken)
    return undefined
  }) as ConnectionPool["get"]
}
