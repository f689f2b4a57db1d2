import type { Socket } from "node:net"
import { type Duration, Effect, RcMap, type Scope } from "effect"
import { AdapterError, type Upstream } from "../AdapterError.ts"
import type { AdapterHost } from "../AdapterHost.ts"
import {
  exceptionName,
  isValidRequest,
  type ModbusRequest,
  type ModbusResponse,
  type RegisterTable,
  serialFraming,
  tcpFraming
} from "./frames.ts"
import { secureSocket } from "../http/secureSocket.ts"
import { makeLine, type ModbusLine } from "./ModbusLine.ts"

export interface RegisterRange {
  readonly table?: RegisterTable
  readonly address: number
  readonly count: number
}

/** Registers, or the reason why the device does not give them. */
export type RegisterResponse = { readonly registers: ReadonlyArray<number> } | { readonly refused: string }

/** Values for registers in sequence. */
export interface RegisterBlock {
  readonly address: number
  readonly words: ReadonlyArray<number>
  /** Written by function 6, which writes one register. */
  readonly single?: boolean
}

/** A unit at a device or behind a gateway. */
export interface ModbusUnit {
  /** Up to 125 registers. `refused`: the unit responds, and does not have them. */
  readonly read: (range: RegisterRange) => Effect.Effect<RegisterResponse, AdapterError>
  /** Fails with `refused` if the unit does not take them. */
  readonly write: (words: RegisterBlock) => Effect.Effect<void, AdapterError>
}

/** How Modbus goes over a connection. `serial` has the messages of RS485 (RTU over TCP); `tls` is Modbus TCP over TLS. */
export const transports = ["tcp", "serial", "tls"] as const
export type Transport = (typeof transports)[number]

export interface ModbusAddress {
  readonly host: string
  readonly port: number
  /** `tcp` by default. */
  readonly transport?: Transport
  /** SHA-256 of the device's certificate, if it has none of a known authority. */
  readonly fingerprint?: string | null
  /** Seconds that the device needs before its first request on a connection; 0 by default. */
  readonly connectDelay?: number
}

export interface ModbusClient {
  /** Runs calls to the units of a device, all together within the time budget. */
  readonly use: <A>(
    address: ModbusAddress,
    calls: (unit: (unitId: number) => ModbusUnit) => Effect.Effect<A, AdapterError>
  ) => Effect.Effect<A, AdapterError>
}

export interface ModbusTimes {
  /** For each request, and for opening a connection. */
  readonly request: Duration.Input
  /** For all requests of a reading or a command, with the time that they wait for others. */
  readonly total: Duration.Input
  /** Before a request to a busy device is repeated. */
  readonly busyPause: Duration.Input
  /** How long an unused connection stays open. Many inverters take a single connection: that of another tool or instance, too. */
  readonly idle: Duration.Input
}

export const modbusTimes: ModbusTimes = {
  request: "5 seconds",
  total: "30 seconds",
  busyPause: "300 millis",
  idle: "2 seconds"
}

const ILLEGAL_FUNCTION = 1
const ILLEGAL_VALUE = 3
/** Acknowledge: the device takes longer. Busy: it works on another request. */
const isBusy = (code: number) => code === 5 || code === 6
/** The gateway responds, the unit behind it does not. */
const isGateway = (code: number) => code === 10 || code === 11
const BUSY_ATTEMPTS = 4

const upstream = (code: number): Upstream => ({
  statusCode: null,
  errorCode: String(code),
  errorMessage: exceptionName(code),
  requestId: null
})

const unreachable = (name: string, code: number) =>
  AdapterError.of("unreachable", `${name}: ${exceptionName(code)}`, { upstream: upstream(code) })

/** A closed port of a device that is there: its owner has to turn on Modbus. */
const explained = (error: AdapterError): AdapterError =>
  error.failure === "unreachable" && error.upstream?.errorCode === "ECONNREFUSED"
    ? new AdapterError({ ...error, intervention: "local_access_disabled" })
    : error

const makeUnit = (line: ModbusLine, name: string, unitId: number, times: ModbusTimes): ModbusUnit => {
  const unit = `${name} unit ${unitId}`

  const ask = (request: ModbusRequest, attempts = BUSY_ATTEMPTS): Effect.Effect<ModbusResponse, AdapterError> =>
    Effect.flatMap(
      isValidRequest(request) ? line.request(request) : Effect.die(new RangeError(`No request for ${unit}`)),
      (response) => {
        if (!("exception" in response)) return Effect.succeed(response)
        const { exception } = response
        if (isBusy(exception) && attempts > 1) {
          return Effect.andThen(Effect.sleep(times.busyPause), ask(request, attempts - 1))
        }
        return isBusy(exception) || isGateway(exception)
          ? Effect.fail(unreachable(unit, exception))
          : Effect.succeed(response)
      }
    )

  return {
    read: ({ address, count, table = "holding" }) =>
      Effect.map(ask({ kind: "read", unitId, table, address, count }), (response) =>
        "registers" in response
          ? response
          : { refused: "exception" in response ? exceptionName(response.exception) : "No registers" }
      ),
    write: Effect.fnUntraced(function* ({ address, single = false, words }) {
      const request = { kind: "write", unitId, address, words, single } as const
      let response = yield* ask(request)
      // The specification lets a device have the function for one register alone.
      if ("exception" in response && response.exception === ILLEGAL_FUNCTION && words.length === 1 && !single) {
        response = yield* ask({ ...request, single: true })
      }
      if (!("exception" in response)) return
      const { exception } = response
      return yield* AdapterError.of(
        "refused",
        `${unit} does not take register ${address}: ${exceptionName(exception)}`,
        {
          upstream: upstream(exception),
          commandReason: exception === ILLEGAL_VALUE ? "unsupported_value" : "refused"
        }
      )
    })
  }
}

/**
 * Modbus over the TCP connections of the platform. All units of a host and port share one connection, on which requests go one
 * after the other.
 */
export const makeModbusClient = (
  { dial }: Pick<AdapterHost, "dial">,
  times: ModbusTimes = modbusTimes
): Effect.Effect<ModbusClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const lines = yield* RcMap.make({
      lookup: (key: string) => {
        const { connectDelay = 0, fingerprint = null, host, port, transport } = JSON.parse(key) as ModbusAddress
        /** A step after connecting. If it fails or is interrupted, the connection is closed. */
        const orClosed = (next: (socket: Socket) => Effect.Effect<Socket, AdapterError>) => (socket: Socket) =>
          Effect.onError(next(socket), () => Effect.sync(() => void socket.destroy()))
        return makeLine({
          name: `${host}:${port}`,
          dial: Effect.mapError(dial(host, port), explained).pipe(
            Effect.flatMap(orClosed((socket) => Effect.as(Effect.sleep(`${connectDelay} seconds`), socket))),
            Effect.flatMap(
              orClosed((socket) =>
                transport === "tls" ? secureSocket(socket, { host, fingerprint }, "device") : Effect.succeed(socket)
              )
            )
          ),
          framing: transport === "serial" ? serialFraming : tcpFraming,
          timeLimit: times.request
        })
      },
      idleTimeToLive: times.idle
    })
    return {
      use: (address, calls) => {
        const { connectDelay = 0, fingerprint = null, port, transport = "tcp" } = address
        const host = address.host.toLowerCase()
        const name = `${host}:${port}`
        const key = JSON.stringify({ host, port, transport, fingerprint, connectDelay } satisfies ModbusAddress)
        return Effect.scoped(
          Effect.flatMap(RcMap.get(lines, key), (line) => calls((unitId) => makeUnit(line, name, unitId, times)))
        ).pipe(
          Effect.timeoutOrElse({
            duration: times.total,
            orElse: () => Effect.fail(AdapterError.of("unreachable", `${name} takes too long to respond`))
          })
        )
      }
    }
  })
