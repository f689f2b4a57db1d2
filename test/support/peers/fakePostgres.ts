import { createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { afterAll } from "vitest"

const message = (type: string, ...parts: ReadonlyArray<Buffer | string>) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  const head = Buffer.alloc(5, type)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

const int16 = (value: number) => Buffer.from([value >> 8, value & 255])
const int32 = (value: number) => Buffer.concat([int16(value >>> 16), int16(value & 65_535)])

const textOid = 25
const column = (name: string) =>
  Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(textOid), int16(-1 & 65_535), int32(-1), int16(1)])
const value = (text: string) => Buffer.concat([int32(text.length), Buffer.from(text)])

const ready = message("Z", "I")

/** The messages of a server that accepts every login and responds to every query with its version. */
const conversation = (version: string, number: string) => {
  const response = Buffer.concat([
    message("1"),
    message("2"),
    message("T", int16(2), column("version"), column("number")),
    message("D", int16(2), value(version), value(number)),
    message("C", "SELECT 1\0"),
    ready
  ])
  return (socket: Socket) => {
    socket.once("data", () => {
      socket.write(Buffer.concat([message("R", int32(0)), message("K", int32(1), int32(1)), ready]))
      socket.on("data", (bytes) => bytes[0] === 0x50 && socket.write(response))
    })
  }
}

const listen = (serve: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined))
    serve(socket)
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return new Promise<number>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  )
}

/** A server of some version; returns its port. */
export const listenAsPostgres = (version: string, number: string) => listen(conversation(version, number))

/** A server that takes connections and never says a word. */
export const listenInSilence = () => listen(() => undefined)

/** A server that speaks something else. */
export const listenAsStranger = () =>
  listen((socket) => void socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")))
