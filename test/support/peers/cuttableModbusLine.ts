import { connect, createServer, type Socket } from "node:net"
import { once } from "node:events"

/** Functions of Modbus that write: one register, or several. */
const WRITES = [6, 16]

/**
 * A line to a Modbus server that can be cut at a write, as when the process that writes dies: before the write arrives, or after
 * the device has it and before its response.
 */
export const startCuttableLine = async (port: number) => {
  let writes = 0
  let cut: { readonly at: number; readonly arrives: boolean; readonly done: () => void } | undefined
  const sockets = new Set<Socket>()
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on("error", () => {}).on("close", () => sockets.delete(socket))
  }
  const server = createServer((socket) => {
    const device = connect(port, "127.0.0.1")
    keep(socket)
    keep(device)
    let isCut = false
    const end = () => {
      isCut = true
      cut?.done()
      cut = undefined
      socket.destroy()
    }
    // The adapter has one request at a time, which is one segment on this machine.
    socket.on("data", (request: Buffer) => {
      if (isCut) return
      const isWrite = WRITES.includes(request[7]!)
      if (isWrite) writes += 1
      const isLast = isWrite && cut?.at === writes
      if (isLast && !cut!.arrives) {
        device.destroy()
        return end()
      }
      device.write(request)
      if (isLast) {
        isCut = true
        device.once("data", () => {
          device.destroy()
          end()
        })
      }
    })
    device.on("data", (response) => !isCut && socket.write(response))
    socket.on("close", () => device.destroy())
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The line has no port")
  return {
    port: address.port,
    /** Number of writes so far. */
    writes: () => writes,
    /** Ends when the line was cut at a write, counted from 1 on from now. */
    cutAt: (write: number, arrives: boolean) => {
      writes = 0
      return new Promise<void>((done) => {
        cut = { at: write, arrives, done }
      })
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
export type CuttableLine = Awaited<ReturnType<typeof startCuttableLine>>
