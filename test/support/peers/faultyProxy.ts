import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** `drip` passes on a few bytes at a time; `half-close` ends one direction of each connection. */
export type ProxyMode = "clear" | "drip" | "half-close"

const drip = { bytes: 512, everyMs: 10 }

/**
 * A proxy between the service and a peer. Connections that were half-closed stay as they are afterwards: of every second one the service
 * learns nothing, because the peer alone sees the end, and what it sends no longer arrives.
 */
export const startFaultyProxy = async (port: number) => {
  let mode: ProxyMode = "clear"
  let count = 0
  const pairs = new Set<() => void>()
  const sockets = new Set<Socket>()

  const pass = (from: Socket, to: Socket, isCut: () => boolean) => {
    const waiting: Array<Buffer> = []
    let timer: NodeJS.Timeout | undefined
    const flush = () => {
      if (isCut()) waiting.length = 0
      const [next] = waiting
      if (next === undefined) return void (timer = undefined)
      const size = mode === "drip" ? drip.bytes : next.length
      if (size < next.length) waiting[0] = next.subarray(size)
      else waiting.shift()
      if (to.writable) to.write(next.subarray(0, size))
      timer = setTimeout(flush, mode === "drip" ? drip.everyMs : 0)
    }
    from.on("data", (chunk: Buffer) => {
      if (isCut()) return
      if (mode !== "drip" && timer === undefined) return void (to.writable && to.write(chunk))
      waiting.push(chunk)
      timer ??= setTimeout(flush, drip.everyMs)
    })
  }

  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const peer = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    let cut: "service" | "peer" | undefined
    const cutsPeer = count++ % 2 === 1
    const halfClose = () => {
      cut ??= cutsPeer ? "peer" : "service"
      if (cut === "peer") peer.end()
      else socket.end()
    }
    pairs.add(halfClose)
    pass(socket, peer, () => cut === "peer")
    pass(peer, socket, () => cut !== undefined)
    for (const [one, other] of [
      [socket, peer],
      [peer, socket]
    ] as const) {
      sockets.add(one)
      one.on("error", () => {})
      one.on("end", () => cut === undefined && other.end())
      one.on("close", () => {
        sockets.delete(one)
        // The service may end a connection at any time. An end of the peer is not passed on once the connection is cut.
        if (one === socket || cut === undefined) other.destroy()
        if (one === socket) pairs.delete(halfClose)
      })
    }
    if (mode === "half-close") socket.once("data", halfClose)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    setMode: (next: ProxyMode) => {
      mode = next
      if (mode === "half-close") for (const halfClose of pairs) halfClose()
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>
