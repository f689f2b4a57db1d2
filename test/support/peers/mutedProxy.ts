import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A proxy whose connections stay open after `mute` and bring no response any more, as behind a network that is cut. Later connections work. */
export const startMutedProxy = async (port: number) => {
  const sockets = new Set<Socket>()
  let generation = 0
  const server = createServer((socket) => {
    const own = generation
    const peer = connect({ port, host: "127.0.0.1" })
    for (const one of [socket, peer]) {
      sockets.add(one)
      one.on("error", () => {})
      one.on("close", () => {
        sockets.delete(one)
        if (own === generation || one === socket) (one === socket ? peer : socket).destroy()
      })
    }
    socket.on("data", (bytes) => peer.write(bytes))
    peer.on("data", (bytes) => own === generation && socket.write(bytes))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    mute: () => {
      generation += 1
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, "close")
    }
  }
}
