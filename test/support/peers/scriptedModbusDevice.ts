import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"

export interface DeviceRequest {
  readonly transaction: number
  readonly unitId: number
  readonly code: number
  readonly address: number
  /** Registers to read or to write. */
  readonly count: number
  readonly words: ReadonlyArray<number>
}

const word = (value: number) => [(value >> 8) & 0xff, value & 0xff]

/** The bytes of a response with a correct header. */
export const frame = ({ code, transaction, unitId }: DeviceRequest, body: ReadonlyArray<number>, functionCode = code) =>
  Buffer.from([...word(transaction), 0, 0, ...word(body.length + 2), unitId, functionCode, ...body])

export const exception = (request: DeviceRequest, code: number) => frame(request, [code], request.code | 0x80)

const parse = (bytes: Buffer): DeviceRequest => {
  const code = bytes[7]!
  const count = code === 6 ? 1 : bytes.readUInt16BE(10)
  const start = code === 6 ? 10 : 13
  const writes = code === 6 || code === 16
  return {
    transaction: bytes.readUInt16BE(0),
    unitId: bytes[6]!,
    code,
    address: bytes.readUInt16BE(8),
    count,
    words: writes ? Array.from({ length: count }, (_, n) => bytes.readUInt16BE(start + 2 * n)) : []
  }
}

export interface ScriptedDevice {
  readonly port: number
  /** Holding registers by address, the same for all units. */
  readonly registers: Map<number, number>
  readonly requests: Array<DeviceRequest>
  readonly connections: () => { readonly open: number; readonly total: number; readonly most: number }
  /** Decides on a request in place of the registers; `undefined` leaves it to them, `silent` does not respond. */
  script: (request: DeviceRequest, socket: Socket) => Buffer | undefined | "silent"
  readonly stop: () => Promise<void>
}

/**
 * A device whose misbehaviour a test scripts. Each chunk from the client is taken for one request, so that requests which are
 * sent together break it.
 */
export const startScriptedDevice = async (
  registers: Iterable<readonly [number, number]> = []
): Promise<ScriptedDevice> => {
  const sockets = new Set<Socket>()
  let total = 0
  let most = 0
  const own = new Map(registers)
  const respond = (request: DeviceRequest) => {
    const { address, code, count, words } = request
    const places = Array.from({ length: count }, (_, n) => address + n)
    if (!places.every((place) => own.has(place))) return exception(request, 2)
    if (code === 3 || code === 4)
      return frame(request, [2 * count, ...places.flatMap((place) => word(own.get(place)!))])
    for (const [n, value] of words.entries()) own.set(address + n, value)
    return frame(request, [...word(address), ...word(code === 6 ? words[0]! : count)])
  }
  const server = createServer((socket) => {
    sockets.add(socket)
    total += 1
    most = Math.max(most, sockets.size)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    socket.on("data", (bytes: Buffer) => {
      const request = parse(bytes)
      device.requests.push(request)
      const scripted = device.script(request, socket)
      if (scripted !== "silent") socket.write(scripted ?? respond(request))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const device: ScriptedDevice = {
    port: (server.address() as AddressInfo).port,
    registers: own,
    requests: [],
    connections: () => ({ open: sockets.size, total, most }),
    script: () => undefined,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
  return device
}
